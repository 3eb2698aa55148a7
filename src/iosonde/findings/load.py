"""Rules about the load: whether a cell achieved its queue depth or arrival rate, and whether its latency fits."""

from collections.abc import Iterator, Sequence
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.depth import DEPTH_SHARE_INVALID, depth_share
from iosonde.analysis.histogram import TAIL_PERCENT
from iosonde.analysis.littles_law import LittlesLaw, littles_law
from iosonde.analysis.queue_rounds import WARM_ROUNDS_MIN, QueueRounds, queue_rounds
from iosonde.findings.case import Case, count_of, distinct, of_trial, trial_name
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import CellRecord, Engine
from iosonde.units import format_duration, format_iops, format_latency, format_percent

# Even a queue that is refilled at once is never completely full. Below this share it is not the requested depth.
DEPTH_SHARE_DOUBTFUL = 0.90
RESIDUAL_SHARE_MAX: Final = 0.02
"""Allowed in addition to what the edges of the measurement explain. The engine reads the clock once per batch of
completions, and on healthy hosts the rest is below 0.5 %. A bound of 2 % is well above that, and too small to change a
conclusion."""

# A late engine that adds more than a tenth changes the first digits of the result.
OWN_LAG_SHARE_MAX = 0.10


EVIDENCE_MAX: Final = 10

COLD_SHARE_DOUBTFUL: Final = 0.01
COLD_SHARE_INVALID: Final = 0.10
"""The share by which the start of an empty queue can falsify throughput and mean latency. 1 % is what confidence
intervals of a careful run can resolve, 10 % decides between drives."""

OPERATIONS_MIN: Final = 10
"""With fewer operations in a repeat, one operation more or less changes throughput by more than 10 %."""


def depth_not_reached(case: Case) -> Iterator[Finding]:
    """Fewer operations were in flight than requested."""
    if case.run.header.target.kind == "null":
        return  # An operation that completes at once is never in flight.
    short = [(cell, share) for cell in case.estimates.cells if (share := _depth_share(cell)) < DEPTH_SHARE_DOUBTFUL]
    if short:
        short.sort(key=lambda each: each[1])
        cell, share = short[0]
        achieved = share * cell.queue_depth_asked
        yield Finding(
            id="depth-not-reached",
            severity=Severity.INVALID if share < DEPTH_SHARE_INVALID else Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=(
                f"{count_of(len(short), 'cell')} did not reach the requested queue depth. {cell.cell} achieved a queue "
                f"depth of {achieved:.1f} instead of {cell.queue_depth_asked}{_waiting(cell)}. Its results apply to "
                "the achieved queue depth."
            ),
            evidence=tuple(
                (each.cell, f"{part * each.queue_depth_asked:.1f} of {each.queue_depth_asked}") for each, part in short
            ),
            advice=(
                "These results are valid only for the achieved queue depth."
                if case.is_simulated
                else "Check the CPU load. These results are valid only for the achieved queue depth."
            ),
            deciding_test="" if case.is_simulated else f"Run the cell again with {_deeper(case, cell)}.",
            cells=tuple(each.cell for each, _ in short),
        )


def cold_queue(case: Case) -> Iterator[Finding]:
    """The warm-up was so short that the measurement includes the time in which the queue filled."""
    if case.run.header.target.kind == "null":
        return
    worst: dict[str, tuple[CellRecord, QueueRounds]] = {}
    for record in case.used:
        rounds = queue_rounds(record)
        if rounds is not None and rounds.bias_share > COLD_SHARE_DOUBTFUL:
            before = worst.get(record.cell)
            if before is None or rounds.bias_share > before[1].bias_share:
                worst[record.cell] = record, rounds
    invalid = [each for each in worst.values() if each[1].bias_share > COLD_SHARE_INVALID]
    doubtful = [each for each in worst.values() if each[1].bias_share <= COLD_SHARE_INVALID]
    for severity, found in ((Severity.INVALID, invalid), (Severity.DOUBTFUL, doubtful)):
        if found:
            yield _cold_queue(severity, found)


