"""How long trials recover: after another stimulus, after idle time, and back to continuous writes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from iosonde.analysis.procedures.courses import LongPhase, Sample
from iosonde.vocabulary import Access, PhaseRole, ProcedureKind, Quantity

TOLERANCE: Final = 0.10
"""Throughput has recovered when it stays within this share of its level."""

SMOOTHED: Final = 5
"""A sample is judged by the median of this many samples around it. It removes outliers and does not move a step."""

END_PART: Final = 8
"""The level of a trial is the mean of the last eighth of its samples, which a slow recovery does not reach into."""


@dataclass(frozen=True)
class Recovery:
    """What a trial did after the one before.

    ``level`` is the throughput that it is compared with. ``time_ns`` is the time from its start to the first sample
    within ``TOLERANCE`` of the level, if the samples after it stay there; None if those at the end do not.
    """

    phase: LongPhase
    level: float
    time_ns: int | None


@dataclass(frozen=True)
class IdleState:
    """Writes with idle time between them (host idle recovery).

    ``before`` is the level of continuous writes before, ``during`` that of the on-periods, and ``back`` the return of
    the continuous writes after them to ``before``; None if these were not measured.
    """

    phase: LongPhase
    on_ns: int
    off_ns: int
    before: float
    during: float
    back: Recovery | None

    @property
    def gain(self) -> float:
        """The on-periods' level as a multiple of that of the continuous writes before."""
        return self.during / self.before


def level_of(samples: Sequence[Sample], quantity: Quantity) -> float | None:
    """The mean of a throughput over the last eighth of the samples, at least one; None without any.

    Samples count by their time: the last one is often shorter.
    """
    last = samples[-max(len(samples) // END_PART, 1) :]
    known = [(value, each.end_ns - each.start_ns) for each in last if (value := each.of(quantity)) is not None]
    time_ns = sum(length_ns for _, length_ns in known)
    return sum(value * length_ns for value, length_ns in known) / time_ns if time_ns else None


def recovery_ns(samples: Sequence[Sample], quantity: Quantity, level: float) -> int | None:
    """How long a trial takes to recover: the time until its first sample within ``TOLERANCE`` of the level.

    The samples after that one have to stay within it as well, each as the median of ``SMOOTHED`` samples around it, of
    fewer at the end.
    None if the last samples are not within it.
    """
    values = [each.of(quantity) for each in samples]
    smooth = [_median(values[max(at - SMOOTHED // 2, 0) : at + SMOOTHED // 2 + 1]) for at in range(len(values))]
    found: int | None = None
    for sample, value, smoothed in reversed(list(zip(samples, values, smooth, strict=True))):
        if not _is_near(smoothed, level):
            break
        if _is_near(value, level):
            found = sample.start_ns - samples[0].start_ns
    return found


def _median(values: Sequence[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    return median(known) if known else None


def _is_near(value: float | None, level: float) -> bool:
    return value is not None and abs(value - level) <= TOLERANCE * level


def recoveries(phases: Sequence[LongPhase], quantity: Quantity) -> tuple[Recovery, ...]:
    """How each trial but the first settles at its own level, that of its last eighth (cross stimulus recovery)."""
    found = []
    for phase in phases[1:]:
        level = level_of(phase.samples, quantity)
        if level is not None:
            found.append(Recovery(phase, level, recovery_ns(phase.samples, quantity, level)))
    return tuple(found)


def returns_to(level: float, phases: Sequence[LongPhase], quantity: Quantity) -> tuple[Recovery, ...]:
    """How each trial falls back to a level that was measured before, such as that of a full drive."""
    return tuple(Recovery(each, level, recovery_ns(each.samples, quantity, level)) for each in phases)


def shown_quantity(phases: Sequence[LongPhase]) -> Quantity:
    """Bandwidth if any trial is sequential, else IOPS."""
    is_sequential = any(each.workload.pattern is Access.SEQUENTIAL for each in phases)
    return Quantity.BYTES_PER_S if is_sequential else Quantity.IOPS


@dataclass(frozen=True)
class AfterSaturation:
    """The trials after a saturated drive that do the same as the one that saturated it, ``before``."""

    before: LongPhase
    level: float
    trials: tuple[Recovery, ...]


def after_saturation(phases: Sequence[LongPhase], quantity: Quantity) -> AfterSaturation | None:
    """How the trials after the first saturation fall back to its level; None without any."""
    whole = next((each for each in phases if each.role is PhaseRole.SATURATION), None)
    level = None if whole is None else level_of(whole.samples, quantity)
    if whole is None or not level:
        return None
    after = [each for each in phases[phases.index(whole) + 1 :] if _is_alike(each, whole)]
    return AfterSaturation(whole, level, returns_to(level, after, quantity)) if after else None


def _is_alike(one: LongPhase, other: LongPhase) -> bool:
    """Whether two trials do the same, so that their throughput can be compared."""
    places = [(each.workload.pattern, each.workload.read_percent, each.workload.size_text) for each in (one, other)]
    return places[0] == places[1]


def idle_states(phases: Sequence[LongPhase]) -> tuple[IdleState, ...]:
    """The wait states of a host idle recovery, in order, judged by IOPS."""
    found = []
    for before, phase in pairwise(phases):
        asked = phase.workload
        if phase.role is not PhaseRole.IDLE_RECOVERY or asked.on_ns is None or asked.off_ns is None:
            continue
        level, during = (level_of(each.samples, Quantity.IOPS) for each in (before, phase))
        if not level or during is None:
            continue
        after = next((each for each in phases[phases.index(phase) + 1 :][:1] if each.role is PhaseRole.BASELINE), None)
        back = None
        if after is not None and after.samples:
            back = Recovery(after, level, recovery_ns(after.samples, Quantity.IOPS, level))
        found.append(IdleState(phase, asked.on_ns, asked.off_ns, level, during, back))
    return tuple(found)


@dataclass(frozen=True)
class TrialRecovery:
    """The recovery of a long trial, in the figures of its test.

    ``gain`` is the throughput with idle time relative to that without: the level of a wait state over the baseline
    before it, or the first sample after idle time over the level of the saturated drive. It is None without idle time.
    ``back`` is the return to the level; None if it was not measured.
    """

    phase: LongPhase
    gain: float | None
    back: Recovery | None


def trial_recoveries(kind: ProcedureKind, phases: Sequence[LongPhase]) -> tuple[TrialRecovery, ...]:
    """The recovery of each trial that has one: of wait states, of groups, or after the drive was saturated."""
    if kind is ProcedureKind.HOST_IDLE_RECOVERY:
        return tuple(TrialRecovery(each.phase, each.gain, each.back) for each in idle_states(phases))
    quantity = shown_quantity(phases)
    if kind is ProcedureKind.CROSS_STIMULUS_RECOVERY:
        return tuple(TrialRecovery(each.phase, None, each) for each in recoveries(phases, quantity))
    after = after_saturation(phases, quantity)
    if after is None:
        return ()
    firsts = [each.phase.samples[0].of(quantity) if each.phase.samples else None for each in after.trials]
    return tuple(
        TrialRecovery(each.phase, None if first is None else first / after.level, each)
        for each, first in zip(after.trials, firsts, strict=True)
    )


def recoveries_of(kind: ProcedureKind, phases: Sequence[LongPhase]) -> tuple[Recovery, ...]:
    """The returns to a level that the report of a kind of procedure has."""
    return tuple(each.back for each in trial_recoveries(kind, phases) if each.back is not None)
