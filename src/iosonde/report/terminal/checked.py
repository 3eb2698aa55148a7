"""Shows the checks of expectations on a terminal: a row for each, and the reasons of undecided ones."""

from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from iosonde.charts.quantities import NO_VALUE
from iosonde.expectations import Checked, CheckedResults, Verdict
from iosonde.printing import printable
from iosonde.report.expected_words import (
    INTERVAL_NAMES,
    bound_text,
    interval_text,
    margin_text,
    part_texts,
    reason_text,
    reasoned,
    unlike_texts,
    value_text,
)
from iosonde.report.purpose_words import purpose_texts
from iosonde.report.terminal.table_width import Fitted, FittedTable

_STYLES: Final = {Verdict.PASS: "green", Verdict.FAIL: "bold red", Verdict.UNDECIDED: "yellow"}


def render_checked(checked: CheckedResults) -> RenderableType:
    """The output of ``iosonde check``."""
    checks = checked.checks
    table = FittedTable(
        (
            Fitted("Verdict", [str(each.verdict).upper() for each in checks]),
            Fitted("Expected", [printable(each.name) for each in checks], worth=1),
            Fitted("Cell", [NO_VALUE if each.cell is None else printable(each.cell) for each in checks]),
            Fitted("Bound", [bound_text(each) for each in checks], number=True),
            Fitted("Measured", [value_text(each.metric, each.value) for each in checks], number=True),
            Fitted(
                INTERVAL_NAMES[checked.results.kind], [interval_text(each) for each in checks], worth=4, number=True
            ),
            Fitted("Margin", [margin_text(each) for each in checks], worth=3, number=True),
        )
    )
    counts = ", ".join(f"{number} {verdict}" for verdict in Verdict if (number := checked.count(verdict)))
    against = f"{checked.results.kind} {printable(checked.results.name)}"
    head = Text.assemble((printable(checked.name), "bold"), f" against {against}: {counts}")
    conditions = [*part_texts(checks), *unlike_texts(checks)]
    notes = [*_reasons(reasoned(checked)), *(Text(printable(each)) for each in conditions)]
    return Group(head, table, *notes, *_purpose(checked))


def _purpose(checked: CheckedResults) -> list[Text]:
    """The verdict for a purpose. Without one, nothing."""
    outcome = checked.purpose
    if outcome is None:
        return []
    first, *more = purpose_texts(checked, outcome)
    return [Text(printable(first), _STYLES[outcome.verdict]), *(Text(printable(each)) for each in more)]


def _reasons(checks: tuple[Checked, ...]) -> list[Text]:
    """The reasons why checks are undecided or unreliable. Other checks have no line."""
    lines = []
    for each in checks:
        where = f" in {printable(each.cell)}" if each.cell is not None else ""
        why = reason_text(each)
        if why:
            about = f"{printable(each.name)}{where}: {printable(why)}"
            lines.append(Text.assemble((f"{each.verdict} ", _STYLES[each.verdict]), about))
    return lines