def _cold_queue(severity: Severity, found: Sequence[tuple[CellRecord, QueueRounds]]) -> Finding:
    """The finding on cells, each with its worst repeat."""
    found = sorted(found, key=lambda each: -each[1].bias_share)
    record, rounds = found[0]
    needed_ns = max(WARM_ROUNDS_MIN * each.measured_ns / own.rounds for each, own in found)
    return Finding(
        id="cold-queue",
        severity=severity,
        confidence=Confidence.CERTAIN,
        statement=(
            f"In {count_of(len(found), 'cell')}, the warm-up was too short for the queue depth. In {record.cell} "
            f"(queue depth {rounds.depth}, warm-up {format_duration(record.timing.warmup_ns)}), only "
            f"{count_of(rounds.operations, 'operation')} completed during the measurement. Throughput and mean latency "
            f"can be too low by up to {format_percent(rounds.bias_share)}."
        ),
        evidence=tuple(
            (each.cell, f"too low by up to {format_percent(own.bias_share)}") for each, own in found[:EVIDENCE_MAX]
        ),
        advice="Do not compare these results with those of other runs. Use a warm-up of more than twice the mean "
        "latency.",
        deciding_test=f"Run again with a warm-up of at least {format_duration(needed_ns)}.",
        cells=tuple(each.cell for each, _ in found),
    )


def too_few_operations(case: Case) -> Iterator[Finding]:
    """So few operations completed in a repeat that a single one changes the result."""
    least: dict[str, tuple[CellRecord, int]] = {}
    for record in case.used:
        found = queue_rounds(record)
        if found is not None and found.operations < least.get(record.cell, (record, OPERATIONS_MIN))[1]:
            least[record.cell] = record, found.operations
    if not least:
        return
    worst_first = sorted(least.values(), key=lambda each: each[1])
    record, operations = worst_first[0]
    longer_ns = record.measured_ns * OPERATIONS_MIN / operations
    yield Finding(
        id="too-few-operations",
        severity=Severity.DOUBTFUL,
        confidence=Confidence.CERTAIN,
        statement=(
            f"In {count_of(len(least), 'cell')}, fewer than {OPERATIONS_MIN} operations completed in a trial. In "
            f"{record.cell}, {trial_name(record)}, only {count_of(operations, 'operation')} completed. One "
            "operation more or less would change throughput by more than 10 %."
        ),
        evidence=tuple(
            (each.cell, f"{trial_name(each)}: {count_of(number, 'operation')}")
            for each, number in worst_first[:EVIDENCE_MAX]
        ),
        advice="Do not rely on the results of these cells, even if their confidence intervals are narrow.",
        deciding_test=f"Run the cell again with a measurement time of at least {format_duration(longer_ns)}.",
        cells=tuple(least),
    )


def _deeper(case: Case, cell: CellEstimate) -> str:
    """A configuration that keeps more operations in flight than the one measured."""
    engines = {own.engine for record in case.run.cells if record.cell == cell.cell and (own := record.own_engine)}
    return "more CPUs, or with more jobs at a lower queue depth" if Engine.IO_URING in engines else "--engine io_uring"


def _waiting(cell: CellEstimate) -> str:
    """The completed operations that waited to be reaped, if they are most of what was missing at the device."""
    host, device = cell.queue_depth_achieved, cell.queue_depth_device
    if host is None or device is None or cell.queue_depth_asked - host.mean > host.mean - device.mean:
        return ""
    waiting = f"{host.mean - device.mean:.1f}"
    return f" at the device. On average, {waiting} more operations had completed and were waiting to be reaped"


def _depth_share(cell: CellEstimate) -> float:
    share = depth_share(cell.workload, cell.queue_depth_kept)
    return 1.0 if share is None else share


def littles_law_off(case: Case) -> Iterator[Finding]:
    """IOPS times mean latency differs from the number in flight, and the edges do not explain the difference."""
    if case.run.header.target.kind == "null":
        return  # An operation that completes at once is never in flight.
    off = [(record, law) for record in case.run.cells if (law := littles_law(record)) is not None and beyond_edges(law)]
    if not off:
        return
    off.sort(key=lambda each: -beyond_edges(each[1]))
    worst, law = off[0]
    yield Finding(
        id="littles-law-off",
        severity=Severity.INVALID,
        confidence=Confidence.CERTAIN,
        statement=(
            f"In {case.trials(len(off))}, IOPS, latency and queue depth are inconsistent. In {worst.cell}, "
            f"{trial_name(worst)}, IOPS × mean latency is {law.queue_depth_by_latency:.2f}, but the measured mean "
            f"queue depth is {law.queue_depth_achieved:.2f} "
            f"({format_percent(law.residual_share, 1, signed=True)}). Operations that started before or ended after "
            "the measurement can only account for a difference of "
            f"{format_percent(law.edge_share_low, 1, signed=True)} to "
            f"{format_percent(law.edge_share_high, 1, signed=True)}."
        ),
        evidence=tuple(_law_evidence(record, law) for record, law in off[:10]),
        advice="Do not use these values for the affected cells. Check for clock jumps, and report this as a bug.",
        deciding_test="Run the cell again on another host, or with --engine fio.",
        cells=distinct(record.cell for record, _ in off),
    )


