"""Findings about the precision of figures."""

from collections.abc import Callable

from iosonde.records import RunRecord
from iosonde.records.plan import AIM_REPEATS_MIN
from tests.analysis.test_states import SETTLED
from tests.findings.runs import NOT_DONE, aimed, ids, only, repeat, run_of

FEW_VALUES = SETTLED.model_copy(update={"effective": 8.0, "correlation": 0.5})


FIRES: dict[str, Callable[[], RunRecord]] = {
    "precision-missed": lambda: aimed(repeat(1, count=39_000), repeat(2), repeat(3, count=41_000)),
    "not-established": lambda: run_of(repeat(1, count=20_000), repeat(2)),
}

NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    ("precision-missed", lambda: aimed(*(repeat(each) for each in range(1, AIM_REPEATS_MIN + 1)))),
    ("precision-missed", lambda: run_of(repeat(1, count=38_000), repeat(2), repeat(3, count=42_000))),
    ("precision-missed", lambda: aimed(repeat(1, count=38_000), repeat(2), repeat(3), finished=False)),
    ("precision-missed", lambda: aimed(*(repeat(each, within=FEW_VALUES) for each in range(1, AIM_REPEATS_MIN + 1)))),
    ("not-established", lambda: run_of(*(repeat(each, within=FEW_VALUES) for each in (1, 2, 3)))),
    ("not-established", lambda: aimed(repeat(1, count=39_000), repeat(2), repeat(3, count=41_000))),
    ("not-established", lambda: run_of(repeat(1))),
    ("not-established", lambda: run_of(repeat(1), repeats=3, finished=False)),
]


def test_the_widest_interval_is_told_of_a_figure_that_has_one() -> None:
    thin = aimed(repeat(1, count=98), repeat(2, count=100), repeat(3, count=108))
    found = only(thin, "precision-missed")
    assert found.statement.endswith("for throughput, no confidence interval for p99.")


def test_cells_that_never_settled_are_not_established_where_they_were_to_be_known() -> None:
    moving = FEW_VALUES.model_copy(update={"effective": 60.0, "settled": False, "geweke": 2.5})
    run = aimed(*(repeat(each, within=moving) for each in (1, 2, 3)))
    assert "1 cell: not settled by the end of the maximum warm-up" in only(run, "not-established").statement
    assert "precision-missed" not in ids(run)


def test_a_cell_without_any_figure_is_missed_and_told_as_that() -> None:
    found = only(aimed(*(repeat(each, **NOT_DONE) for each in (1, 2, 3))), "precision-missed")
    assert found.evidence == (("random-read-4KiB-qd8", "no confidence interval for throughput"),)
