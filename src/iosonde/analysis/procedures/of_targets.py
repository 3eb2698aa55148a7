"""What the sum over several targets can hide: that one of them is not steady alone, or is done before the others."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from iosonde.analysis.procedures.determination import Criterion, Verdict, criteria_of
from iosonde.analysis.procedures.from_run import phases_of
from iosonde.analysis.procedures.round_value import RoundValue
from iosonde.analysis.procedures.rounds import ProcedureRounds
from iosonde.records import CellRecord, RunRecord
from iosonde.units import SECOND_NS

DONE_SHARE: Final = 0.98
"""Targets of the same speed are done at almost the same time."""


def unsteady_targets(run: RunRecord, rounds: ProcedureRounds) -> Iterator[tuple[int, Criterion]]:
    """The targets, from 0, that are not steady alone after the rounds of a procedure, with their verdicts."""
    if len(run.header.targets) == 1 or rounds.judged is None:
        return
    for target in range(len(run.header.targets)):
        phases = phases_of(run, rounds.procedure, partial(_value, target=target))
        judged = replace(rounds, phases=phases).judged
        found = criteria_of(judged) if judged is not None else ()
        if found and found[0].verdict is not Verdict.REACHED:
            yield target, found[0]


def done_early(record: CellRecord) -> Iterator[tuple[int, float]]:
    """The targets, from 0, that had transferred their amount before the end of a trial.

    Each comes with the share of the time for which it had operations in flight, relative to the busiest target.
    """
    if record.timing.amount_bytes is None:
        return
    busy = [each.in_flight_ns or 0 for each in record.targets]
    longest = max(busy, default=0)
    yield from ((target, each / longest) for target, each in enumerate(busy) if 0 < each < DONE_SHARE * longest)


def _value(record: CellRecord, target: int) -> RoundValue:
    """The values of a trial on one target."""
    if target >= len(record.targets) or not record.measured_ns:
        return RoundValue()
    found = record.targets[target].operations.values()
    count = sum(each.count for each in found)
    return RoundValue(
        iops=count * SECOND_NS / record.measured_ns,
        bytes_per_s=sum(each.bytes for each in found) * SECOND_NS / record.measured_ns,
        latency_ns_mean=sum(each.latency_ns_sum for each in found) / count if count else None,
    )
