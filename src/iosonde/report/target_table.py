"""The table with the results of each of several targets."""

from collections.abc import Sequence

from iosonde.analysis.missing_reasons import ENGINE_UNKNOWING, NO_DATA_MOVED
from iosonde.analysis.targets import TargetEstimate
from iosonde.charts.quantities import BANDWIDTH_UNIT, depth_text, latency_unit, significant, with_interval
from iosonde.records import TargetFacts
from iosonde.report.dashes import Dash
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.units import MEGABYTE


def target_table(estimates: Sequence[TargetEstimate], targets: Sequence[TargetFacts]) -> ResultTable:
    """A table with a row for each class of operations of each cell on each target."""
    unit = latency_unit(each.latency_ns_mean.mean for each in estimates)
    heads = (
        Head("Cell", number=False),
        Head("Target", number=False),
        Head("Operation", number=False),
        Head("QD", "achieved"),
        Head("IOPS", "operations/s"),
        Head("Bandwidth", BANDWIDTH_UNIT),
        Head("Mean latency", unit.name),
        Head("Max", unit.name),
    )
    lines = tuple(
        Line(
            (
                each.cell,
                str(each.target + 1),
                str(each.operation),
                Dash(ENGINE_UNKNOWING)
                if each.queue_depth_achieved is None
                else depth_text(each.queue_depth_achieved, each.queue_depth_device),
                with_interval(each.iops),
                with_interval(each.bytes_per_s, 1 / MEGABYTE) if each.bytes_per_s.mean else Dash(NO_DATA_MOVED),
                with_interval(each.latency_ns_mean, 1 / unit.ns),
                significant(each.latency_ns_max / unit.ns),
            )
        )
        for each in estimates
    )
    return ResultTable(
        caption="± is the half-width of the 95 % confidence interval (Student's t) over the repeats.",
        heads=heads,
        lines=lines,
        notes=tuple(f"Target {number}: {target.path}" for number, target in enumerate(targets, start=1)),
    )
