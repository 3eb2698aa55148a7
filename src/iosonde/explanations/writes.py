"""Mechanisms of writes: the write buffer and its flush, and garbage collection."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.contrasts import Contrast, Multiple, Property
from iosonde.analysis.drive_counters import WriteAmplification, changes_of, write_amplification
from iosonde.analysis.interference import reads_of_writes
from iosonde.explanations.mechanism import Explanation, Mechanism
from iosonde.explanations.observed import NOTABLE, Observed, named, surely_above, surely_below, times
from iosonde.explanations.slc_cache import CACHE_BYTES_MIN, slower_bursts
from iosonde.findings.finding import Confidence
from iosonde.records import Access, Operation, Sync

AMPLIFICATION_MIN: Final = 1.3
"""Bytes written to the media per byte of the host. Metadata and padding add a few percent."""


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
    """Plain writes are faster than reads, alone at depth 1 or within a mix, or short bursts than longer ones."""
    evidence: list[str] = []
    factor = 1.0
    found = next((each for each in buffered_pairs(observed) if surely_above(each.latency)), None)
    if found is not None:
        evidence.append(
            f"{found.sentence.removesuffix('.')}: writes are acknowledged before they are on the media, because "
            f"{_why(observed)}."
        )
        factor = found.latency.value
    for rise in slower_bursts(observed):
        if rise.short_bytes < CACHE_BYTES_MIN:
            evidence.append(rise.sentence)
            factor = max(factor, rise.latency.value)
    if not evidence:
        return None
    against = []
    if observed.is_buffered:
        against.append("The run used the page cache of the kernel, which also acknowledges writes early.")
    confidence = Confidence.POSSIBLE if observed.is_buffered else Confidence.LIKELY
    return Explanation(Mechanism.WRITE_BUFFER, confidence, tuple(evidence), tuple(against), factor)


def _why(observed: Observed) -> str:
    if observed.is_rotational:
        return "a write to the media takes a seek and a rotation, as a read does"
    return "programming flash takes longer than reading it"


@dataclass(frozen=True)
class BufferedPair:
    """Random reads and writes under the same conditions. ``latency`` is that of the reads divided by the writes'."""

    latency: Multiple
    sentence: str


def buffered_pairs(observed: Observed) -> list[BufferedPair]:
    """Single random reads and plain writes, then the reads and the plain writes of each random mix.

    Durable writes are slow with any buffer, so that they only count if they are faster than reads.
    """
    singles = [
        BufferedPair(each.latency_mean, f"{named(each.one)} take {times(each.latency_mean)} as long as writes.")
        for each in observed.contrasts(Property.DIRECTION)
        if each.one.queue_depth_asked == 1
        and each.one.workload.pattern is Access.RANDOM
        and each.other.direction is Operation.WRITE
        and (each.other.workload.sync is Sync.NONE or surely_above(each.latency_mean))
    ]
    mixes = [
        BufferedPair(latency, f"The reads of {named(cell)} take {times(latency)} as long as its writes.")
        for cell in observed.cells
        if cell.workload.pattern is Access.RANDOM
        and cell.workload.sync is Sync.NONE
        and (latency := reads_of_writes(cell)) is not None
    ]
    return [*singles, *mixes]


def collection(observed: Observed) -> Explanation | None:
    """Random writes are slower than sequential ones, or cause more writes to the media."""
    if observed.is_rotational:
        return None
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
    against: list[str] = []
    amplified = _amplification(observed, Access.RANDOM)
    if amplified is not None:
        evidence.append(
            f"During random writes, the drive wrote {amplified.text} times as many bytes to its media as the host "
            "wrote."
        )
        factor = max(factor, amplified.value)
        sequential = _amplification(observed, Access.SEQUENTIAL)
        if sequential is not None:
            against.append(
                f"During sequential writes, it wrote {sequential.text} times as many: collection of what random "
                "writes left behind, or moves from an SLC cache."
            )
    if not evidence:
        return None
    if amplified is None:
        against.append(
            "The write amplification is not known. Small random writes are also slow if the drive maps larger units."
        )
    confidence = Confidence.LIKELY if amplified is not None else Confidence.POSSIBLE
    return Explanation(Mechanism.COLLECTION, confidence, tuple(evidence), tuple(against), factor)


def _amplification(observed: Observed, pattern: Access) -> WriteAmplification | None:
    """The write amplification of all writes of a pattern together, if the drive reports it and it is surely notable.

    The write buffer delays media writes, so that a single short cell may have those of the cells before it.
    """
    cells = {cell.cell: cell for cell in observed.cells}
    written = [
        change
        for record, change in changes_of(observed.case.run)
        if change is not None
        and change.has_media_writes
        and record.workload.sync is Sync.NONE
        and (cell := cells.get(record.cell)) is not None
        and cell.direction is Operation.WRITE
        and cell.workload.pattern is pattern
    ]
    found = write_amplification(written)
    return None if found is None or found.low < AMPLIFICATION_MIN else found
