"""Mechanisms of reads: read-ahead, a read cache, and conflicts at channels or dies."""

from dataclasses import dataclass
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.contrasts import Contrast, Multiple, Property, multiple_of
from iosonde.analysis.families import Family
from iosonde.analysis.modes import two_modes
from iosonde.explanations.mechanism import Explanation, Mechanism
from iosonde.explanations.observed import Observed, is_of_host, named, surely_above, surely_below, times
from iosonde.findings.finding import Confidence
from iosonde.records import Operation
from iosonde.units import exact_size, format_latency, format_percent

READ_AHEAD_BYTES_MAX: Final = 64 << 10
"""Larger requests hide the fixed cost of an access, with or without read-ahead."""

SOFT_MAX: Final = 0.85
"""Servers with one common queue deliver all of the lower of two limits: the depth divided by the latency at depth 1,
and the best throughput. Requests that choose among separate servers at random deliver less between the two: 53 % with
eight servers and eight requests (a balanced closed network: Lazowska et al., Quantitative System Performance, 1984,
5.4)."""


MODES_MIN: Final = 3.0
"""Latency of a read from the media divided by that of a read from a cache, at least. Retries and the other pages of a
block also have two latencies, but closer to each other."""

PAGE_BYTES: Final = 16 << 10
"""The usual size of a page of flash."""

MODES_BYTES_MAX: Final = 16 << 10
"""Larger reads are of several pages, some of which are on the same die and wait for each other."""


def read_ahead(observed: Observed) -> Explanation | None:
    """Sequential reads are faster than random reads of the same size at the same depth."""
    found = next((each for each in observed.contrasts(Property.PATTERN) if _is_read_ahead(each)), None)
    if found is None:
        return None
    evidence = [
        (
            f"{named(found.one)} take {times(found.latency_mean)} as long as {named(found.other)}: the next data were "
            "there before they were requested, or came with the previous data."
        )
    ]
    against: list[str] = []
    _compare_strides(observed, found, evidence, against)
    if found.one.queue_depth_asked > 1:
        against.append("Random requests also meet at the same channel or die at this depth.")
    if observed.is_rotational:
        against.append("The target is rotational: seeks and rotational latency also explain the difference.")
    if observed.is_buffered:
        against.append("The run used the page cache, so the kernel read ahead.")
    confidence = Confidence.POSSIBLE if against else Confidence.LIKELY
    return Explanation(Mechanism.READ_AHEAD, confidence, tuple(evidence), tuple(against), found.latency_mean.value)


def _is_read_ahead(contrast: Contrast) -> bool:
    cell = contrast.one
    return (
        cell.direction is Operation.READ
        and cell.workload.block_size_bytes <= READ_AHEAD_BYTES_MAX
        and surely_above(contrast.latency_mean)
    )


def _compare_strides(observed: Observed, found: Contrast, evidence: list[str], against: list[str]) -> None:
    """Strided reads are as predictable as sequential ones, but no two of them are adjacent."""
    for cell in observed.cells:
        if not str(cell.workload.pattern).startswith("strided"):
            continue
        sequential = observed.like(cell, pattern=found.other.workload.pattern)
        if sequential is None or sequential.cell != found.other.cell or cell.subject is None:
            continue
        assert sequential.subject is not None, "only cells with results are observed"
        ratio = multiple_of(cell.subject.latency_ns_mean, sequential.subject.latency_ns_mean)
        if surely_above(ratio):
            evidence.append(
                f"{named(cell)} take {times(ratio)} as long as sequential reads: only adjacent data are faster."
            )
        elif ratio.is_near:
            against.append(f"{named(cell)} are as fast as sequential reads, although no two of them are adjacent.")


def read_cache(observed: Observed) -> Explanation | None:
    """Reads of a small test region are faster than reads of a large one, or reads have two separate latencies."""
    evidence: list[str] = []
    factor = 1.0
    sweeps = [cells for cells in observed.span_sweeps if is_random_read(cells[0])]
    for cells in sweeps:
        small, large = cells[0], cells[-1]
        assert small.subject is not None, "only cells with results are observed"
        assert large.subject is not None, "only cells with results are observed"
        ratio = multiple_of(large.subject.latency_ns_mean, small.subject.latency_ns_mean)
        if surely_above(ratio):
            regions = f"{exact_size(observed.span_bytes(small))} and {exact_size(observed.span_bytes(large))}"
            evidence.append(
                f"Reads of the whole test region take {times(ratio)} as long as reads of its smallest part "
                f"({regions}): the part fits in a cache."
            )
            factor = max(factor, ratio.value)
    against = []
    if not evidence:
        modes = None if sweeps else _modes(observed)
        if modes is None:
            return None
        text, factor = modes
        evidence.append(text)
        against.append("Parts of the media with different read times, such as SLC and TLC, have the same effect.")
    if observed.is_buffered:
        against.append("The run used the page cache of the kernel, which is such a cache.")
    if observed.virtual_machine:
        evidence.append(
            f"The host is a virtual machine ({observed.virtual_machine}): its host can cache a virtual disk."
        )
    confidence = Confidence.POSSIBLE if against else Confidence.LIKELY
    return Explanation(Mechanism.READ_CACHE, confidence, tuple(evidence), tuple(against), factor)


