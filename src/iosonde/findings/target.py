"""Rules about the target: page cache, size and content of what was measured, and several targets at once."""

from collections import Counter
from collections.abc import Iterator

from iosonde.findings.case import Case, count_of, distinct, name_some
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import CellRecord, Outcome, RunHeader
from iosonde.units import format_size

# Below this share of the device, a drive's own caches, its SLC area or a hypervisor's memory may hold all of the span.
SPAN_SHARE_MIN = 0.10
# Targets of one kind differ by a few percent among themselves; a fifth is one that holds the others' sum down.
SHARE_OF_FASTEST_MIN = 0.80


def buffered_io(case: Case) -> Iterator[Finding]:
    """I/O went through the page cache."""
    target = case.run.header.target
    if target.is_storage and not target.direct:
        yield Finding(
            id="buffered-io",
            severity=Severity.INVALID,
            confidence=Confidence.CERTAIN,
            statement=(
                "I/O went through the page cache (--buffered): reads may never have reached the device, and writes "
                "were done when they were in memory."
            ),
            evidence=(("direct I/O", "no"),),
            advice="Take these figures for the file system with its cache, never for the device.",
            deciding_test="The same run without --buffered, on a file system that offers direct I/O.",
        )


def span_fits_cache(case: Case) -> Iterator[Finding]:
    """The span is small enough to be held by a cache."""
    header = case.run.header
    target = header.target
    if not target.is_storage:
        return
    for host in case.hosts:
        span = sum(each.span_bytes for each in host.targets)
        # Page cache counts against a container's memory limit.
        memory = min(host.facts.memory_bytes, host.facts.memory_limit_bytes or host.facts.memory_bytes)
        if not target.direct and span <= memory:
            yield _fits_memory(span, memory)
            return
    for used, below in _spans_on_devices(header):
        if target.direct and below and used < SPAN_SHARE_MIN * below:
            yield _small_share(used, below)
            return


def _fits_memory(span: int, memory: int) -> Finding:
    return Finding(
        id="span-fits-cache",
        severity=Severity.INVALID,
        confidence=Confidence.LIKELY,
        statement=(
            f"The span of {format_size(span)} fits the memory that may be used ({format_size(memory)}), "
            "and the page cache is in use: reads were most likely served from memory."
        ),
        evidence=(("span", format_size(span)), ("memory", format_size(memory))),
        advice="Use a span of at least twice the memory, or direct I/O.",
        deciding_test=f"The same run with --size {format_size(2 * memory).replace(' ', '')}.",
    )


def _spans_on_devices(header: RunHeader) -> Iterator[tuple[int, int]]:
    """For each device, or file system where none is known: how much of it all targets together use, and its size."""
    used: dict[str, list[int]] = {}
    for target in header.targets:
        system, device = target.file_system, target.device
        size = (device.size_bytes if device else 0) or (system.size_bytes if system else 0)
        place = device.name if device else (system.mount_point if system else "")
        held = used.setdefault(place, [0, size])
        held[0] += target.span_bytes
    for span, size in used.values():
        yield span, size


