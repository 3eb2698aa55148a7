"""A comparison of runs as JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from iosonde.analysis.procedures.courses import LongPhase
from iosonde.analysis.procedures.recovery import Recovery, level_of, trial_recoveries
from iosonde.analysis.procedures.side_by_side import Entry, Figures, SameTest, Source, same_tests
from iosonde.report.procedures.side_by_side_answers import name_of
from iosonde.report.procedures.side_by_side_facts import differing_facts, facts_of
from iosonde.vocabulary import Quantity


def plain(sources: Sequence[Source]) -> list[dict[str, Any]]:
    """All figures as JSON: for each test its runs, its conditions, and the values of each cell in the order of runs."""
    return [
        {
            "test": name_of(test),
            "kind": test.kind,
            "runs": [each.label for each in test.entries],
            "simulated": [_is_simulated(each) for each in test.entries],
            "finished": [each.source.run is None or each.source.run.finished for each in test.entries],
            "conditions": facts_of(test),
            "differing": differing_facts(test),
            "trials": _plain_trials(test),
            "cells": [
                {
                    **asdict(place),
                    "values": [
                        _plain(entry, each.get(place))
                        for entry, each in zip(test.entries, test.all_figures, strict=True)
                    ],
                }
                for place in test.all_places
            ],
        }
        for test in same_tests(sources)
    ]


def _is_simulated(entry: Entry) -> bool | None:
    return None if entry.source.run is None else entry.source.run.header.is_simulated


def _plain_trials(test: SameTest) -> list[dict[str, Any]]:
    """The long trials: the means of each, the throughput at its end, and its recovery."""
    found = [{each.name: each for each in entry.long_trials} for entry in test.entries]
    recovered = [trial_recoveries(test.kind, entry.long_trials) for entry in test.entries]
    gains = [{each.phase.name: each.gain for each in one} for one in recovered]
    backs = [{each.back.phase.name: each.back for each in one if each.back is not None} for one in recovered]
    return [
        {
            "trial": name,
            "values": [
                _plain_trial(entry, phases.get(name), gain.get(name), back.get(name))
                for entry, phases, gain, back in zip(test.entries, found, gains, backs, strict=True)
            ],
        }
        for name in dict.fromkeys(name for each in found for name in each)
    ]


def _plain_trial(
    entry: Entry, phase: LongPhase | None, gain: float | None, back: Recovery | None
) -> dict[str, Any] | None:
    if phase is None:
        return None
    ends = {f"{each.value}_at_end": level_of(phase.samples, each) for each in (Quantity.IOPS, Quantity.BYTES_PER_S)}
    return {
        "iops": phase.iops,
        "bytes_per_s": phase.bytes_per_s,
        "latency_ns_mean": phase.latency_ns_mean,
        "latency_ns_max": phase.latency_ns_max,
        **ends,
        "gain": gain,
        "recovered_to": None if back is None else back.level,
        "recovery_ns": None if back is None else back.time_ns,
        **_marks(entry, phase.cell),
    }


def _marks(entry: Entry, cell: str) -> dict[str, list[str]]:
    """The findings that make the figures of a cell invalid, and those that make them doubtful."""
    source = entry.source
    return {"invalid": list(dict(source.invalid).get(cell, ())), "doubtful": list(dict(source.doubtful).get(cell, ()))}


def _plain(entry: Entry, figures: Figures | None) -> dict[str, Any] | None:
    if figures is None:
        return None
    cell = figures.cell
    return {
        "cell": cell.cell,
        "rounds": cell.rounds,
        "iops": cell.iops,
        "bytes_per_s": cell.bytes_per_s,
        "latency_ns_mean": cell.latency_ns_mean,
        "latency_ns_five_nines": cell.five_nines_ns,
        "latency_ns_max": cell.latency_ns_max,
        "is_steady": figures.is_steady,
        **_marks(entry, cell.cell),
    }
