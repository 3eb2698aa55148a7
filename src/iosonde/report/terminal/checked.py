"""Shows the checks of expectations on a terminal: a row for each, and the reasons of undecided ones."""

from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from iosonde.analysis.histogram import percent_label
from iosonde.analysis.results import ResultsKind
from iosonde.charts.quantities import NO_VALUE
from iosonde.expectations import Checked, CheckedResults, Verdict
from iosonde.printing import printable
from iosonde.report.terminal.table_width import Fitted, FittedTable
from iosonde.units import format_bandwidth, format_iops, format_latency
from iosonde.vocabulary import Quantity

# A document has rounded numbers. Their interval is the rounding error, not a confidence interval.
_INTERVAL: Final = {ResultsKind.RUN: "95 % CI", ResultsKind.DOCUMENT: "Interval"}
_STYLES: Final = {Verdict.PASS: "green", Verdict.FAIL: "bold red", Verdict.UNDECIDED: "yellow"}


def render_checked(checked: CheckedResults) -> RenderableType:
    """The output of ``iosonde check``."""
    checks = checked.checks
    table = FittedTable(
        (
            Fitted("Verdict", [str(each.verdict).upper() for each in checks]),
            Fitted("Expected", [printable(each.name) for each in checks], worth=1),
            Fitted("Cell", [NO_VALUE if each.cell is None else printable(each.cell) for each in checks]),
            Fitted("Bound", [_bound(each) for each in checks], number=True),
            Fitted("Measured", [_value(each.metric, each.value) for each in checks], number=True),
            Fitted(_INTERVAL[checked.results.kind], [_interval(each) for each in checks], worth=4, number=True),
            Fitted("Margin", [_margin(each) for each in checks], worth=3, number=True),
        )
    )
    counts = ", ".join(f"{number} {verdict}" for verdict in Verdict if (number := checked.count(verdict)))
    against = f"{checked.results.kind} {printable(checked.results.name)}"
    head = Text.assemble((printable(checked.name), "bold"), f" against {against}: {counts}")
    return Group(head, table, *_reasons(checks))


def _reasons(checks: tuple[Checked, ...]) -> list[Text]:
    """The reasons why checks are undecided or unreliable. Other checks have no line."""
    lines = []
    for each in checks:
        where = f" in {printable(each.cell)}" if each.cell is not None else ""
        why = each.why or (f"unreliable, see {', '.join(each.doubted_by)}" if each.doubted_by else "")
        if why:
            about = f"{printable(each.name)}{where}: {printable(why)}"
            lines.append(Text.assemble((f"{each.verdict} ", _STYLES[each.verdict]), about))
    return lines


def _bound(each: Checked) -> str:
    percent = each.metric.percent
    names = {Quantity.IOPS: "IOPS", Quantity.BYTES_PER_S: "bandwidth"}
    name = names.get(each.metric, "mean") if percent is None else percent_label(percent)
    return f"{name} {'≤' if each.is_at_most else '≥'} {_value(each.metric, each.bound)}"


def _interval(each: Checked) -> str:
    if each.low is None or each.high is None:
        return NO_VALUE
    return f"{_value(each.metric, each.low)} to {_value(each.metric, each.high)}"


def _margin(each: Checked) -> str:
    return NO_VALUE if each.margin_share is None else f"{100 * each.margin_share:+.1f} %"


def _value(metric: Quantity, value: float | None) -> str:
    if value is None:
        return NO_VALUE
    if metric is Quantity.IOPS:
        return f"{format_iops(value)}/s"
    return format_bandwidth(value) if metric is Quantity.BYTES_PER_S else format_latency(value)
