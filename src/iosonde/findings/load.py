"""Rules about the load: did a cell reach its queue depth or its rate, and does that fit its latency."""

from collections.abc import Iterator
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.depth import DEPTH_SHARE_INVALID, depth_share
from iosonde.analysis.histogram import TAIL_PERCENT
from iosonde.analysis.littles_law import LittlesLaw, littles_law
from iosonde.findings.case import Case, count_of, distinct
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import CellRecord, Engine
from iosonde.units import format_iops, format_latency

# A queue that is filled again at once is never quite full; below this it is not what was asked.
DEPTH_SHARE_DOUBTFUL = 0.90
RESIDUAL_SHARE_MAX: Final = 0.02
"""Beyond what the window's edges explain. The engine looks at the clock once for each batch of completions, and on
sound hosts the rest is below half a percent; two are far from that, and small against any conclusion."""

# A tenth of what is measured: what an engine that is late adds to it can then be read off the second digit.
OWN_LAG_SHARE_MAX = 0.10


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


def littles_law_off(case: Case) -> Iterator[Finding]:
    """Rate times latency is not what was in flight, and the edges of the window do not explain it."""
    if case.run.header.target.kind == "null":
        return  # What completes at once is never in flight.
    off = [(record, law) for record in case.run.cells if (law := littles_law(record)) is not None and beyond_edges(law)]
    if not off:
        return
    worst, law = max(off, key=lambda each: beyond_edges(each[1]))
    yield Finding(
        id="littles-law-off",
        severity=Severity.INVALID,
        confidence=Confidence.CERTAIN,
        statement=(
            f"In {count_of(len(off), 'measurement')} rate, latency and depth can't all be right: in {worst.cell}, "
            f"repeat {worst.repeat}, rate times mean latency is {law.queue_depth_by_latency:.2f}, and "
            f"{law.queue_depth_achieved:.2f} were in flight ({law.residual_share:+.1%}). Operations that the window "
            f"cuts explain {law.edge_share_low:+.1%} to {law.edge_share_high:+.1%}."
        ),
        evidence=tuple(_law_evidence(record, law) for record, law in off[:10]),
        advice="Believe none of the three in these cells; look for a clock that jumps, and report it.",
        deciding_test="The same cell on another host, or with --engine fio.",
        cells=distinct(record.cell for record, _ in off),
    )


def beyond_edges(law: LittlesLaw) -> float:
    """By how much the residual lies beyond what the edges and the clock explain; 0 where it does not."""
    above = law.residual_share - law.edge_share_high
    below = law.edge_share_low - law.residual_share
    return max(above - RESIDUAL_SHARE_MAX, below - RESIDUAL_SHARE_MAX, 0.0)


def _law_evidence(record: CellRecord, law: LittlesLaw) -> tuple[str, str]:
    return record.cell, f"{law.queue_depth_by_latency:.2f} by latency, {law.queue_depth_achieved:.2f} in flight"


def saturated(case: Case) -> Iterator[Finding]:
    """More was asked for than could be given."""
    behind = [cell for cell in case.estimates.cells if cell.pace is not None and cell.pace.saturated]
    if not behind:
        return
    worst = min(behind, key=lambda cell: cell.pace.share if cell.pace else 1.0)
    pace = worst.pace
    assert pace is not None
    waited = "" if pace.waiting_ns_max is None else f", {format_latency(pace.waiting_ns_max)} behind at its end"
    yield Finding(
        id="saturated",
        severity=Severity.INVALID,
        confidence=Confidence.CERTAIN,
        statement=(
            f"{count_of(len(behind), 'cell')} could not keep the rate asked for: {worst.cell} gave "
            f"{format_iops(pace.achieved_per_s.mean)} of {format_iops(pace.asked_per_s)} operations a second"
            f"{waited}. The rate achieved is a result. What still waited at the end is in no latency, and what came "
            "through in time is: response latency grows for as long as one measures. Its percentiles are withheld, and "
            "its mean and maximum are lower bounds."
        ),
        evidence=tuple(_rate_evidence(cell) for cell in behind[:10]),
        advice="Take the rate achieved for the limit at this depth, and read latencies at a rate well below it.",
        deciding_test="The same cell at four fifths of the rate achieved.",
        cells=tuple(cell.cell for cell in behind),
    )


def _rate_evidence(cell: CellEstimate) -> tuple[str, str]:
    pace = cell.pace
    assert pace is not None
    about = "" if pace.waiting is None else f", about {pace.waiting:,} waiting at the end"
    return cell.cell, f"{pace.share:.1%} of the rate{about}"


def submitted_late(case: Case) -> Iterator[Finding]:
    """The engine itself was so late that it is a good part of the response latency."""
    if not case.run.header.target.is_storage:
        return  # In virtual time nothing is late, and on the null target there is nothing else to be measured.
    late = [(cell, share) for cell in case.estimates.cells if (share := _own_share(cell)) > OWN_LAG_SHARE_MAX]
    if not late:
        return
    worst, _ = max(late, key=lambda each: each[1])
    figures = worst.subject
    assert figures is not None
    own_ns = None if figures.host_lag is None else figures.host_lag.percentile(TAIL_PERCENT)
    response_ns = figures.percentile(TAIL_PERCENT).value_ns
    assert own_ns is not None
    assert response_ns is not None
    yield Finding(
        id="submitted-late",
        severity=Severity.DOUBTFUL,
        confidence=Confidence.LIKELY,
        statement=(
            f"In {count_of(len(late), 'cell')} the engine submitted late though the queue had room: in {worst.cell} "
            f"the p99 of its own lag is {format_latency(own_ns)}, and the p99 response {format_latency(response_ns)}. "
            "That part of the latency is this host's and not the target's."
        ),
        evidence=tuple((cell.cell, f"{part:.0%} of the p99 response") for cell, part in late[:10]),
        advice="Read the service latency beside the response; let nothing else run on the host, and give it more CPUs.",
        deciding_test="The same cell on an idle host, or with a lower rate.",
        cells=tuple(cell.cell for cell, _ in late),
    )


def _own_share(cell: CellEstimate) -> float:
    figures = cell.subject
    if figures is None or figures.host_lag is None:
        return 0.0
    own_ns, response_ns = figures.host_lag.percentile(TAIL_PERCENT), figures.percentile(TAIL_PERCENT).value_ns
    return own_ns / response_ns if own_ns is not None and response_ns else 0.0
