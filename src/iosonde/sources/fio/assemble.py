"""Makes a cell's record from fio's last output, and checks that the output is plausible."""

import errno as errnos
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from iosonde.analysis.totals import add_operations
from iosonde.records import (
    CellPlan,
    CellRecord,
    CellTurn,
    ClockPair,
    Failure,
    Fault,
    FaultKind,
    FioFacts,
    IntervalRecord,
    Operation,
    OperationTotals,
    Outcome,
    Phase,
    ShareTotals,
    TargetShare,
    Workload,
)
from iosonde.sources.fio.output import Snapshot, Tally, added
from iosonde.sources.fio.series import totals_of
from iosonde.units import MILLISECOND_NS, format_duration
from iosonde.vocabulary import FailureKind

SEVERAL: Final = 2
# A job ends within a tick of its time. A job that ends earlier than this was interrupted.
SHORT_SHARE: Final = 0.95
# fio: io_u error on file /dev/x: Input/output error: read offset=4096, buflen=4096
_ERROR_LINE: Final = re.compile(r"io_u error on file .*: (read|write|trim|sync|datasync) offset=(\d+)")
# The same limit as in iosonde's own engine.
LOST_MAX: Final = 1_000


class Measured:
    """All that is known of one measurement when fio has ended. ``last`` is None if fio printed no snapshot.

    ``began`` says that the warm-up was over. ``broken`` is a failure that was detected while fio ran.
    """

    def __init__(self, cell: CellPlan, turn: CellTurn, facts: FioFacts, clock_start: ClockPair) -> None:
        self.cell = cell
        self.turn = turn
        self.facts = facts
        self.clock_start = clock_start
        self.intervals: list[IntervalRecord] = []
        self.last: Snapshot | None = None
        self.began = False
        self.stopped = False
        self.broken: Failure | None = None
        self.complaints: Sequence[str] = ()

    def record(self, clock_end: ClockPair) -> CellRecord:
        """The record, with the totals of fio's last snapshot."""
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
            round=self.turn.round,
            phase=self.turn.phase,
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
            engine=self.facts,
            intervals=tuple(self.intervals),
        )

    def _totals(self) -> tuple[dict[Operation, OperationTotals], tuple[TargetShare, ...], int]:
        if self.last is None or not self.began:
            return {}, (), 0
        groups = [group.tallies for group in self.last.groups]
        return _known(added(groups)), tuple(map(_share, groups)), self.last.runtime_ms * MILLISECOND_NS

    def _failure(self, operations: dict[Operation, OperationTotals], measured_ns: int) -> Failure | None:
        """Why a measurement is not valid although fio reports it as complete; None if it is valid."""
        assert self.last is not None
        failure = errors_end(self.last, self.complaints)
        if failure is not None:
            return failure
        # A commit is a write with its flush, and fio measures the two separately.
        asked = [each for each in self.cell.workload.asked_operations() if each is not Operation.COMMIT]
        lacking = next((each for each in asked if each not in operations), None)
        if lacking is not None:
            return Failure(
                kind=FailureKind.NOTHING_COMPLETED, message=f"no {lacking} completed within the measurement time"
            )
        timing = self.cell.timing
        if timing.amount_bytes is None and measured_ns < SHORT_SHARE * timing.measure_ns:
            return Failure(
                kind=FailureKind.SHORT,
                message=(
                    f"fio exited without an error after {format_duration(measured_ns)} instead of "
                    f"{format_duration(timing.measure_ns)}, possibly because a target disappeared"
                ),
            )
        return contradiction(self.last, self.intervals, self.cell.workload)

    def _faults(self) -> Iterator[Fault]:
        for number, group in enumerate(self.last.groups if self.last else ()):
            if group.errors:
                yield Fault(
                    kind=FaultKind.ERROR,
                    # For a mix, fio does not report which operation failed.
                    operation=self.cell.workload.only_operation or Operation.ALL,
                    errno=group.first_errno,
                    errno_name=errnos.errorcode.get(group.first_errno, ""),
                    count=group.errors,
                    target=number,
                )
            for operation, tally in group.tallies.items():
                if tally.short + tally.lost:
                    yield Fault(
                        kind=FaultKind.SHORT,
                        operation=operation,
                        errno=0,
                        errno_name="",
                        count=tally.short + tally.lost,
                        target=number,
                    )


def errors_end(last: Snapshot, complaints: Sequence[str] = ()) -> Failure | None:
    """The failure of a cell with too many errors, or with an error that ended a job; None otherwise."""
    errors = sum(group.errors for group in last.groups)
    if errors > LOST_MAX:
        number = next(group.first_errno for group in last.groups if group.errors)
        return Failure(
            kind=FailureKind.IO,
            message=f"more than {LOST_MAX:,} operations failed; the first error was: {os.strerror(number)}",
            errno=number,
        )
    # If fio continues after errors, it keeps the first one in the same field.
    ended = next((group.errno for group in last.groups if group.errno and not group.errors), 0)
    if not ended:
        return None
    line = next((match for each in complaints if (match := _ERROR_LINE.search(each))), None)
    where = f" ({line[1]} at offset {line[2]})" if line else ""
    return Failure(
        kind=FailureKind.IO,
        message=f"fio failed with {errnos.errorcode.get(ended, ended)}: {os.strerror(ended)}{where}",
        errno=ended,
        offset_bytes=int(line[2]) if line else None,
    )


def contradiction(last: Snapshot, intervals: Sequence[IntervalRecord], workload: Workload) -> Failure | None:
    """Checks fio's last snapshot for consistency, within itself and with the intervals. None if it is consistent.

    If a target is truncated, fio counts reads beyond its end, which transfer nothing, as fast reads without an error.
    """
    strays = 2 * workload.operations_in_flight
    errors = sum(group.errors for group in last.groups)
    if abs(last.issued - last.counted - errors) > strays:
        return _implausible(f"fio reports {last.issued:,} operations, but {last.counted:,} latencies")
    mix = workload.block_sizes
    smallest = workload.block_size_bytes if mix is None else mix.shares[0][0]
    if last.bytes < (last.counted - strays) * smallest:
        moved = f"{last.bytes:,} bytes"
        return _implausible(
            f"fio reports {last.counted:,} operations of at least {smallest:,} bytes each, but only {moved} in total"
        )
    seen = add_operations([each for each in intervals if each.phase is Phase.MEASURE])
    count = sum(totals.count for operation, totals in seen.items() if operation is not Operation.FLUSH)
    if count != last.counted:
        return _implausible(f"fio reports {count:,} operations in its intervals, but {last.counted:,} in total")
    return None


def _implausible(what: str) -> Failure:
    message = f"{what}; the results are wrong, possibly because a target disappeared or was truncated"
    return Failure(kind=FailureKind.CONTRADICTION, message=message)


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
