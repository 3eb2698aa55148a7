"""Expected values as limit lines of charts."""

from iosonde.analysis.histogram import percent_label
from iosonde.charts.limit_lines import Limit
from iosonde.expectations import CheckedResults
from iosonde.report.expected_words import bound_text, value_text


def limits_of(checked: CheckedResults) -> tuple[Limit, ...]:
    """The expected values that apply to cells with results."""
    found = []
    for each in checked.checks:
        if each.cell is None or each.operation is None:
            continue
        percent = each.metric.percent
        name = "" if percent is None else f"{percent_label(percent)} "
        short = f"{name}{'≤' if each.is_at_most else '≥'} {value_text(each.metric, each.bound)}"
        found.append(
            Limit(
                each.cell,
                each.operation,
                each.metric,
                each.bound,
                each.is_at_most,
                short,
                f"{bound_text(each)} ({each.name})",
            )
        )
    return tuple(found)
