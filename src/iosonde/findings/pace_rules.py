"""Rules about open loops: did the target keep the rate, and did the engine submit in time."""

from collections.abc import Iterator

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.histogram import TAIL_PERCENT
from iosonde.findings.case import Case, count_of
from iosonde.findings.model import Confidence, Finding, Severity
from iosonde.units import format_iops, format_latency

# A tenth of what is measured: what an engine that is late adds to it can then be read off the second digit.
OWN_LAG_SHARE_MAX = 0.10


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
        evidence=tuple(_evidence(cell) for cell in behind[:10]),
        advice="Take the rate achieved for the limit at this depth, and read latencies at a rate well below it.",
        deciding_test="The same cell at four fifths of the rate achieved.",
        cells=tuple(cell.cell for cell in behind),
    )


def _evidence(cell: CellEstimate) -> tuple[str, str]:
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


PACE_RULES = (saturated, submitted_late)
