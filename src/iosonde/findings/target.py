"""Rules about the target: the page cache, the size and content of the test region, and several targets."""

from collections import Counter
from collections.abc import Iterator

from iosonde.findings.case import Case, count_of, distinct, name_some
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import CellRecord, Outcome, RunHeader
from iosonde.units import format_percent, format_size

# Below this share of the device, the drive's cache, its SLC area or the hypervisor's memory may hold the test region.
SPAN_SHARE_MIN = 0.10
# Targets of one kind differ by a few percent. A target that is 20 % slower lowers the sum.
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
                "I/O went through the page cache (--buffered). Reads may never have reached the device, and writes "
                "completed as soon as they were in memory."
            ),
            evidence=(("direct I/O", "no"),),
            advice="Use these results for the file system with its page cache, never for the device.",
            deciding_test="The same run without --buffered, on a file system that supports direct I/O.",
        )


def span_fits_cache(case: Case) -> Iterator[Finding]:
    """The test region is small enough to fit into a cache."""
    header = case.run.header
    target = header.target
    if not target.is_storage:
        return
    for host in case.hosts:
        span = sum(each.span_bytes for each in host.targets)
        # The page cache is part of a container's memory limit.
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
            f"The test region of {format_size(span)} fits into the available memory ({format_size(memory)}), and the "
            "page cache is in use. Most reads were probably served from memory."
        ),
        evidence=(("test region", format_size(span)), ("memory", format_size(memory))),
        advice="Use a test region of at least twice the memory, or direct I/O.",
        deciding_test=f"The same run with --size {format_size(2 * memory).replace(' ', '')}.",
    )


def _spans_on_devices(header: RunHeader) -> Iterator[tuple[int, int]]:
    """For each device (or file system, if the device is unknown): the sum of its test regions, and its size."""
    used: dict[str, list[int]] = {}
    for target in header.targets:
        system, device = target.file_system, target.device
        size = (device.size_bytes if device else 0) or (system.size_bytes if system else 0)
        name = device.name if device else (system.mount_point if system else "")
        sums = used.setdefault(name, [0, size])
        sums[0] += target.span_bytes
    for span, size in used.values():
        yield span, size


def _small_share(span: int, below: int) -> Finding:
    """The finding about a test region that is a small part of the device or file system."""
    share = 100 * span / below
    wider = format_size(int(below * SPAN_SHARE_MIN) // 2**30 * 2**30).replace(" ", "")
    return Finding(
        id="span-fits-cache",
        severity=Severity.NOTE,
        confidence=Confidence.POSSIBLE,
        statement=(
            f"The test region of {format_size(span)} is {share:.2g} % of the device or file system "
            f"({format_size(below)}). The drive's cache, its SLC area or the hypervisor's memory may hold all of it."
        ),
        evidence=(("test region", format_size(span)), ("device or file system", format_size(below))),
        advice="Apply the results to a working set of this size, not to the whole drive.",
        deciding_test=f"The same run with --size {wider}: lower results there mean that a cache served this run.",
    )


def content_unknown(case: Case) -> Iterator[Finding]:
    """Another program wrote the file."""
    if case.run.header.target.written == "data":
        yield Finding(
            id="content-unknown",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement=(
                "iosonde did not write this file. The file system reports no holes. It is unknown how compressible "
                "the content is, and whether the drive has ever read it back."
            ),
            evidence=(("written by", "another program"),),
            advice="For results with incompressible data, name a directory: iosonde then lays out a file of its own.",
            deciding_test="The same cells on a file that iosonde laid out.",
        )


def written_unknown(case: Case) -> Iterator[Finding]:
    """The write history of a device is unknown: its blocks may never have been written."""
    devices = tuple(target.path for target in case.run.header.targets if target.kind == "device")
    if devices:
        yield Finding(
            id="written-unknown",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.POSSIBLE,
            statement=(
                f"The write history of {name_some(devices)} is unknown. A drive answers reads of blocks that were "
                "trimmed or never written without accessing its medium, and faster than all other reads."
            ),
            evidence=tuple(("read only", path) for path in devices),
            advice="Trust the read results only if data fills the test region. On a new drive it does not.",
            deciding_test="The same reads on a file that iosonde lays out, on a file system on the device.",
        )


def reads_of_holes(case: Case) -> Iterator[Finding]:
    """Cells read blocks that may have been trimmed. Such reads do not access the medium."""
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
            f"{count_of(len(emptied), 'cell')} read from a target with trimmed parts ({name_some(emptied)}). A trimmed "
            "block that was not written again is a hole, and is read without accessing the medium."
        ),
        evidence=(("cells that trim", name_some(names)), ("cells that read during or after", name_some(emptied))),
        advice="Use read results from a run without trims, or write the whole target in between.",
        deciding_test="The same cells in a campaign without trims: if reads are slower there, this run read holes.",
        cells=emptied,
    )


def targets_share_device(case: Case) -> Iterator[Finding]:
    """Several targets are on one device."""
    targets = case.run.header.targets
    counts = Counter(target.device.name for target in targets if target.device is not None)
    for name, number in counts.items():
        if number > 1:
            yield Finding(
                id="targets-share-device",
                severity=Severity.NOTE,
                confidence=Confidence.CERTAIN,
                statement=(
                    f"{number} of the {len(targets)} targets are on {name}. Their total throughput is that of one "
                    "device, not the sum of several devices."
                ),
                evidence=tuple(
                    (target.path, name) for target in targets if target.device and target.device.name == name
                ),
                advice=(
                    "Read the sums as the throughput of several files on one device. To add up devices, name targets "
                    "on separate devices."
                ),
                deciding_test="",
            )


def targets_uneven(case: Case) -> Iterator[Finding]:
    """One target completed far fewer operations than another in the same cell."""
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
            f"The targets were not equally fast in {count_of(len(uneven), 'repeat')} ({name_some(cells)}). In "
            f"{worst.cell}, {paths[slowest]} completed {format_percent(share)} of the operations of the fastest "
            "target. Latencies are over all targets, so a slow target appears as a tail."
        ),
        evidence=tuple(
            (f"{record.cell}, repeat {record.repeat}", f"{paths[target]} {format_percent(share)}")
            for record, (target, share) in uneven[:10]
        ),
        advice="Read the share of each target before the sums.",
        deciding_test="A run on each target alone: a target that is still slow is slow on its own.",
        cells=cells,
    )


def _lowest_share(record: CellRecord) -> tuple[int, float]:
    """The slowest target, and its operations as a share of those of the fastest."""
    counts = [sum(totals.count for totals in share.operations.values()) for share in record.targets]
    if len(counts) < 2 or not max(counts):  # noqa: PLR2004 - one target has nothing to compare with
        return 0, 1.0
    slowest = min(range(len(counts)), key=counts.__getitem__)
    return slowest, counts[slowest] / max(counts)
