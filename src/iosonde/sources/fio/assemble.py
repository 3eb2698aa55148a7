"""A cell's record from what fio said last, and whether that can be true."""

import errno as errnos
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from iosonde.analysis.totals import add_operations
from iosonde.records import (
    CellPlan,
    CellRecord,
    CellTurn,
    ClockPair,
    EngineTruth,
    Failure,
    Fault,
    FaultKind,
    IntervalRecord,
    Operation,
    OperationTotals,
    Outcome,
    Phase,
    ShareTotals,
    TargetShare,
)
from iosonde.sources.fio.limits import MILLISECOND_NS
from iosonde.sources.fio.output import Snapshot, Tally, added
from iosonde.sources.fio.series import totals_of
from iosonde.units import format_duration

SEVERAL: Final = 2
# A job ends within a tick of its time; what ends earlier by more than this was ended by something.
SHORT_SHARE: Final = 0.95
# fio: io_u error on file /dev/x: Input/output error: read offset=4096, buflen=4096
_ERROR_LINE: Final = re.compile(r"io_u error on file .*: (.+): (read|write|trim|sync|datasync) offset=(\d+)")
_CLASSES: Final = {"datasync": Operation.FLUSH, "sync": Operation.FLUSH}


class Measured:
    """All that is known of one measurement when fio has ended: ``last`` is None where it never said anything.

    ``began`` says that it counted, and was not in its warm-up still; ``broken`` is what is known to have gone wrong.
    """

    def __init__(self, cell: CellPlan, turn: CellTurn, truth: EngineTruth, clock_start: ClockPair) -> None:
        self.cell = cell
        self.turn = turn
        self.truth = truth
        self.clock_start = clock_start
        self.intervals: list[IntervalRecord] = []
        self.last: Snapshot | None = None
        self.began = False
        self.stopped = False
        self.broken: Failure | None = None
        self.complaints: Sequence[str] = ()

    def record(self, clock_end: ClockPair) -> CellRecord:
        """The record: totals are those that fio said last."""
        operations, shares, measured_ns = self._totals()
        failure = self.broken
        if failure is None and not self.stopped:
            failure = self._failure(operations, measured_ns)
        outcome = Outcome.FAILED if failure else Outcome.CUT if self.stopped else Outcome.FINISHED
        warmup = add_operations([each for each in self.intervals if each.phase is Phase.WARMUP])
        return CellRecord(
            cell=self.cell.cell,
            experiments=self.cell.experiments,
            repeat=self.turn.repeat,
            order=self.turn.order,
            seed=self.turn.seed,
            workload=self.cell.workload,
            timing=self.cell.timing,
            outcome=outcome,
            failure=failure,
            measured_ns=measured_ns,
            operations=operations,
            warmup=warmup,
            targets=shares if len(shares) >= SEVERAL else (),
            faults=tuple(self._faults()),
            clock_start=self.clock_start,
            clock_end=clock_end,
            engine=self.truth,
            intervals=tuple(self.intervals),
        )

    def _totals(self) -> tuple[dict[Operation, OperationTotals], tuple[TargetShare, ...], int]:
        if self.last is None or not self.began:
            return {}, (), 0
        groups = [group.tallies for group in self.last.groups]
        return _known(added(groups)), tuple(map(_share, groups)), self.last.runtime_ms * MILLISECOND_NS

    def _failure(self, operations: dict[Operation, OperationTotals], measured_ns: int) -> Failure | None:
        """What makes a measurement that fio calls done no measurement."""
        assert self.last is not None
        ended = next((group.errno for group in self.last.groups if group.errno), 0)
        if ended:
            return _io_failure(ended, self.complaints)
        # A commit is a write with its flush, and fio times the two apart.
        asked = [each for each in self.cell.workload.asked_operations() if each is not Operation.COMMIT]
        lacking = next((each for each in asked if each not in operations), None)
        if lacking is not None:
            return Failure(kind="nothing", message=f"no {lacking} completed in the measured time")
        timing = self.cell.timing
        if timing.amount_bytes is None and measured_ns < SHORT_SHARE * timing.measure_ns:
            return Failure(
                kind="short",
                message=(
                    f"fio ended without an error after {format_duration(measured_ns)} of "
                    f"{format_duration(timing.measure_ns)}, as it does when a target vanishes"
                ),
            )
        return _contradiction(self.last, self.intervals, self.cell.workload.operations_in_flight)

    def _faults(self) -> Iterator[Fault]:
        if self.last is None:
            return
        first: dict[tuple[Operation, str], int] = {}
        seen: Counter[tuple[Operation, str]] = Counter()
        for line in self.complaints:
            if match := _ERROR_LINE.search(line):
                kind = (_CLASSES.get(match[2]) or Operation(match[2]), match[1])
                seen[kind] += 1
                first.setdefault(kind, int(match[3]))
        errors = sum(group.errors for group in self.last.groups)
        for (operation, words), count in seen.items():
            number = _errno_of(words)
            # Of one kind of error fio has the whole count, of which only the first lines are kept.
            whole = max(errors, count) if len(seen) == 1 else count
            yield Fault(
                kind=FaultKind.ERROR,
                operation=operation,
                errno=number,
                errno_name=errnos.errorcode.get(number, words),
                count=whole,
                offset_bytes_first=first[operation, words],
            )


def _known(tallies: Mapping[Operation, Tally]) -> dict[Operation, OperationTotals]:
    found = {operation: totals_of(tally) for operation, tally in tallies.items()}
    return {operation: totals for operation, totals in found.items() if totals is not None}


def _share(tallies: Mapping[Operation, Tally]) -> TargetShare:
    return TargetShare(
        operations={
            operation: ShareTotals(
                count=totals.count,
                bytes=totals.bytes,
                latency_ns_sum=totals.latency_ns_sum,
                latency_ns_max=totals.latency_ns_max,
            )
            for operation, totals in _known(tallies).items()
        }
    )


def _contradiction(last: Snapshot, intervals: Sequence[IntervalRecord], in_flight_max: int) -> Failure | None:
    """Fio's totals against its own counts and the intervals seen on the way."""
    if abs(last.issued - last.counted) > 2 * in_flight_max:
        return Failure(
            kind="contradiction",
            message=f"fio counts {last.issued:,} operations, and latencies of {last.counted:,}",
        )
    seen = add_operations([each for each in intervals if each.phase is Phase.MEASURE])
    count = sum(totals.count for operation, totals in seen.items() if operation is not Operation.FLUSH)
    if count != last.counted:
        return Failure(
            kind="contradiction",
            message=f"fio's intervals have {count:,} operations, and its totals {last.counted:,}",
        )
    return None


def _io_failure(number: int, complaints: Sequence[str]) -> Failure:
    line = next((match for each in complaints if (match := _ERROR_LINE.search(each))), None)
    where = f" ({line[2]} at offset {line[3]})" if line else ""
    return Failure(
        kind="io",
        message=f"fio ended with {errnos.errorcode.get(number, number)}: {os.strerror(number)}{where}",
        errno=number,
        offset_bytes=int(line[3]) if line else None,
    )


def _errno_of(words: str) -> int:
    """The number of an error that was told in words; 0 where nobody knows it."""
    return next((number for number in errnos.errorcode if os.strerror(number) == words), 0)
