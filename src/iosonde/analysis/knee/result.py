"""What is said of a knee."""

from dataclasses import dataclass
from enum import StrEnum

from iosonde.records import depth_kept


class KneeRule(StrEnum):
    """A rule for the knee, in the order in which they are shown.

    ``throughput_share``: the lowest depth with 95 % of the best throughput. ``power``: the greatest throughput over
    mean latency. ``kneedle``: the bend of throughput over the logarithm of depth.
    """

    THROUGHPUT_SHARE = "throughput_share"
    POWER = "power"
    KNEEDLE = "kneedle"


class KneeState(StrEnum):
    """Whether the sweep tells where its knee is."""

    IDENTIFIED = "identified"
    NOT_IDENTIFIABLE = "not_identifiable"


class KneeReason(StrEnum):
    """Why a knee can't be told.

    ``too_few_depths``: fewer than 5 have figures. ``flat``: all of them give more than 80 % of the best throughput.
    ``growing``: at the deepest, throughput still grows at more than half the pace of depth. ``scattered``: the rules,
    or the repeats, differ by more than half of the sweep (on the logarithm of depth).
    """

    TOO_FEW_DEPTHS = "too_few_depths"
    FLAT = "flat"
    GROWING = "growing"
    SCATTERED = "scattered"


@dataclass(frozen=True)
class DepthPoint:
    """Throughput (any unit of work a second) and latency (nanoseconds) at one asked depth.

    ``queue_depth_achieved``, ``queue_depth_device`` and ``latency_ns_p99`` are None where they are not known.
    ``repeats`` are throughput and mean latency of each repeat that the figures come from; without two of them there is
    no interval. ``weights`` are the shares of these in the figures, where they are not equal.
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
        """The depth that figures belong to: that at the device, or the achieved one where only the host's is known."""
        return depth_kept(self.queue_depth_achieved, self.queue_depth_device)


@dataclass(frozen=True)
class RuleAnswer:
    """The asked depth that a rule names, and the 95 % interval of that over resampled repeats.

    ``queue_depth`` is None where the rule finds no knee; the interval is None where there are too few repeats, or
    where the rule finds no knee in most of the resamples.
    """

    rule: KneeRule
    queue_depth: int | None
    queue_depth_low: int | None = None
    queue_depth_high: int | None = None


@dataclass(frozen=True)
class Knee:
    """The knee of one sweep.

    ``point`` is the depth to use: the middle one of the rules' answers, of two that with more throughput. Its
    interval is ``queue_depth_low`` to ``queue_depth_high``. It is None where the knee is not identifiable, and then
    ``reason`` says why. ``throughput_share`` is that of the best throughput; ``latency_ratio`` and
    ``latency_p99_ratio`` are what the depth costs, against the lowest depth. ``growth_share`` is by how much
    throughput grows from the last depth but one to the deepest, 0.25 for a quarter. ``unmeasured`` are asked depths
    without figures.
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
