"""Mechanisms of writes: the write buffer and its flush, the SLC cache, and garbage collection."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.contrasts import Contrast, Multiple, Property, multiple_of
from iosonde.analysis.regimes import Regime, regimes_of
from iosonde.explanations.mechanism import Explanation, Mechanism
from iosonde.explanations.observed import NOTABLE, Observed, named, surely_above, surely_below, times
from iosonde.findings.finding import Confidence
from iosonde.records import Access, CellRecord, Operation, Sync, Workload
from iosonde.units import SECOND_NS, format_amount, format_bandwidth, format_duration, format_size

AMPLIFICATION_MIN: Final = 1.3
"""Bytes written to the media per byte of the host. Metadata and padding add a few percent."""


CACHE_BYTES_MIN: Final = 100 << 20
"""Write buffers in DRAM have some tens of MB, SLC caches at least some GB (or this much on a scaled model)."""

DURABLE_MIN: Final = 2 * NOTABLE
"""A durable write is two commands, a write and a flush. It takes twice as long even if there is nothing to flush."""


def flush(observed: Observed) -> Explanation | None:
    """Durable writes take longer than their two commands explain."""
    slow = [each for each in observed.contrasts(Property.DURABILITY) if surely_above(each.latency_mean, DURABLE_MIN)]
    if not slow:
        return None
    evidence = tuple(
        f"{named(each.one)} take {times(each.latency_mean)} as long as the same writes without it."
        for each in _one_of_each_sync(slow)
    )
    against = []
    if any(target.kind == "file" for target in observed.case.run.header.targets):
        against.append(
            "The target is a file: a flush also writes the metadata of the file system, if the file has changed."
        )
    factor = max(each.latency_mean.value for each in slow)
    return Explanation(Mechanism.FLUSH, Confidence.LIKELY, evidence, tuple(against), factor)


def _one_of_each_sync(contrasts: Sequence[Contrast]) -> list[Contrast]:
    """The first contrast of each way to make writes durable."""
    found: dict[str, Contrast] = {}
    for each in contrasts:
        found.setdefault(each.one.workload.sync, each)
    return list(found.values())


def write_buffer(observed: Observed) -> Explanation | None:
    """Single plain writes are faster than single reads of the same size, or short bursts of writes than longer ones."""
    evidence: list[str] = []
    factor = 1.0
    found = next((each for each in observed.contrasts(Property.DIRECTION) if _is_buffered(each)), None)
    if found is not None:
        evidence.append(
            f"{named(found.one)} take {times(found.latency_mean)} as long as writes: writes are acknowledged before "
            "they are on the media, because programming flash takes longer than reading it."
        )
        factor = found.latency_mean.value
    for rise in slower_bursts(observed):
        if rise.short_bytes < CACHE_BYTES_MIN:
            evidence.append(rise.sentence)
            factor = max(factor, rise.latency.value)
    if not evidence:
        return None
    against = []
    if observed.is_buffered:
        against.append("The run used the page cache of the kernel, which also acknowledges writes early.")
    if observed.is_rotational:
        against.append("The target is rotational: its write cache does this without flash.")
    confidence = Confidence.POSSIBLE if observed.is_buffered else Confidence.LIKELY
    return Explanation(Mechanism.WRITE_BUFFER, confidence, tuple(evidence), tuple(against), factor)


def _is_buffered(contrast: Contrast) -> bool:
    """Whether single random reads take longer than single random writes."""
    cell = contrast.one
    return (
        cell.queue_depth_asked == 1
        and cell.workload.pattern is Access.RANDOM
        and contrast.other.direction is Operation.WRITE
        and surely_above(contrast.latency_mean)
    )


def collection(observed: Observed) -> Explanation | None:
    """Random writes are slower than sequential ones, or slow down while they continue."""
    evidence: list[str] = []
    factor = 1.0
    for each in reversed(observed.contrasts(Property.PATTERN)):
        if each.one.direction is Operation.WRITE and surely_below(each.iops):
            evidence.append(
                f"{named(each.one)} deliver {times(each.iops)} the IOPS of {named(each.other)}: scattered writes leave "
                "blocks that are only partly valid."
            )
            factor = 1 / each.iops.value
            break
    amplified = _amplification(observed)
    if amplified is not None:
        evidence.append(f"The drive wrote {amplified:.2f} times as many bytes to its media during random writes.")
        factor = max(factor, amplified)
    if not evidence:
        return None
    against: list[str] = []
    if amplified is None:
        against.append(
            "The write amplification is not known. Small random writes are also slow if the drive maps larger units."
        )
    if observed.is_rotational:
        against.append("The target is rotational: seeks also explain the difference.")
    confidence = Confidence.LIKELY if amplified is not None and not observed.is_rotational else Confidence.POSSIBLE
    return Explanation(Mechanism.COLLECTION, confidence, tuple(evidence), tuple(against), factor)


def _amplification(observed: Observed) -> float | None:
    """The write amplification of random writes together, if the drive reports it and it is notable.

    The write buffer delays media writes, so that a single short cell may have those of the cells before it.
    """
    if observed.is_rotational:
        return None
    random = [
        (after[0] - before[0], after[1] - before[1])
        for cell, before, after in _healths(observed)
        if cell.direction is Operation.WRITE and cell.workload.pattern is Access.RANDOM
    ]
    host, media = (sum(each) for each in zip(*random, strict=True)) if random else (0, 0)
    return media / host if host and media / host >= AMPLIFICATION_MIN else None


def _healths(observed: Observed) -> list[tuple[CellEstimate, tuple[int, int], tuple[int, int]]]:
    """Host and media bytes before and after each repeat of each cell, from drives that report both."""
    by_name = {cell.cell: cell for cell in observed.cells}
    ordered = sorted(observed.case.run.cells, key=lambda record: record.order)
    found: list[tuple[CellEstimate, tuple[int, int], tuple[int, int]]] = []
    before: tuple[int, int] | None = None
    for record in ordered:
        after = _written(record)
        if before is not None and after is not None and record.cell in by_name and record.workload.sync is Sync.NONE:
            found.append((by_name[record.cell], before, after))
        before = after
    return found


def _written(record: CellRecord) -> tuple[int, int] | None:
    if not record.drives:
        return None
    healths = [drive.health for drive in record.drives]
    media = sum(each.media_written_bytes for each in healths)
    return (sum(each.host_written_bytes for each in healths), media) if media else None


def slc_cache(observed: Observed) -> Explanation | None:
    """Sequential writes continue at a lower level after some amount, and start at the high level after a pause."""
    drops = _drops(observed)
    rises = [each for each in slower_bursts(observed) if each.short_bytes >= CACHE_BYTES_MIN]
    if not drops and not rises:
        return None
    evidence = [*(text for text, _ in drops[:1]), *(each.sentence for each in rises[:1])]
    against = [] if rises else ["The run does not show whether the first level returns after the drive was idle."]
    if observed.is_rotational:
        against.append("The target is rotational: its write cache has the same effect.")
    factor = max([*(each for _, each in drops), *(each.latency.value for each in rises)])
    confidence = Confidence.POSSIBLE if against else Confidence.LIKELY
    return Explanation(Mechanism.SLC_CACHE, confidence, tuple(evidence), tuple(against), factor)


@dataclass(frozen=True)
class SlowerBursts:
    """Writes in long bursts that take longer than in short ones, each burst after the same pause."""

    short: CellEstimate
    long: CellEstimate
    latency: Multiple

    @property
    def short_bytes(self) -> float:
        """The size of a short burst."""
        return _burst_bytes(self.short)

    @property
    def sentence(self) -> str:
        """What the bursts show."""
        return (
            f"After a pause of {format_duration(self.short.workload.think_ns or 0)}, writes in bursts of "
            f"{format_size(round(_burst_bytes(self.long)))} take {times(self.latency)} as long as in bursts of "
            f"{format_size(round(self.short_bytes))}: the fast part is larger than the short burst, fills up in the "
            "long one, and is emptied in the pause."
        )


def slower_bursts(observed: Observed) -> list[SlowerBursts]:
    """Pairs of neighbouring burst lengths of sequential writes between which latency rises notably."""
    groups: dict[Workload, list[CellEstimate]] = {}
    for cell in observed.cells:
        if cell.direction is Operation.WRITE and cell.workload.burst_operations is not None:
            groups.setdefault(cell.workload.model_copy(update={"burst_operations": 1}), []).append(cell)
    found = []
    for group in groups.values():
        for short, long in pairwise(sorted(group, key=_burst_bytes)):
            assert short.subject is not None, "only cells with results are observed"
            assert long.subject is not None, "only cells with results are observed"
            latency = multiple_of(long.subject.latency_ns_mean, short.subject.latency_ns_mean, len(group))
            if surely_above(latency):
                found.append(SlowerBursts(short, long, latency))
    return found


def _burst_bytes(cell: CellEstimate) -> float:
    """The bytes that all workers write between two pauses."""
    return (cell.workload.burst_operations or 0) * cell.workload.bytes_per_operation * cell.workload.jobs


def _drops(observed: Observed) -> list[tuple[str, float]]:
    """The repeats of sequential writes whose throughput dropped to a lower level, and by which factor."""
    found = []
    for cell in observed.cells:
        asked = cell.workload
        if cell.direction is not Operation.WRITE or asked.pattern is not Access.SEQUENTIAL or asked.burst_operations:
            continue
        for record in observed.records(cell):
            regimes = regimes_of(record)
            if len(regimes) > 1 and regimes[0].iops > NOTABLE * regimes[-1].iops:
                found.append((_drop(cell, record, regimes), regimes[0].iops / max(regimes[-1].iops, 1.0)))
    return found


def _drop(cell: CellEstimate, record: CellRecord, regimes: Sequence[Regime]) -> str:
    size = cell.workload.bytes_per_operation
    first, last = regimes[0], regimes[-1]
    written = first.iops * size * (first.end_ns - first.start_ns) / SECOND_NS
    return (
        f"{named(cell)}, repeat {record.repeat}: {format_bandwidth(first.iops * size)} for "
        f"{format_amount(written)} ({format_duration(first.end_ns - first.start_ns)}), then "
        f"{format_bandwidth(last.iops * size)}."
    )
