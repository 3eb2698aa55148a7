"""What was found of rounds that another tool measured: as plain values, and in the tables of TKperf."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from iosonde.analysis.procedures import (
    Criterion,
    Determination,
    PhaseRounds,
    ProcedureRounds,
    ReportedCell,
    criteria_of,
    determinations_of,
)
from iosonde.analysis.procedures.determination import IOPS_TRACKED, known_rounds, last_whole_window, no_window_text
from iosonde.analysis.procedures.steady_condition import verdict_text
from iosonde.units import exact_size
from iosonde.vocabulary import ProcedureKind, Quantity

KIB: Final = 1024
MICROSECOND_NS: Final = 1000
MILLISECOND_NS: Final = 10**6
COARSE_BELOW: Final = 10
ROUNDING_SHARE: Final = 0.001
"""A value that a file repeats may differ by this share, because it is rounded."""


@dataclass(frozen=True)
class JudgedRounds:
    """The rounds of a test with their verdict.

    ``first_round`` is the number of the first round in the file. The window of ``phase`` ends with the round in which
    steady state was reached, else with the last round that can be judged; ``cells`` are the figures of its window.
    ``facts`` are what the file says of the drive, the host and the software.
    """

    name: str
    source: str
    kind: ProcedureKind
    first_round: int
    phase: PhaseRounds
    criteria: tuple[Criterion, ...]
    determinations: tuple[Determination, ...]
    cells: tuple[ReportedCell, ...]
    said: Mapping[str, str]
    not_read: tuple[str, ...]
    doubts: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def own(self) -> Criterion | None:
        """The verdict of the criterion of the specification; None if nothing is tracked."""
        return self.criteria[0] if self.criteria else None

    @property
    def rounds(self) -> int:
        """The number of rounds in the file."""
        return self.phase.rounds

    @property
    def unknown_rounds(self) -> list[int]:
        """The rounds in which a tracking variable has no value, as the file counts them."""
        return [number for number, is_known in enumerate(known_rounds(self.phase), self.first_round) if not is_known]

    @property
    def ends_unknown(self) -> bool:
        """Whether the last round that can be judged is not the last one: a tracking variable has fewer rounds."""
        return not self.is_too_short and not known_rounds(self.phase)[-1]

    @property
    def is_too_short(self) -> bool:
        """Whether no window of consecutive rounds has a value of all tracking variables."""
        return self.phase.rule is not None and bool(no_window_text(self.phase))

    @property
    def has_figures(self) -> bool:
        """Whether the rounds of the window have values: all rounds if they are too few, else a whole window."""
        return not self.is_too_short or (self.phase.rule is not None and self.rounds < self.phase.rule.window)

    @property
    def zero_cells(self) -> list[str]:
        """The cells of tracking variables that are 0 in the whole window, so that nothing is a percentage of them."""
        if self.is_too_short:
            return []
        found = {(each.cell, each.quantity) for each in self.determinations if each.average}
        return [each.cell for each in self.phase.tracked if (each.cell, each.quantity) not in found]

    @property
    def untracked(self) -> list[str]:
        """What the IOPS test of the specification tracks as well, if only some of its variables were measured."""
        work = [self.phase.workloads[each.cell] for each in self.phase.tracked]
        places = {(each.read_percent, each.block_size_bytes) for each in work}
        if self.kind is not ProcedureKind.IOPS or not places or not places < set(IOPS_TRACKED):
            return []
        return [f"{exact_size(size)} {read}/{100 - read}" for read, size in IOPS_TRACKED if (read, size) not in places]

    @property
    def window(self) -> range:
        """The rounds of the window, as the file counts them."""
        return range(self.phase.window.start - 1 + self.first_round, self.phase.window.stop - 1 + self.first_round)


def judged(  # noqa: PLR0913 - its rounds, and what the file says
    source: str,
    rounds: ProcedureRounds,
    first_round: int,
    said: Mapping[str, str],
    not_read: tuple[str, ...] = (),
    *,
    doubts: tuple[str, ...] = (),
    facts: Mapping[str, str] | None = None,
) -> JudgedRounds:
    """Judges all rounds. The window ends with the first round in which all tracking variables are steady."""
    phase = rounds.phases[0]
    criteria = criteria_of(phase)
    reached = criteria[0].reached if criteria else None
    phase = replace(phase, window_end=reached or (last_whole_window(phase) if criteria else None))
    return JudgedRounds(
        name=rounds.procedure.name,
        source=source,
        kind=rounds.procedure.kind,
        first_round=first_round,
        phase=phase,
        criteria=criteria,
        determinations=determinations_of(phase),
        cells=phase.reported,
        said=said,
        not_read=not_read,
        doubts=doubts,
        facts=facts or {},
    )


def plain(test: JudgedRounds) -> dict[str, Any]:
    """A test as JSON. Rounds are those of the file; lines are over rounds as the file counts them."""
    shift = test.first_round - 1
    return {
        "source": test.source,
        "test": test.name,
        "kind": test.kind,
        "rounds": test.rounds,
        "first_round": test.first_round,
        "window": list(test.window),
        "criteria": [
            {
                "criterion": each.name,
                "of": each.of,
                "verdict": "undecided" if each.reached is None and test.is_too_short else each.verdict,
                "reached_round": None if each.reached is None else each.reached + shift,
                "left_round": None if each.left is None else each.left + shift,
            }
            for each in test.criteria
        ],
        "tracking_variables": [_variable(each, shift) for each in test.determinations],
        "tracked_cells_of_zero": test.zero_cells,
        "cells": [_cell(each) for each in test.cells],
        "file_says": dict(test.said),
        "facts": dict(test.facts),
        "not_read": list(test.not_read),
        "doubts": list(test.doubts),
    }


def _variable(found: Determination, shift: int) -> dict[str, Any]:
    return {
        "cell": found.cell,
        "quantity": found.quantity,
        "rounds": [each + shift for each in found.rounds],
        "values": list(found.values),
        "average": found.average,
        "range": found.range_measured,
        "range_allowed": found.range_allowed,
        "range_share": found.range_share,
        "slope": found.slope,
        "intercept": found.intercept - found.slope * shift,
        "excursion": found.excursion_measured,
        "excursion_allowed": found.excursion_allowed,
        "excursion_share": found.excursion_share,
        "slope_share_per_round": found.slope_per_round_share,
        "slope_share_times_window": found.slope_all_rounds_share,
        "correlation": found.correlation,
        "steady": found.is_steady,
    }


def _cell(found: ReportedCell) -> dict[str, Any]:
    return {
        "cell": found.cell,
        "read_percent": found.workload.read_percent,
        "block_size_bytes": found.workload.block_size_bytes,
        "queue_depth": found.workload.queue_depth,
        "jobs": found.workload.jobs,
        "rounds": found.rounds,
        "iops": found.iops,
        "bytes_per_s": found.bytes_per_s,
        "latency_ns_mean": found.latency_ns_mean,
        "latency_ns_min": found.latency_ns_min,
        "latency_ns_max": found.latency_ns_max,
    }


def alike(test: JudgedRounds, cell: str) -> int:
    """The number of cells with the mix and block size of a cell, itself included."""
    asked = test.phase.workloads
    place = (asked[cell].read_percent, asked[cell].size_text)
    return sum((each.read_percent, each.size_text) == place for each in asked.values())


def verdict_words(test: JudgedRounds, criterion: Criterion) -> str:
    """A verdict in words, with rounds as the file counts them."""
    if criterion.reached is None and test.is_too_short:
        return f"undecided: {no_window_text(test.phase)}"
    return verdict_text(criterion, first_round=test.first_round)


def contradictions(test: JudgedRounds) -> list[str]:
    """What TKperf's file says of its own steady state, where the rounds in it show something else."""
    if test.own is None or not test.determinations:
        return []
    found = []
    own, variable = test.own.reached is not None, test.determinations[0]
    said = {"true": True, "false": False}.get(test.said.get("reachstdystate", "").strip('"').lower())
    if said is not None and said is not own:
        found.append(f"steady state was {'' if said else 'not '}reached")
    values, rounds = (_numbers(test.said.get(name, "")) for name in ("stdyvalues", "stdyrounds"))
    unit = {Quantity.BYTES_PER_S: KIB, Quantity.LATENCY_NS_MEAN: MICROSECOND_NS}.get(variable.quantity, 1)
    same_rounds = rounds == [float(each) for each in test.window]
    pairs = list(zip(values, (each / unit for each in variable.values), strict=False))
    if same_rounds and any(abs(one - other) > ROUNDING_SHARE * other for one, other in pairs):
        found.append(f"values of the window that are not those of {variable.cell}")
    return found


def _numbers(text: str) -> list[float]:
    """The numbers of a JSON list; none if it is something else."""
    try:
        found = json.loads(text)
    except ValueError:
        return []
    is_list = isinstance(found, list) and all(isinstance(each, int | float) for each in found)
    return [float(each) for each in found] if is_list else []


def series_words(values: Sequence[float], quantity: Quantity) -> tuple[list[str], str]:
    """Values and their unit, in the units of TKperf's report."""
    match quantity:
        case Quantity.BYTES_PER_S:
            return [f"{value / KIB:,.1f}" for value in values], "KiB/s"
        case Quantity.LATENCY_NS_MEAN:
            return [f"{value / MICROSECOND_NS:,.7f}".rstrip("0").rstrip(".") for value in values], "µs"
        case _:
            return [_iops_text(value) for value in values], "IOPS"


def _iops_text(value: float) -> str:
    """IOPS with one decimal as in TKperf's report, and with four significant digits if that is too coarse."""
    return f"{value:,.1f}" if abs(value) >= COARSE_BELOW or value.is_integer() else f"{value:.4g}"
