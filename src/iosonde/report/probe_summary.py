"""The terminal summary of a probe: one workload, as with a one-line fio command."""

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.histogram import PERCENTS, percent_label
from iosonde.analysis.missing_reasons import ENGINE_UNKNOWING, FEW_BEYOND, NO_DATA_MOVED, why_no_percentile
from iosonde.analysis.pace import SATURATED
from iosonde.analysis.run import RunAnalysis
from iosonde.charts.quantities import NEAR_DEPTH
from iosonde.findings.finding import Finding, Severity, invalid_by
from iosonde.records import CellRecord, EngineFacts, FioFacts, ImportFacts, LatencyKind, Operation, RunRecord
from iosonde.report.brand import brands_of
from iosonde.report.dashes import Dash, explained
from iosonde.report.engine_facts import import_text
from iosonde.report.pace_table import behind_text
from iosonde.report.result_tables import AT_LEAST
from iosonde.report.target_words import span_text, targets_text
from iosonde.report.terminal.brands import brand_text
from iosonde.report.validity import MARK, see
from iosonde.report.verification import verification_lines
from iosonde.units import format_bandwidth, format_duration, format_iops, format_latency
from iosonde.vocabulary import Poll

_STYLES = {Severity.INVALID: "bold red", Severity.DOUBTFUL: "yellow", Severity.NOTE: "cyan"}


def render_probe(analysis: RunAnalysis, findings: Sequence[Finding]) -> RenderableType:
    """The results of one workload by class of operations, with its brands, conditions and findings."""
    run, estimates = analysis.run, analysis.estimates.cells[0]
    brands = [brand_text(each) for each in brands_of(run)]
    parts: list[RenderableType] = [_head(run), *brands, _circumstances(run, estimates)]
    parts.extend(_pace(estimates))
    invalid = invalid_by(findings, estimates.cell)
    if invalid:
        parts.append(Text(f" {MARK}  {see(invalid)}. Do not use these results.", style="bold red"))
    if estimates.operations:
        parts.extend(_figures(estimates, "strike red" if invalid else ""))
    if any(figures.saturated for figures in estimates.operations.values()):
        parts.append(Text(SATURATED, style="dim"))
    parts.extend(Text(line) for line in verification_lines(run.cells[0].verification))
    parts.extend(_finding(finding) for finding in findings if finding.severity is not Severity.NOTE)
    notes = [finding.id for finding in findings if finding.severity is Severity.NOTE]
    if notes:
        parts.append(Text(f"notes (details with --json): {', '.join(notes)}", style="dim"))
    return Group(*parts)


def _head(run: RunRecord) -> Text:
    plan = run.header.plan
    cell = plan.cells[0]
    head = Text()
    head.append(cell.cell, style="bold")
    where = f"{_plain(targets_text(run.header))} ({span_text(run.header)})"
    head.append(f" on {where}, {format_duration(cell.timing.measure_ns)}, seed {plan.seed}")
    return head


def _circumstances(run: RunRecord, cell: CellEstimate) -> Text:
    record = run.cells[0]
    achieved = cell.queue_depth_achieved
    words = _engine_words(run, record)
    if not run.header.is_simulated:
        words.append("direct" if run.header.target.direct else "buffered")
    if achieved is not None:
        of = "of at most" if cell.workload.is_open_loop else "of"
        words.append(f"queue depth {achieved.mean:.2f} {of} {cell.queue_depth_asked}")
    device = cell.queue_depth_device
    if achieved is not None and device is not None and device.mean < (1 - NEAR_DEPTH) * achieved.mean:
        words.append(f"{device.mean:.2f} at the device")
    # In an open loop the engine waits for arrivals in a busy loop, so CPU time per operation means nothing.
    if cell.cpu_ns_per_io is not None and not cell.workload.is_open_loop:
        words.append(f"engine CPU {format_latency(cell.cpu_ns_per_io.mean)} per operation")
    if record.censored is not None and record.censored.count:
        words.append(f"{record.censored.count} in flight at the end")
    return Text(", ".join(words), style="dim")


