"""Long workloads of procedures: their throughput and latency against time, and when they reach a level again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from iosonde.analysis.latency import leading
from iosonde.analysis.procedures.from_run import trials_by_phase
from iosonde.analysis.totals import measured_intervals, merge_totals, total_of
from iosonde.records import (
    CellRecord,
    IntervalRecord,
    Outcome,
    PhasePlan,
    Procedure,
    Procedures,
    RunRecord,
    SteadySamples,
    Workload,
)
from iosonde.units import SECOND_NS
from iosonde.vocabulary import PhaseRole

SAMPLE_NS: Final = 60 * SECOND_NS
"""SNIA's long workloads are reported by the minute."""

LEVEL_NS: Final = 3600 * SECOND_NS
"""The level of a phase is that of its last hour."""

NEAR_LEVEL: Final = 0.10
"""Throughput has recovered once it stays within this share of the level."""

LONG_ROLES: Final = frozenset({PhaseRole.SATURATION, PhaseRole.STIMULUS, PhaseRole.IDLE_RECOVERY, PhaseRole.BASELINE})


@dataclass(frozen=True)
class TimeSample:
    """A part of a long workload; its times count from the beginning of the phase.

    ``busy_ns`` is the time without the idle periods of a duty cycle, and rates are per busy time.
    """

    start_ns: int
    end_ns: int
    busy_ns: int
    operations: int
    bytes: int
    latency_ns_sum: int
    latency_ns_max: int | None

    @property
    def iops(self) -> float:
        """Operations per second."""
        return self.operations * SECOND_NS / self.busy_ns

    @property
    def bytes_per_s(self) -> float:
        """Bytes per second."""
        return self.bytes * SECOND_NS / self.busy_ns

    @property
    def latency_ns_mean(self) -> float | None:
        """The mean latency; None without completions."""
        return self.latency_ns_sum / self.operations if self.operations else None


@dataclass(frozen=True)
class LongPhase:
    """The continuous trial of a phase. ``start_ns`` is the measurement time of the procedure's long phases before it.

    ``level_ns`` is the time at its end that its level is computed from.
    """

    name: str
    role: PhaseRole
    workload: Workload
    is_finished: bool
    start_ns: int
    level_ns: int
    samples: tuple[TimeSample, ...]

    @property
    def whole(self) -> TimeSample:
        """All samples together."""
        return _joined(self.samples)

    @property
    def level(self) -> TimeSample:
        """The samples of the last hour; all, if the phase is shorter."""
        end_ns = self.samples[-1].end_ns
        return _joined([each for each in self.samples if each.start_ns >= end_ns - self.level_ns] or self.samples)

    def settled_ns(self, iops: float) -> int | None:
        """The beginning of the first sample from which on all are within ``NEAR_LEVEL`` of a throughput.

        It is None if the last sample isn't. A sample cannot show a recovery in less than its length.
        """
        found: int | None = None
        for each in reversed(self.samples):
            if abs(each.iops - iops) > NEAR_LEVEL * iops:
                break
            found = each.start_ns
        return found


def long_phases(run: RunRecord, procedure: Procedure) -> tuple[LongPhase, ...]:
    """The phases of a procedure that consist of a single long trial, in run order."""
    stop = run.header.plan.stop
    scale = stop.time_scale if isinstance(stop, Procedures) else 1
    trials = trials_by_phase(run, procedure.name)
    found: list[LongPhase] = []
    start_ns = 0
    for phase in procedure.phases:
        mine = trials.get(phase.name, ())
        if not _is_long(phase) or len(mine) != 1:
            continue
        record = mine[0]
        samples = tuple(time_samples(record, SAMPLE_NS // scale))
        if samples:
            is_finished = record.outcome is Outcome.FINISHED
            level_ns = LEVEL_NS // scale
            found.append(LongPhase(phase.name, phase.role, record.workload, is_finished, start_ns, level_ns, samples))
            start_ns += samples[-1].end_ns
    return tuple(found)


def _is_long(phase: PhasePlan) -> bool:
    return phase.role in LONG_ROLES or isinstance(phase.stop, SteadySamples)


def time_samples(record: CellRecord, sample_ns: int) -> Iterator[TimeSample]:
    """The measured intervals of a trial, grouped into samples of ``sample_ns``, or of whole duty cycles if longer.

    An interval belongs to the sample that contains its middle, so samples of long intervals differ in length.
    """
    timed = [each for each in measured_intervals(record) if each.end_ns > each.start_ns]
    if not timed:
        return
    first_ns, cycle_ns = timed[0].start_ns, _cycle_ns(record.workload)
    whole_ns = -(-sample_ns // cycle_ns) * cycle_ns

    def sample_of(interval: IntervalRecord) -> int:
        return ((interval.start_ns + interval.end_ns) // 2 - first_ns) // whole_ns

    for _, grouped in groupby(timed, key=sample_of):
        found = _sample(list(grouped), first_ns, record.workload)
        if found.busy_ns:
            yield found


def _sample(intervals: Sequence[IntervalRecord], first_ns: int, workload: Workload) -> TimeSample:
    start_ns, end_ns = intervals[0].start_ns - first_ns, intervals[-1].end_ns - first_ns
    totals = [found for each in intervals if (found := total_of(each.operations, workload.subject)) is not None]
    merged = merge_totals(totals) if totals else None
    busy_ns = busy_until(end_ns, workload) - busy_until(start_ns, workload)
    if merged is None or not merged.count:
        return TimeSample(start_ns, end_ns, busy_ns, 0, 0, 0, None)
    latency = leading(merged)
    return TimeSample(
        start_ns, end_ns, busy_ns, merged.count, merged.bytes, latency.latency_ns_sum, latency.latency_ns_max
    )


def busy_until(time_ns: int, workload: Workload) -> int:
    """The part of the first ``time_ns`` of a trial in which it submits. A duty cycle begins with its busy period."""
    if workload.on_ns is None or workload.off_ns is None:
        return time_ns
    cycles, rest_ns = divmod(time_ns, workload.on_ns + workload.off_ns)
    return cycles * workload.on_ns + min(rest_ns, workload.on_ns)


def _cycle_ns(workload: Workload) -> int:
    return 1 if workload.on_ns is None or workload.off_ns is None else workload.on_ns + workload.off_ns


def _joined(samples: Sequence[TimeSample]) -> TimeSample:
    longest = [each.latency_ns_max for each in samples if each.latency_ns_max is not None]
    return TimeSample(
        start_ns=samples[0].start_ns,
        end_ns=samples[-1].end_ns,
        busy_ns=sum(each.busy_ns for each in samples),
        operations=sum(each.operations for each in samples),
        bytes=sum(each.bytes for each in samples),
        latency_ns_sum=sum(each.latency_ns_sum for each in samples),
        latency_ns_max=max(longest, default=None),
    )
