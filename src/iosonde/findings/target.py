"""Rules about the target: the page cache, the size and content of the test region, and several targets."""

from collections import Counter
from collections.abc import Iterator
from math import ceil

from iosonde.findings.case import Case, count_of, distinct, name_some, trial_name
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import CellRecord, Operation, Outcome, RunHeader, RunRecord, Sync
from iosonde.units import exact_size, format_percent, format_size

# Below this share of the device, the drive's cache, its SLC area or the hypervisor's memory may hold the test region.
SPAN_SHARE_MIN = 0.10
# Targets of one kind differ by a few percent. A target that is 20 % slower lowers the sum.
SHARE_OF_FASTEST_MIN = 0.80


def buffered_io(case: Case) -> Iterator[Finding]:
    """I/O went through the page cache."""
    target = case.run.header.target
    if not target.is_storage or target.direct:
        return
    is_durable = _all_durable(case)
    effect = (
        "Each write was flushed to the device, but the results also include the overhead of the page cache and the "
        "file system."
        if is_durable
        else "Reads may have been served from memory, and writes completed as soon as the data was in the page cache."
    )
    yield Finding(
        id="buffered-io",
        severity=Severity.NOTE if is_durable else Severity.INVALID,
        confidence=Confidence.CERTAIN,
        statement=f"I/O went through the page cache (--buffered). {effect}",
        evidence=(("direct I/O", "no"),),
        advice="The results apply only to buffered I/O on this file system, not to the device.",
        deciding_test="Run again without --buffered on a file system that supports direct I/O.",
    )