def _engine_words(run: RunRecord, record: CellRecord) -> list[str]:
    """The engine that measured, and its completion mode if it is IOPOLL or SQPOLL."""
    match record.engine:
        case EngineFacts() as own:
            polled = [own.poll_mode] if own.poll_mode in {Poll.IOPOLL, Poll.SQPOLL} else []
            return [f"engine {own.engine}", *polled]
        case FioFacts() as fio:
            return [f"engine {fio.version} ({fio.ioengine})"]
        case ImportFacts() as imported:
            return [f"imported from {import_text(imported)}"]
        case None:
            return [f"engine {run.header.engine}"]


def _pace(cell: CellEstimate) -> Iterator[Text]:
    """The offered and the achieved rate of an open loop, and the submission lag of the engine."""
    pace, figures = cell.pace, cell.subject
    if pace is None or figures is None:
        return
    line = Text(
        f"open loop, {cell.workload.arrivals} arrivals: {format_iops(pace.asked_per_s)} operations/s offered, "
        f"{format_iops(pace.achieved_per_s.mean)} achieved ({pace.share:.1%})"
    )
    if pace.saturated:
        line.append(f"; SATURATED, {behind_text(cell)} behind schedule at the end", style="bold red")
    yield line
    own = figures.host_lag
    # In virtual time there is no lag.
    if own is not None and own.ns_max:
        known = [
            f"p{percent:g} {format_latency(value)}"
            for percent in (50.0, 99.0)
            if (value := own.percentile(percent)) is not None
        ]
        yield Text(f"engine submission lag: {', '.join([*known, f'max {format_latency(own.ns_max)}'])}", style="dim")


def _figures(cell: CellEstimate, style: str) -> Iterator[RenderableType]:
    """The table, and below it the reason for each dash."""
    operations = [operation for operation in Operation if cell.of(operation) is not None]
    if len(operations) == 2:  # noqa: PLR2004 - one class and the sum of it
        operations.remove(Operation.ALL)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for operation in operations:
        table.add_column(operation.value, justify="right", no_wrap=True, style=style)
    columns = [_column(figures) for operation in operations if (figures := cell.of(operation)) is not None]
    # "latency" is service time here; an open loop names both latencies. MB/s is 1,000,000 bytes per second.
    has_response = cell.latency_kind is LatencyKind.RESPONSE
    lead = "response mean" if has_response else "latency mean"
    names = ["operations/s", "MB/s", lead, "min", *(percent_label(each) for each in PERCENTS), "max"]
    rows = list(zip(names, *columns, strict=True))
    if has_response:
        services = [_service(figures) for operation in operations if (figures := cell.of(operation)) is not None]
        rows.extend(zip(("service mean", "p50", "p99", "max"), *services, strict=True))
    marked, reasons = explained(rows)
    for row in marked:
        table.add_row(*row)
    yield table
    yield from (Text(reason, style="dim") for reason in reasons)


def _service(figures: OperationEstimate) -> list[str]:
    """The service time of an open loop: without the time that an operation waited before its submission."""
    times = figures.service
    if times is None:
        return [Dash(ENGINE_UNKNOWING)] * 4
    known = (times.ns_mean, times.percentile(50.0), times.percentile(99.0), times.ns_max)
    return [Dash(FEW_BEYOND) if value is None else format_latency(value) for value in known]


def _column(figures: OperationEstimate) -> list[str]:
    percentiles = ((percent, figures.percentile(percent).value_ns) for percent in PERCENTS)
    at_least = AT_LEAST if figures.saturated else ""
    return [
        format_iops(figures.iops.mean),
        format_bandwidth(figures.bytes_per_s.mean).removesuffix(" MB/s") if figures.bytes else Dash(NO_DATA_MOVED),
        f"{at_least}{format_latency(figures.latency_ns_mean.mean)}",
        format_latency(figures.latency_ns_min),
        *(
            Dash(why_no_percentile(figures, percent)) if value is None else format_latency(value)
            for percent, value in percentiles
        ),
        f"{at_least}{format_latency(figures.latency_ns_max)}",
    ]


def _finding(finding: Finding) -> Text:
    text = Text()
    text.append(f"{finding.severity} ", style=_STYLES[finding.severity])
    text.append(f"{finding.id}: ", style="bold")
    text.append(_plain(finding.statement))
    return text


def _plain(text: str) -> str:
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)
