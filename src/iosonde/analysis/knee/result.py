"""The result of the search for a knee."""

from dataclasses import dataclass
from enum import StrEnum

from iosonde.records import depth_kept


class KneeRule(StrEnum):
    """A rule for the knee, in display order.

    ``throughput_share``: the lowest depth with 95 % of the best throughput. ``power``: the largest ratio of throughput
    to mean latency. ``kneedle``: the bend of throughput over the logarithm of depth.
    """

    THROUGHPUT_SHARE = "throughput_share"
    POWER = "power"
    KNEEDLE = "kneedle"


class KneeState(StrEnum):
    """Whether the sweep identifies its knee."""

    IDENTIFIED = "identified"
    NOT_IDENTIFIABLE = "not_identifiable"


class KneeReason(StrEnum):
    """Why a knee is not identifiable.

    ``too_few_depths``: fewer than 5 depths have results. ``flat``: all depths reach more than 80 % of the best
    throughput. ``growing``: at the largest depth, throughput still grows at more than half the rate of depth, or by
    more than 5 % if the rules select that depth. ``scattered``: the rules, or the repeats, differ by more than half of
    the sweep (on the logarithm of depth).
    """

    TOO_FEW_DEPTHS = "too_few_depths"
    FLAT = "flat"
    GROWING = "growing"
    SCATTERED = "scattered"


@dataclass(frozen=True)
class DepthPoint:
    """Throughput (any unit of work per second) and latency (nanoseconds) at one requested depth.

    ``queue_depth_achieved``, ``queue_depth_device`` and ``latency_ns_p99`` are None if unknown. ``repeats`` are
    throughput and mean latency of each used repeat; with fewer than two there is no interval. ``weights`` are the
    weights of the repeats if they are not equal.
    """

    queue_depth: int
    throughput: float
    latency_ns: float
    latency_ns_p99: int | None = None
    queue_depth_achieved: float | None = None
    queue_depth_device: float | None = None
    repeats: tuple[tuple[float, float], ...] = ()
    weights: tuple[float, ...] = ()

    @property
    def queue_depth_kept(self) -> float | None:
        """The depth that results apply to: that at the device or, if it is unknown, the achieved one."""
        return depth_kept(self.queue_depth_achieved, self.queue_depth_device)


@dataclass(frozen=True)
class RuleAnswer:
    """The requested depth that a rule selects, and its 95 % interval over resampled repeats.

    ``queue_depth`` is None if the rule finds no knee. The interval is None with too few repeats, or if the rule finds
    no knee in most of the resamples.
    """

    rule: KneeRule
    queue_depth: int | None
    queue_depth_low: int | None = None
    queue_depth_high: int | None = None


@dataclass(frozen=True)
class Knee:
    """The knee of one sweep.

    ``point`` is the depth to use: the median of the rules' answers, or of two answers the one with more throughput. Its
    interval is ``queue_depth_low`` to ``queue_depth_high``. If the knee is not identifiable, ``point`` is None and
    ``reason`` says why. ``throughput_share`` is its share of the best throughput. ``latency_ratio`` and
    ``latency_p99_ratio`` compare its latency with that of the lowest depth. ``growth_share`` is the growth of
    throughput from the second largest to the largest depth, 0.25 for a quarter. ``unmeasured`` are requested depths
    without results.
    """

    state: KneeState
    reason: KneeReason | None
    answers: tuple[RuleAnswer, ...]
    point: DepthPoint | None
    lowest: DepthPoint | None
    best: DepthPoint | None
    queue_depth_low: int | None
    queue_depth_high: int | None
    throughput_share: float | None
    throughput_share_least: float | None
    latency_ratio: float | None
    latency_p99_ratio: float | None
    growth_share: float | None
    depths: tuple[int, ...]
    unmeasured: tuple[int, ...] = ()

    @property
    def latency_share(self) -> float | None:
        """The mean latency at the knee as a share of that at the peak; None without a knee."""
        if self.point is None or self.best is None or not self.best.latency_ns:
            return None
        return self.point.latency_ns / self.best.latency_ns