def _all_durable(case: Case) -> bool:
    """Whether all cells only write, and each write is flushed to the device before it completes."""
    workloads = [each.workload for each in case.run.header.plan.cells]
    return all(
        not each.reads and (each.flushes_each or (each.writes and each.sync is Sync.DSYNC)) for each in workloads
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
        if not target.direct and span <= memory and (which := _completed_in_memory(case)):
            yield _fits_memory(span, memory, which)
            return
    for targets, used, below in _spans_on_devices(header):
        if target.direct and below and used < SPAN_SHARE_MIN * below:
            yield _small_share(targets, used, below)
            return


def _completed_in_memory(case: Case) -> str:
    """The operations that the page cache probably completed; empty if there are none."""
    if _all_durable(case):
        return ""
    is_read = any(each.workload.reads for each in case.run.header.plan.cells)
    return "reads were probably served from memory" if is_read else "writes probably completed in memory"


def _fits_memory(span: int, memory: int, which: str) -> Finding:
    return Finding(
        id="span-fits-cache",
        severity=Severity.INVALID,
        confidence=Confidence.LIKELY,
        statement=(
            f"The test region ({format_size(span)}) fits in the available memory ({format_size(memory)}), and I/O went "
            f"through the page cache. Most {which}."
        ),
        evidence=(("test region", format_size(span)), ("memory", format_size(memory))),
        advice="Use direct I/O, or a test region at least twice the size of the host's RAM.",
        deciding_test=f"Run again with --size {format_size(2 * memory).replace(' ', '')}.",
    )


def _spans_on_devices(header: RunHeader) -> Iterator[tuple[int, int, int]]:
    """For each device (or file system, if unknown): its number of targets, the sum of their test regions, its size."""
    used: dict[str, list[int]] = {}
    for target in header.targets:
        system, device = target.file_system, target.device
        size = (device.size_bytes if device else 0) or (system.size_bytes if system else 0)
        name = device.name if device else (system.mount_point if system else "")
        sums = used.setdefault(name, [0, 0, size])
        sums[0] += 1
        sums[1] += target.span_bytes
    for targets, span, size in used.values():
        yield targets, span, size


def _small_share(targets: int, span: int, below: int) -> Finding:
    """The finding about a test region that is a small part of the device or file system."""
    share = 100 * span / below
    each = below * SPAN_SHARE_MIN / targets
    unit = next((unit for unit in (2**30, 2**20) if each >= 10 * unit), 1)
    wider = exact_size(ceil(each / unit) * unit).replace(" ", "")
    return Finding(
        id="span-fits-cache",
        severity=Severity.NOTE,
        confidence=Confidence.POSSIBLE,
        statement=(
            f"The test region ({format_size(span)}) is {share:.2g} % of the device or file system "
            f"({format_size(below)}). It may fit entirely in the drive's DRAM or SLC cache, or in hypervisor memory."
        ),
        evidence=(("test region", format_size(span)), ("device or file system", format_size(below))),
        advice="The results apply to a working set of this size, not to the entire drive.",
        deciding_test=f"Run again with --size {wider}. If throughput is lower, a cache probably served part of the "
        "I/O in this run. On a hard disk, longer seeks are another possible cause.",
    )


def content_unknown(case: Case) -> Iterator[Finding]:
    """Another program wrote the file."""
    if case.run.header.target.written == "data":
        yield Finding(
            id="content-unknown",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement=(
                "iosonde did not write this file. The file system reports no holes, but it is unknown how "
                "compressible the data is and whether it was read recently."
            ),
            evidence=(("written by", "another program"),),
            advice=(
                "To measure with incompressible data, specify a directory as the target. iosonde then lays out a new "
                "file in it."
            ),
            deciding_test="Run these cells again on a file laid out by iosonde.",
        )


def written_unknown(case: Case) -> Iterator[Finding]:
    """The write history of a device that is only read is unknown: its blocks may never have been written."""
    devices = tuple(
        target.path for target in case.run.header.targets if target.kind == "device" and target.written == "unknown"
    )
    if devices:
        yield Finding(
            id="written-unknown",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.POSSIBLE,
            statement=(
                f"The write history of {name_some(devices)} is unknown. SSDs complete reads of trimmed or "
                "never-written blocks without accessing the flash, so these reads are faster than other reads."
            ),
            evidence=tuple(("read only", path) for path in devices),
            advice=(
                "The read results are valid only if the entire test region has been written. On a new drive, all "
                "blocks are unwritten."
            ),
            deciding_test=(
                "Create a file system on the device, which erases its data. Then run the same cells on a file laid out "
                "by iosonde."
            ),
        )


def reads_after_purge(case: Case) -> Iterator[Finding]:
    """Cells read a purged target that was not preconditioned: blocks that were not written yet."""
    purged = tuple(target.path for target in case.run.header.targets if target.written == "purged")
    reading = tuple(dict.fromkeys(record.cell for record in _reads_of_unwritten(case.run)))
    if purged and reading:
        yield Finding(
            id="reads-after-purge",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.POSSIBLE,
            statement=(
                f"{name_some(purged)} was purged and not preconditioned, and {name_some(reading)} read it. Drives "
                "complete reads of blocks that have not been written since the purge without accessing the media."
            ),
            evidence=(("cells that read", name_some(reading)),),
            advice="Read results apply only to blocks that earlier cells had written.",
            deciding_test='Run the same cells with precondition = "once".',
            cells=reading,
        )


def _reads_of_unwritten(run: RunRecord) -> Iterator[CellRecord]:
    """The trials that read before as much was written as the test region has, since the purge of their procedure."""
    written_bytes: Counter[tuple[str | None, int]] = Counter()
    turns = {turn.order: (turn.procedure, turn.attempt) for turn in run.turns}
    for record in run.cells:
        begun = turns.get(record.order, (None, 1))
        is_written = begun[0] is not None and written_bytes[begun] >= run.header.plan.span_bytes
        if record.workload.read_percent and not is_written:
            yield record
        writes = record.operations.get(Operation.WRITE)
        written_bytes[begun] += 0 if writes is None else writes.bytes


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
            f"{count_of(len(emptied), 'cell')} read from a target with trimmed blocks ({name_some(emptied)}). Reads "
            "of trimmed blocks that were not rewritten do not access the media."
        ),
        evidence=(("cells that trim", name_some(names)), ("cells that read during or after trims", name_some(emptied))),
        advice="Use read results from a run without trims, or rewrite the entire target after trimming.",
        deciding_test="Run these cells in a campaign without trims. If reads are slower there, this run probably read "
        "trimmed blocks.",
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
                    "device, not several."
                ),
                evidence=tuple(
                    (target.path, name) for target in targets if target.device and target.device.name == name
                ),
                advice=(
                    "Interpret totals as the throughput of several targets on one device. To measure several devices, "
                    "specify targets on separate devices."
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
    uneven.sort(key=lambda each: each[1][1])
    worst, (slowest, share) = uneven[0]
    paths = [target.path for target in case.run.targets]
    yield Finding(
        id="targets-uneven",
        severity=Severity.NOTE,
        confidence=Confidence.CERTAIN,
        statement=(
            f"Throughput differed between targets in {case.trials(len(uneven))} ({name_some(cells)}). In "
            f"{worst.cell}, {paths[slowest]} achieved {format_percent(share)} of the IOPS of the fastest target. "
            "Latency results combine all targets, so a slow target increases tail latency."
        ),
        evidence=tuple(
            (f"{record.cell}, {trial_name(record)}", f"{paths[target]} {format_percent(share)}")
            for record, (target, share) in uneven[:10]
        ),
        advice="Before you use the totals, check the throughput of each target.",
        deciding_test="Measure each target separately. If the slow one is still slow, the others are not the cause.",
        cells=cells,
    )


def _lowest_share(record: CellRecord) -> tuple[int, float]:
    """The slowest target, and its operations as a share of those of the fastest."""
    counts = [sum(totals.count for totals in share.operations.values()) for share in record.targets]
    if len(counts) < 2 or not max(counts):  # noqa: PLR2004 - one target has nothing to compare with
        return 0, 1.0
    slowest = min(range(len(counts)), key=counts.__getitem__)
    return slowest, counts[slowest] / max(counts)
