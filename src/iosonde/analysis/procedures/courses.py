"""The long trials of a procedure as samples of a minute: throughput and latency against time and bytes written."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from iosonde.analysis.latency import leading
from iosonde.analysis.procedures.from_run import trials_of_phase
from iosonde.analysis.procedures.rounds import ProcedureRounds
from iosonde.analysis.totals import count_of, parts_of
from iosonde.records import (
    LONG_ROLES,
    CellRecord,
    IntervalRecord,
    Operation,
    Phase,
    PhasePlan,
    Procedures,
    RunRecord,
    SteadySamples,
    Workload,
)
from iosonde.units import SECOND_NS
from iosonde.vocabulary import Outcome, PhaseRole, Quantity

MINUTE_NS: Final = 60 * SECOND_NS

SAMPLES_MIN: Final = 60
"""A trial with fewer minutes is divided into so many samples. With fewer points a course could not be seen."""

OPERATIONS_MIN: Final = 50
"""Each operation is at least 2 % of such a sample. In shorter ones, whole operations would look like variation."""


@dataclass(frozen=True)
class Sample:
    """A part of a long trial. Times are measurement time since the start of the procedure's first long trial.

    Throughput is ``count`` or ``bytes`` divided by ``time_ns``. In a duty cycle, these three cover only the on-periods.
    The latencies are those of all ``completed`` operations, None if there are none. ``written_bytes`` is the sum of all
    writes up to the end of the sample, over all targets.
    """

    start_ns: int
    end_ns: int
    time_ns: int
    count: int
    bytes: int
    completed: int
    latency_ns_mean: float | None
    latency_ns_max: int | None
    written_bytes: int

    @property
    def iops(self) -> float:
        """Operations per second."""
        return self.count * SECOND_NS / self.time_ns

    @property
    def bytes_per_s(self) -> float:
        """Bytes per second."""
        return self.bytes * SECOND_NS / self.time_ns

    def of(self, quantity: Quantity) -> float | None:
        """IOPS, bytes per second or mean latency."""
        found: float | None = getattr(self, quantity.value)
        return found


@dataclass(frozen=True)
class LongPhase:
    """A long trial with its samples. ``sample_ns`` is their planned length, ``idle_ns`` the idle time before it.

    ``trial`` counts the trials of its phase from 1. ``name`` is that of the phase, with the trial if there are several.
    One that was cut short is called ``(interrupted)``.
    """

    phase: str
    trial: int
    name: str
    role: PhaseRole
    cell: str
    workload: Workload
    sample_ns: int
    idle_ns: int
    samples: tuple[Sample, ...]

    @cached_property
    def whole(self) -> Sample | None:
        """The whole trial as one sample; None without any."""
        return merged(self.samples) if self.samples else None

    @property
    def count(self) -> int:
        """The operations that count for throughput."""
        return 0 if self.whole is None else self.whole.count

    @property
    def bytes(self) -> int:
        """All bytes of these operations."""
        return 0 if self.whole is None else self.whole.bytes

    @property
    def iops(self) -> float | None:
        """The operations per second of the whole trial."""
        return self.of(Quantity.IOPS)

    @property
    def bytes_per_s(self) -> float | None:
        """The bytes per second of the whole trial."""
        return self.of(Quantity.BYTES_PER_S)

    @property
    def latency_ns_mean(self) -> float | None:
        """The mean of all operations."""
        return self.of(Quantity.LATENCY_NS_MEAN)

    @property
    def latency_ns_max(self) -> int | None:
        """The longest operation."""
        return None if self.whole is None else self.whole.latency_ns_max

    def of(self, quantity: Quantity) -> float | None:
        """The value of a quantity over the whole trial."""
        return None if self.whole is None else self.whole.of(quantity)


def merged(samples: Sequence[Sample]) -> Sample:
    """Consecutive samples as one."""
    completed = sum(each.completed for each in samples)
    total = sum(each.latency_ns_mean * each.completed for each in samples if each.latency_ns_mean is not None)
    return Sample(
        start_ns=samples[0].start_ns,
        end_ns=samples[-1].end_ns,
        time_ns=sum(each.time_ns for each in samples),
        count=sum(each.count for each in samples),
        bytes=sum(each.bytes for each in samples),
        completed=completed,
        latency_ns_mean=total / completed if completed else None,
        latency_ns_max=max((each.latency_ns_max for each in samples if each.latency_ns_max is not None), default=None),
        written_bytes=samples[-1].written_bytes,
    )


def capacity_of(run: RunRecord) -> int:
    """The bytes of one drive fill: the part of all targets that the run uses."""
    return run.header.plan.span_bytes * len(run.header.targets)


def scale_of(run: RunRecord) -> int:
    """By how much all times of the run's procedures were divided."""
    stop = run.header.plan.stop
    return stop.time_scale if isinstance(stop, Procedures) else 1


