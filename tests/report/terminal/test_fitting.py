"""A table fits its width: first shorter texts, then fewer columns, never a second line."""

import pytest
from rich.console import Console

from iosonde.report.terminal.table_width import Fitted, FittedTable, Shorter
from iosonde.report.terminal.telling_apart import cut

TABLE = FittedTable(
    (
        Fitted("Name", ["one", "another"]),
        Fitted("Least", ["x" * 12] * 2, worth=1),
        Fitted("More", ["10 ± 1", "20 ± 2"], worth=3, number=True, shorter=[Shorter(["10", "20"], 2, lacks="±")]),
    )
)


def printed(table: FittedTable, width: int) -> list[str]:
    console = Console(width=width, force_terminal=False)
    with console.capture() as capture:
        console.print(table)
    return [line.rstrip() for line in capture.get().splitlines()]


@pytest.mark.parametrize(
    ("width", "head"), [(40, "Name     Least           More"), (24, "Name       More"), (14, "Name     More")]
)
def test_what_is_worth_least_goes_first(width: int, head: str) -> None:
    assert printed(TABLE, width)[0] == head


def test_what_is_left_out_is_said() -> None:
    assert printed(TABLE, 40)[-1] == "another  xxxxxxxxxxxx  20 ± 2"
    assert " ".join(printed(TABLE, 24)[3:]) == "Omitted at this width: Least."
    assert " ".join(printed(TABLE, 14)[3:]) == "Omitted at this width: Least, ±."


def test_a_column_that_stays_is_cut_when_all_else_is_gone() -> None:
    table = FittedTable((Fitted("Path", ["/very/long/path/to/run"], shrinks="start"), Fitted("n", ["1"])))
    assert printed(table, 16)[-1] == "…/path/to/run  1"


def test_a_cut_keeps_the_end_that_tells_more() -> None:
    assert cut("/a/b/c", 4, "start") == "…b/c"
    assert cut("abcdef", 4) == "abc…"
    assert cut("abcd", 4) == "abcd"


def test_columns_that_do_not_fit_and_cannot_be_omitted_are_in_a_table_of_their_own() -> None:
    labels = Fitted("", ["Allowed maximum data excursion", "Allowed maximum slope excursion"], shrinks="end")
    columns = [Fitted(f"variable {number}", ["1,061", "530.7"], number=True) for number in range(4)]

    found = printed(FittedTable((labels, *columns)), 60)

    assert max(map(len, found)) <= 60
    # Two variables in each table, and all labels at their full length.
    assert [line.count("variable") for line in found if "variable" in line] == [2, 2]
    assert sum("Allowed maximum slope excursion" in line for line in found) == 2
    assert sum(line.count("530.7") for line in found) == 4