def beyond_edges(law: LittlesLaw) -> float:
    """The part of the residual that neither the edges nor the clock explain; 0 if they explain all of it."""
    above = law.residual_share - law.edge_share_high
    below = law.edge_share_low - law.residual_share
    return max(above - RESIDUAL_SHARE_MAX, below - RESIDUAL_SHARE_MAX, 0.0)


def _law_evidence(record: CellRecord, law: LittlesLaw) -> tuple[str, str]:
    by_latency = f"IOPS × mean latency {law.queue_depth_by_latency:.2f}"
    return of_trial(record, f"{by_latency}, measured queue depth {law.queue_depth_achieved:.2f}")


def saturated(case: Case) -> Iterator[Finding]:
    """The target or the host did not sustain the arrival rate."""
    behind = [cell for cell in case.estimates.cells if cell.pace is not None and cell.pace.saturated]
    if not behind:
        return
    behind.sort(key=lambda cell: cell.pace.share if cell.pace else 1.0)
    worst = behind[0]
    pace = worst.pace
    assert pace is not None
    waited = (
        ""
        if pace.waiting_ns_max is None
        else f" and was {format_latency(pace.waiting_ns_max)} behind schedule at the end"
    )
    yield Finding(
        id="saturated",
        severity=Severity.INVALID,
        confidence=Confidence.CERTAIN,
        statement=(
            f"{count_of(len(behind), 'cell')} did not sustain the arrival rate. {worst.cell} completed "
            f"{format_iops(pace.achieved_per_s.mean)} of {format_iops(pace.asked_per_s)} operations per second"
            f"{waited}. The achieved throughput is valid. Response time is not valid because it increases with the "
            "measurement time and excludes operations still waiting at the end. Latency percentiles are not reported. "
            "The mean and maximum are lower bounds."
        ),
        evidence=tuple(_rate_evidence(cell) for cell in behind[:10]),
        advice=(
            "Treat the achieved throughput as the limit at this queue depth. Measure latency at a rate well below this "
            "limit."
        ),
        deciding_test="Run the cell again with an arrival rate of 80 % of the achieved throughput.",
        cells=tuple(cell.cell for cell in behind),
    )


def _rate_evidence(cell: CellEstimate) -> tuple[str, str]:
    pace = cell.pace
    assert pace is not None
    waiting = "" if pace.waiting is None else f", about {pace.waiting:,} operations waiting at the end"
    return cell.cell, f"{format_percent(pace.share, 1)} of the arrival rate achieved{waiting}"


def submitted_late(case: Case) -> Iterator[Finding]:
    """The engine's own lag is a considerable part of the response time."""
    if not case.run.header.target.is_storage:
        return  # In virtual time nothing is late, and on the null target the lag is all there is to measure.
    late = [(cell, share) for cell in case.estimates.cells if (share := _own_share(cell)) > OWN_LAG_SHARE_MAX]
    if not late:
        return
    late.sort(key=lambda each: -each[1])
    worst, _ = late[0]
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
            f"In {count_of(len(late), 'cell')}, the engine submitted operations late even though the queue had free "
            f"slots. In {worst.cell}, the engine's p99 lag is {format_latency(own_ns)} and the p99 response time is "
            f"{format_latency(response_ns)}. This lag is caused by the host, not the target."
        ),
        evidence=tuple((cell.cell, f"{format_percent(part)} of the p99 response time") for cell, part in late[:10]),
        advice=(
            "Compare service time with response time. Stop other workloads on the host, and allow the run to use "
            "more CPUs."
        ),
        deciding_test="Run the cell again on an idle host, or at a lower arrival rate.",
        cells=tuple(cell.cell for cell, _ in late),
    )


def _own_share(cell: CellEstimate) -> float:
    figures = cell.subject
    if figures is None or figures.host_lag is None:
        return 0.0
    own_ns, response_ns = figures.host_lag.percentile(TAIL_PERCENT), figures.percentile(TAIL_PERCENT).value_ns
    return own_ns / response_ns if own_ns is not None and response_ns else 0.0