def is_random_read(cell: CellEstimate) -> bool:
    """Whether a cell reads blocks in an unpredictable order."""
    return cell.direction is Operation.READ and str(cell.workload.pattern) in {"random", "permutation"}


def _modes(observed: Observed) -> tuple[str, float] | None:
    """Two separate latencies of random reads at depth 1."""
    for cell in observed.cells:
        if not is_random_read(cell) or cell.queue_depth_asked > 1 or cell.subject is None:
            continue
        if cell.workload.bytes_per_operation > MODES_BYTES_MAX:
            continue
        modes = two_modes(cell.subject.latency)
        if modes is not None and modes.slow_ns >= MODES_MIN * modes.fast_ns:
            text = (
                f"{named(cell)} have two separate latencies: {format_percent(modes.fast_share)} take about "
                f"{format_latency(modes.fast_ns)}, the others about {format_latency(modes.slow_ns)}."
            )
            return text, modes.slow_ns / modes.fast_ns
    return None


@dataclass(frozen=True)
class Softness:
    """The depth at which a sweep is furthest below both of its limits.

    ``of_scaled`` is the throughput divided by the depth times the throughput at depth 1, ``of_best`` divided by the
    best throughput.
    """

    cell: CellEstimate
    of_scaled: Multiple
    of_best: Multiple

    @property
    def share(self) -> float:
        """The throughput as a share of the lower limit."""
        return max(self.of_scaled.value, self.of_best.value)


def softness_of(sweep: Family) -> Softness | None:
    """Where a sweep of one operation is significantly below both limits; None if it is nowhere."""
    points = [(cell, cell.of(sweep.whole)) for cell in sweep.cells]
    known = [(cell, figures) for cell, figures in points if figures is not None and figures.iops.mean > 0]
    if len(known) < len(points) or sweep.cells[0].queue_depth_asked != 1:
        return None
    first = known[0][1].iops
    best = max((figures.iops for _, figures in known), key=lambda each: each.mean)
    found: list[Softness] = []
    for cell, figures in known[1:]:
        scaled = _divided(multiple_of(figures.iops, first, len(known)), cell.queue_depth_asked)
        each = Softness(cell, scaled, multiple_of(figures.iops, best, len(known)))
        if surely_below(each.of_scaled, SOFT_MAX) and surely_below(each.of_best, SOFT_MAX):
            found.append(each)
    return min(found, key=lambda each: each.share, default=None)


def _divided(multiple: Multiple, by: float) -> Multiple:
    ratio = multiple.ratio
    if ratio is None:
        return Multiple(multiple.value / by, None)
    return Multiple(
        multiple.value / by, type(ratio)(ratio.value / by, ratio.low / by, ratio.high / by, ratio.comparisons)
    )


def die_conflicts(observed: Observed) -> Explanation | None:
    """Throughput of random reads grows less than the depth long before it reaches its limit."""
    sweeps = [sweep for sweep in observed.depth_sweeps if is_random_read(sweep.cells[0])]
    soft = (found for sweep in sweeps if (found := softness_of(sweep)) is not None)
    found = min(soft, key=lambda each: each.share, default=None)
    if found is None or observed.is_rotational:
        return None
    evidence = [
        (
            f"{named(found.cell)} deliver {format_percent(found.of_scaled.value)} of {found.cell.queue_depth_asked} "
            f"times the throughput at depth 1, and {format_percent(found.of_best.value)} of the best throughput at any "
            "depth: requests wait for each other although the target is not saturated."
        )
    ]
    against: list[str] = []
    factor = 1 / found.share
    sequential = observed.like(found.cell, pattern="sequential")
    if sequential is not None and sequential.subject is not None and found.cell.subject is not None:
        ratio = multiple_of(sequential.subject.iops, found.cell.subject.iops)
        if surely_above(ratio, 1.0):
            evidence.append(
                f"Sequential reads at depth {found.cell.queue_depth_asked}, which are spread evenly, deliver "
                f"{times(ratio)} the IOPS."
            )
    against += _faster_at_random(observed)
    against += [f"The finding {each.id} applies to this sweep." for each in observed.findings if is_of_host(each.id)]
    confidence = Confidence.POSSIBLE if against else Confidence.LIKELY
    return Explanation(Mechanism.DIE_CONFLICTS, confidence, tuple(evidence), tuple(against), factor)


def _faster_at_random(observed: Observed) -> list[str]:
    """The random reads above depth 1 that are faster than sequential ones, which conflicts do not explain.

    Smaller sequential blocks share a page, and so a die: they conflict too.
    """
    faster = [
        each
        for each in observed.contrasts(Property.PATTERN)
        if each.one.direction is Operation.READ
        and each.one.queue_depth_asked > 1
        and each.one.workload.bytes_per_operation >= PAGE_BYTES
        and surely_below(each.latency_mean, 1.0)
    ]
    if not faster:
        return []
    most = min(faster, key=lambda each: each.latency_mean.value)
    return [f"{named(most.one)} take {times(most.latency_mean)} as long as {named(most.other)}, not longer."]