def long_phases(run: RunRecord, rounds: ProcedureRounds) -> tuple[LongPhase, ...]:
    """The long trials of a procedure, in order: those of ``LONG_ROLES``, and preconditioning until it is steady.

    Samples are a minute long, scaled as the times of the run are, or a sixtieth of a shorter trial. In a duty cycle, a
    sample is one cycle, and continuous writes after it have samples as long as its on-periods.
    """
    found: list[LongPhase] = []
    now_ns = written = 0
    on_ns: int | None = None
    for phase in rounds.procedure.phases:
        if not is_long(phase):
            continue
        trials = trials_of_phase(run, rounds.procedure.name, phase.name)
        for number, record in enumerate(trials, 1):
            name = f"{phase.name}, trial {number}" if len(trials) > 1 else phase.name
            name += " (interrupted)" if record.outcome is Outcome.CUT else ""
            sample_ns = _sample_ns(phase, record, scale_of(run), on_ns)
            on_ns = record.workload.on_ns
            idle_ns = record.timing.idle_ns
            # The time axis includes idle time between trials.
            start_ns = now_ns + idle_ns if found else now_ns
            samples = tuple(samples_of(record, sample_ns, start_ns=start_ns, written_bytes=written))
            what = (phase.name, number, name, phase.role, record.cell, record.workload)
            found.append(LongPhase(*what, sample_ns, idle_ns, samples))
            if samples:
                now_ns, written = samples[-1].end_ns, samples[-1].written_bytes
    return tuple(found)


def is_long(phase: PhasePlan) -> bool:
    """Whether a phase is a trial whose course is reported."""
    return phase.role in LONG_ROLES or isinstance(phase.stop, SteadySamples)


def _sample_ns(phase: PhasePlan, record: CellRecord, scale: int, on_ns_before: int | None) -> int:
    asked = record.workload
    if asked.on_ns is not None and asked.off_ns is not None:
        return asked.on_ns + asked.off_ns
    if on_ns_before is not None:
        return on_ns_before
    if isinstance(phase.stop, SteadySamples):
        return phase.stop.sample_ns
    return _usual_ns(record, scale)


def _usual_ns(record: CellRecord, scale: int) -> int:
    """A minute, or a sixtieth of a shorter trial if that has enough operations, in whole intervals."""
    measured_ns = sum(each.end_ns - each.start_ns for each in record.intervals if each.phase is Phase.MEASURE)
    interval_ns = max(record.timing.interval_ns, 1)
    count = count_of(record.operations, record.workload.subject)
    parts = max(min(SAMPLES_MIN, count // OPERATIONS_MIN), 1)
    wanted_ns = min(MINUTE_NS // scale, measured_ns // parts)
    return max(round(wanted_ns / interval_ns), 1) * interval_ns


def trial_course(record: CellRecord, scale: int) -> tuple[Sample, ...]:
    """The samples of a single trial of a run whose times were divided by ``scale``."""
    return tuple(samples_of(record, _usual_ns(record, scale)))


def samples_of(record: CellRecord, sample_ns: int, *, start_ns: int = 0, written_bytes: int = 0) -> Iterator[Sample]:
    """The samples of a trial. An interval belongs to the sample that contains its midpoint, and is never split.

    Intervals that are longer than a sample are samples themselves. What is left at the end belongs to the last sample
    if it is less than half as long, so that the samples contain the whole trial.
    """
    groups: dict[int, list[_Part]] = {}
    now_ns = 0
    for interval in record.intervals:
        if interval.phase is not Phase.MEASURE:
            continue
        length_ns = interval.end_ns - interval.start_ns
        middle_ns = now_ns + length_ns // 2
        part = _Part(interval, length_ns, record.workload.submits_at(record.timing.warmup_ns + middle_ns))
        groups.setdefault(middle_ns // sample_ns, []).append(part)
        now_ns += length_ns
    now_ns = start_ns
    for parts in _with_last(list(groups.values()), sample_ns):
        written_bytes += sum(
            each.interval.operations[Operation.WRITE].bytes
            for each in parts
            if Operation.WRITE in each.interval.operations
        )
        length_ns = sum(each.length_ns for each in parts)
        if length_ns > 0:
            yield _sample(record, parts, (now_ns, now_ns + length_ns), written_bytes)
        now_ns += length_ns


@dataclass(frozen=True)
class _Part:
    """An interval of a sample, its length, and whether operations were submitted in it."""

    interval: IntervalRecord
    length_ns: int
    is_on: bool


def _with_last(groups: list[list[_Part]], sample_ns: int) -> list[list[_Part]]:
    """The groups of each sample. A last one that is too short for a sample of its own is added to the one before."""
    if len(groups) > 1 and sum(each.length_ns for each in groups[-1]) * 2 < sample_ns:
        return [*groups[:-2], [*groups[-2], *groups[-1]]]
    return groups


def _sample(record: CellRecord, parts: Sequence[_Part], times_ns: tuple[int, int], written_bytes: int) -> Sample:
    on, subject = [each for each in parts if each.is_on], record.workload.subject
    counted = [totals for each in on for totals in parts_of(each.interval.operations, subject)]
    every = [leading(each) for part in parts for each in parts_of(part.interval.operations, subject) if each.count]
    completed = sum(each.count for each in every)
    return Sample(
        *times_ns,
        # Without any on-time, as in the last part of a cut cycle, nothing is divided by zero.
        time_ns=sum(each.length_ns for each in on) or times_ns[1] - times_ns[0],
        count=sum(each.count for each in counted),
        bytes=sum(each.bytes for each in counted),
        completed=completed,
        latency_ns_mean=sum(each.latency_ns_sum for each in every) / completed if completed else None,
        latency_ns_max=max((each.latency_ns_max for each in every), default=None),
        written_bytes=written_bytes,
    )


def sample_rule(rounds: ProcedureRounds) -> SteadySamples | None:
    """The rule by which a long trial of the procedure is judged by its samples; None without one."""
    return next((each.stop for each in rounds.procedure.phases if isinstance(each.stop, SteadySamples)), None)
