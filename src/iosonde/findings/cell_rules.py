"""Rules about single cells: did they give what was asked, and what stood in the way."""

from collections.abc import Iterator

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.depth import DEPTH_SHARE_INVALID, depth_share
from iosonde.analysis.states import failed_repeats, has_steal, steal_share
from iosonde.findings.case import Case, count_of, distinct, name_some
from iosonde.findings.model import Confidence, Finding, Severity
from iosonde.records import Engine, FaultKind

# A queue that is filled again at once is never quite full; below this it is not what was asked.
DEPTH_SHARE_DOUBTFUL = 0.90
# Half the 95 % interval against the mean: beyond this, two runs may rank two drives the other way round.
SPREAD_MAX = 0.10


def cell_failed(case: Case) -> Iterator[Finding]:
    """A cell did not give what was asked."""
    failed = failed_repeats(case.run.cells)
    if failed:
        cells = distinct(record.cell for record in failed)
        reasons = distinct(record.failure.message for record in failed if record.failure is not None)
        yield Finding(
            id="cell-failed",
            severity=Severity.INVALID,
            confidence=Confidence.CERTAIN,
            statement=(
                f"{count_of(len(failed), 'measurement')} failed in {name_some(cells)}: "
                f"{reasons[0] if reasons else 'no reason was given'}. Failed measurements are left out of every figure."
            ),
            evidence=tuple((record.cell, record.failure.message) for record in failed[:10] if record.failure),
            advice="Mend the cause and run again; the other cells stand.",
            deciding_test="",
            cells=cells,
        )


def io_errors(case: Case) -> Iterator[Finding]:
    """Operations went wrong, though the cell went on."""
    faulty = [
        (record, fault) for record in case.run.cells for fault in record.faults if fault.kind is not FaultKind.RETRY
    ]
    if faulty:
        number = sum(fault.count for _, fault in faulty)
        cells = distinct(record.cell for record, _ in faulty)
        kinds = distinct(fault.errno_name or "short transfer" for _, fault in faulty)
        offset = faulty[0][1].offset_bytes_first
        where = "" if offset is None else f", the first at offset {offset}"
        yield Finding(
            id="io-errors",
            severity=Severity.INVALID,
            confidence=Confidence.CERTAIN,
            statement=(
                f"{count_of(number, 'operation')} went wrong ({', '.join(kinds)}){where}: they are in no figure, and a "
                "device that fails is not the device that works."
            ),
            evidence=tuple(
                (record.cell, f"{fault.count} x {fault.operation} {fault.errno_name or 'short'}")
                for record, fault in faulty[:10]
            ),
            advice=(
                "Look at the faults of the model: nothing else makes a simulated drive fail."
                if case.is_simulated
                else "Look at the kernel's log (dmesg) and the device's health before anything else."
            ),
            deciding_test=(
                "" if case.is_simulated else "Reading the named offset with dd, and the device's own self-test."
            ),
            cells=cells,
        )


def depth_not_reached(case: Case) -> Iterator[Finding]:
    """Less was in flight than was asked."""
    if case.run.header.target.kind == "null":
        return  # What completes at once is never in flight.
    short = [(cell, share) for cell in case.estimates.cells if (share := _depth_share(cell)) < DEPTH_SHARE_DOUBTFUL]
    if short:
        cell, share = min(short, key=lambda each: each[1])
        achieved = share * cell.queue_depth_asked
        yield Finding(
            id="depth-not-reached",
            severity=Severity.INVALID if share < DEPTH_SHARE_INVALID else Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=(
                f"{count_of(len(short), 'cell')} had fewer operations in flight than asked: {cell.cell} kept "
                f"{achieved:.1f} of {cell.queue_depth_asked}{_waiting(cell)}. Its figures belong to that depth."
            ),
            evidence=tuple(
                (each.cell, f"{part * each.queue_depth_asked:.1f} of {each.queue_depth_asked}") for each, part in short
            ),
            advice=(
                "Read these cells at the depth achieved."
                if case.is_simulated
                else "Read these cells at the depth achieved; look for a busy CPU first."
            ),
            deciding_test="" if case.is_simulated else f"The same cell with {_other_way(case, cell)}.",
            cells=tuple(each.cell for each, _ in short),
        )