def _small_share(span: int, below: int) -> Finding:
    """A span that is a small part of what lies below."""
    share = 100 * span / below
    wider = format_size(int(below * SPAN_SHARE_MIN) // 2**30 * 2**30).replace(" ", "")
    return Finding(
        id="span-fits-cache",
        severity=Severity.NOTE,
        confidence=Confidence.POSSIBLE,
        statement=(
            f"The span of {format_size(span)} is {share:.2g} % of the {format_size(below)} below: a drive's own "
            "cache, its SLC area or a hypervisor's memory may hold all of it."
        ),
        evidence=(("span", format_size(span)), ("device or file system", format_size(below))),
        advice="Take the figures for a working set of this size, not for the whole drive.",
        deciding_test=f"The same run with --size {wider}: figures that fall were a cache's.",
    )


def content_unknown(case: Case) -> Iterator[Finding]:
    """The file's content came from elsewhere."""
    if case.run.header.target.written == "data":
        yield Finding(
            id="content-unknown",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement=(
                "The file was not written by iosonde: the file system reports no holes, but how compressible its "
                "content is, and whether the drive has ever read it back, is unknown."
            ),
            evidence=(("written by", "others"),),
            advice="Let iosonde make the file (name a directory) where figures for incompressible data are wanted.",
            deciding_test="The same cells on a file that iosonde made.",
        )


def written_unknown(case: Case) -> Iterator[Finding]:
    """Nobody knows whether the blocks that were read had ever been written."""
    devices = tuple(target.path for target in case.run.header.targets if target.kind == "device")
    if devices:
        yield Finding(
            id="written-unknown",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.POSSIBLE,
            statement=(
                f"Whether the blocks of {name_some(devices)} had ever been written is unknown: a drive answers reads "
                "of blocks that never were, or were trimmed, without its medium, and faster than any others."
            ),
            evidence=tuple(("only read", path) for path in devices),
            advice="Take reads for the drive's own only where data fills what was read; on a new drive they are not.",
            deciding_test="The same reads on a file that iosonde fills, on a file system on the device.",
        )


def reads_of_holes(case: Case) -> Iterator[Finding]:
    """Blocks were read that a trim may have emptied: such reads need no medium."""
    records = case.run.cells
    trims = [record for record in records if record.workload.trim_percent]
    if not trims:
        return
    first = min(record.order for record in trims)
    emptied = distinct(record.cell for record in records if record.workload.reads and record.order >= first)
    if not emptied:
        return
    names = distinct(record.cell for record in trims)
    yield Finding(
        id="reads-of-holes",
        severity=Severity.DOUBTFUL,
        confidence=Confidence.LIKELY,
        statement=(
            f"{count_of(len(emptied), 'cell')} read from a target of which parts had been trimmed "
            f"({name_some(emptied)}): a block that was not written since is a hole, which is read without the medium."
        ),
        evidence=(("trims", name_some(names)), ("read with them or after them", name_some(emptied))),
        advice="Take reads from a run without trims, or write the whole target in between.",
        deciding_test="The same cells in a campaign without trims: reads that are slower there met holes here.",
        cells=emptied,
    )


def targets_share_device(case: Case) -> Iterator[Finding]:
    """Several targets lie on one device."""
    targets = case.run.header.targets
    counts = Counter(target.device.name for target in targets if target.device is not None)
    for name, number in counts.items():
        if number > 1:
            yield Finding(
                id="targets-share-device",
                severity=Severity.NOTE,
                confidence=Confidence.CERTAIN,
                statement=(
                    f"{number} of the {len(targets)} targets lie on {name}: what they reach together is that device's "
                    "and not the sum of several."
                ),
                evidence=tuple((target.path, target.device.name) for target in targets if target.device and number > 1),
                advice="Take the sums for several files on one device; name targets on devices of their own for more.",
                deciding_test="",
            )


def targets_uneven(case: Case) -> Iterator[Finding]:
    """One target did much less than another in the same cell."""
    uneven = [
        (record, _lowest_share(record))
        for record in case.run.cells
        if record.outcome is Outcome.FINISHED and _lowest_share(record)[1] < SHARE_OF_FASTEST_MIN
    ]
    if not uneven:
        return
    cells = distinct(record.cell for record, _ in uneven)
    worst, (slowest, share) = min(uneven, key=lambda each: each[1][1])
    paths = [target.path for target in case.run.targets]
    yield Finding(
        id="targets-uneven",
        severity=Severity.NOTE,
        confidence=Confidence.CERTAIN,
        statement=(
            f"The targets were not equally fast in {count_of(len(uneven), 'measurement')} ({name_some(cells)}): in "
            f"{worst.cell}, {paths[slowest]} did {share:.0%} of the operations of the fastest. Latencies are of all "
            "targets together, so a slow one shows as a tail."
        ),
        evidence=tuple(
            (f"{record.cell} repeat {record.repeat}", f"{paths[target]} {share:.0%}")
            for record, (target, share) in uneven[:10]
        ),
        advice="Read the share of each target before the sums.",
        deciding_test="A run on each target alone: one that stays slow is slow by itself.",
        cells=cells,
    )


def _lowest_share(record: CellRecord) -> tuple[int, float]:
    """Which target did least, and how much of what the one did that did most."""
    counts = [sum(totals.count for totals in share.operations.values()) for share in record.targets]
    if len(counts) < 2 or not max(counts):  # noqa: PLR2004 - there has to be another one
        return 0, 1.0
    slowest = min(range(len(counts)), key=counts.__getitem__)
    return slowest, counts[slowest] / max(counts)
