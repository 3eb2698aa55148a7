"""The figures of each repeat of a cell, and those over all repeats."""

from iosonde.analysis.cells import CellEstimate, OperationEstimate, PercentileEstimate, estimate_cell
from iosonde.analysis.histogram import PERCENTS, percent_label
from iosonde.analysis.missing_reasons import NO_DATA_MOVED, NO_ENGINE_COST, why_no_depth, why_no_percentile
from iosonde.analysis.pace import SATURATED
from iosonde.charts.quantities import LatencyUnit, depth_text, latency_unit, significant, with_interval
from iosonde.findings.repeats import WHY_DISCARDED
from iosonde.records import CellRecord, Operation, Outcome
from iosonde.report.dashes import Dash
from iosonde.report.result_tables import longest_text, mean_text
from iosonde.report.states import discard_reason_word
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.report.terminal.cell_choice import ChosenCell
from iosonde.units import MEGABYTE
from iosonde.vocabulary import DiscardReason


def repeats_table(chosen: ChosenCell, estimate: CellEstimate) -> ResultTable:
    """A row for each class of operations of each repeat, then of all repeats. A repeat without figures has a reason."""
    unit = latency_unit(figures.latency_ns_mean.mean for figures in estimate.operations.values())
    asked = {*chosen.plan.workload.asked_operations(), *([Operation.ALL] if estimate.direction is None else [])}
    operations = [operation for operation in Operation if operation in asked and estimate.of(operation) is not None]
    lines: list[Line] = []
    for record in chosen.records:
        own = estimate_cell(chosen.plan, [record])
        found = [figures for operation in operations if (figures := own.of(operation)) is not None]
        fate = discard_reason_word(chosen.repeats.fates[record.order])
        lines.extend(_line((str(record.repeat), fate), figures, own, unit) for figures in found)
        if not found:
            lines.append(Line((str(record.repeat),), gap=_why(record, chosen.repeats.fates[record.order])))
    if estimate.repeats_finished > 1:
        every = (figures for operation in operations if (figures := estimate.of(operation)) is not None)
        used = f"{estimate.repeats_used} used"
        lines.extend(_line(("all", used), figures, estimate, unit) for figures in every)
    heads = (
        Head("Repeat", number=False),
        Head("Status", number=False),
        Head("Operation", number=False),
        Head("QD", "achieved"),
        Head("IOPS", "operations/s"),
        Head("Bandwidth", "MB/s"),
        Head("Mean latency", unit.name),
        Head("Min", unit.name),
        *(Head(percent_label(percent), unit.name) for percent in PERCENTS),
        Head("Max", unit.name),
        Head("CPU", "ns/operation"),
    )
    notes = [SATURATED] if any(figures.saturated for figures in estimate.operations.values()) else []
    fates = dict.fromkeys(chosen.repeats.fates[record.order] for record in chosen.records)
    notes += [
        f"{discard_reason_word(fate).capitalize()}: discarded because {WHY_DISCARDED[fate]}."
        for fate in fates
        if fate in WHY_DISCARDED
    ]
    return ResultTable(caption="", heads=heads, lines=tuple(lines), notes=tuple(notes))


def _line(names: tuple[str, str], figures: OperationEstimate, cell: CellEstimate, unit: LatencyUnit) -> Line:
    depth, device, cpu = cell.queue_depth_achieved, cell.queue_depth_device, cell.cpu_ns_per_io
    return Line(
        (
            *names,
            str(figures.operation),
            Dash(why_no_depth(cell)) if depth is None else depth_text(depth, device),
            with_interval(figures.iops),
            with_interval(figures.bytes_per_s, 1 / MEGABYTE) if figures.bytes else Dash(NO_DATA_MOVED),
            mean_text(figures, unit),
            significant(figures.latency_ns_min / unit.ns),
            *(_percentile(figures, each, unit) for each in figures.percentiles),
            longest_text(figures, unit),
            Dash(NO_ENGINE_COST) if cpu is None else significant(cpu.mean, 3),
        )
    )


def _percentile(figures: OperationEstimate, each: PercentileEstimate, unit: LatencyUnit) -> str:
    if each.value_ns is None:
        return Dash(why_no_percentile(figures, each.percent))
    return significant(each.value_ns / unit.ns)


def _why(record: CellRecord, fate: DiscardReason) -> str:
    if fate is DiscardReason.USED and record.is_silent:
        return f"repeat {record.repeat} completed no operations, so its throughput counts as 0"
    if record.outcome is Outcome.FAILED:
        return f"repeat {record.repeat} failed: {record.failure.message if record.failure else 'no error message'}"
    return f"repeat {record.repeat} {'was interrupted' if record.outcome is Outcome.CUT else 'completed no operations'}"