def _other_way(case: Case, cell: CellEstimate) -> str:
    """What keeps more in flight than the way in which a cell was measured."""
    engines = {own.engine for record in case.run.cells if record.cell == cell.cell and (own := record.own_engine)}
    return "more CPUs, or more jobs of a lower depth" if Engine.IO_URING in engines else "--engine io_uring"


def _waiting(cell: CellEstimate) -> str:
    """What had completed and waited for the engine, where that is most of what was missing at the device."""
    host, device = cell.queue_depth_achieved, cell.queue_depth_device
    if host is None or device is None or cell.queue_depth_asked - host.mean > host.mean - device.mean:
        return ""
    return f" at the device, and {host.mean - device.mean:.1f} had completed and waited for the engine"


def _depth_share(cell: CellEstimate) -> float:
    share = depth_share(cell.workload, cell.queue_depth_kept)
    return 1.0 if share is None else share


def repeats_differ(case: Case) -> Iterator[Finding]:
    """The repeats of a cell differ so much that its mean is known to no better than a tenth."""
    if case.run.header.plan.aim is not None and case.run.finished:
        return  # What was asked for is told instead, by another rule.
    wide: list[tuple[CellEstimate, float]] = []
    for cell in case.estimates.cells:
        # How many operations come of those that are wanted at random is chance, and nothing of the target's.
        if cell.subject is not None and not cell.workload.is_open_loop:
            half = cell.subject.iops.half_width
            if half is not None and half / cell.subject.iops.mean > SPREAD_MAX:
                wide.append((cell, half / cell.subject.iops.mean))
    if wide:
        wide.sort(key=lambda each: -each[1])
        cell, spread = wide[0]
        how = "without --quick " if case.run.header.plan.quick else ""
        yield Finding(
            id="repeats-differ",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement=(
                f"{count_of(len(wide), 'cell')} of {len(case.estimates.cells)} can't be told within ±{SPREAD_MAX:.0%} "
                f"from their repeats; the widest is {cell.cell} with ±{spread:.0%} of its throughput."
            ),
            evidence=tuple((each.cell, f"±{part:.0%}") for each, part in wide[:10]),
            advice="Use these figures with their intervals, which hold; to narrow them, "
            f"{'' if case.is_simulated else 'let nothing else run and '}measure longer.",
            deciding_test=f"The same run {how}{'with longer cells' if case.is_simulated else 'on an idle host'}.",
            cells=tuple(each.cell for each, _ in wide),
        )


def steal(case: Case) -> Iterator[Finding]:
    """A hypervisor gave CPU time to others, and figures rest on what was measured meanwhile."""
    robbed = [record for record in case.used if has_steal(record)]
    if robbed:
        worst = max(robbed, key=steal_share)
        yield Finding(
            id="steal",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.LIKELY,
            statement=(
                f"The hypervisor gave CPU time to others, up to {steal_share(worst):.1%} of what the workers had "
                f"({count_of(len(robbed), 'measurement')}): latency then holds waits that are not the target's."
            ),
            evidence=tuple((record.cell, f"{steal_share(record):.1%}") for record in robbed[:10]),
            advice="Distrust the tail of these cells first.",
            deciding_test="The same run at a quieter time.",
            cells=distinct(record.cell for record in robbed),
        )


def intervals_merged(case: Case) -> Iterator[Finding]:
    """The front did not keep up, and intervals were added together."""
    merged = case.records_where(lambda record: record.intervals_merged > 0)
    if merged:
        number = sum(record.intervals_merged for record in merged)
        yield Finding(
            id="intervals-merged",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement=(
                f"{count_of(number, 'interval')} had to be added to their neighbours because nobody took them in time: "
                "totals are whole, series are coarser."
            ),
            evidence=tuple((record.cell, str(record.intervals_merged)) for record in merged[:10]),
            advice="Nothing to do for totals; keep the host idle for finer series.",
            deciding_test="",
            cells=distinct(record.cell for record in merged),
        )


CELL_RULES = (
    cell_failed,
    io_errors,
    depth_not_reached,
    repeats_differ,
    steal,
    intervals_merged,
)
