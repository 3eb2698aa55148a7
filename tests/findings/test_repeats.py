"""Findings about the repeats of a cell."""

from collections.abc import Callable
from typing import Any

import pytest

from iosonde.findings import Severity
from iosonde.records import Neighbour, RunRecord
from tests.builders import workload
from tests.findings.runs import BESIDE, NOT_DONE, aimed, only, repeat, run_of, stolen, three
from tests.pace_builder import paced_repeat, paced_run

FIRES: dict[str, Callable[[], RunRecord]] = {
    "repeats-discarded": lambda: run_of(*three(), repeat(4, neighbours=(Neighbour(process=71, device="sda"),))),
    "repeats-differ": lambda: run_of(repeat(1, count=30_000), repeat(2), repeat(3, count=50_000)),
}

NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    # Fewer than three repeats would be left, so the contaminated one is used. Another finding reports it.
    (
        "repeats-discarded",
        lambda: run_of(repeat(1), repeat(2), repeat(3, neighbours=(Neighbour(process=71, device="sda"),))),
    ),
    ("repeats-discarded", lambda: run_of(*three(), repeat(4, **NOT_DONE))),
    ("repeats-differ", lambda: aimed(repeat(1, count=30_000), repeat(2), repeat(3, count=50_000))),
    ("repeats-differ", lambda: paced_run(*(paced_repeat(each, count=3_000 + 1_000 * each) for each in (1, 2, 3)))),
    ("repeats-differ", lambda: run_of(repeat(1, count=39_000), repeat(2), repeat(3, count=41_000))),
    ("repeats-differ", lambda: run_of(repeat(1))),
]


def test_discarded_repeats_are_told_with_their_reasons_and_with_the_mean_of_all() -> None:
    busy: dict[str, Any] = {"neighbours": (Neighbour(process=71, device="sda"),), "count": 20_000}
    found = only(run_of(*three(), repeat(4, **busy)), "repeats-discarded")
    assert found.statement == (
        "In random-read-4KiB-qd8, iosonde discarded 1 of 4 repeats (1 because another run used the device). "
        "The mean is 8,000 IOPS without the discarded repeats and 7,000 IOPS with them."
    )
    assert (found.severity, found.cells) == (Severity.NOTE, ("random-read-4KiB-qd8",))


def test_a_cell_that_lost_more_than_a_third_of_its_repeats_by_what_they_show_is_doubtful_and_no_other_is() -> None:
    deep = workload(queue_depth=16)
    lost_many = [repeat(each, count=90_000 if each < 4 else 40_000 + each) for each in range(1, 8)]
    lost_one = [*(repeat(each, deep) for each in (1, 2, 3)), repeat(4, deep, neighbours=BESIDE)]
    found = only(run_of(*lost_many, *lost_one), "repeats-discarded")
    assert (found.severity, found.cells) == (Severity.DOUBTFUL, ("random-read-4KiB-qd8",))
    assert [cell for cell, _ in found.evidence] == ["random-read-4KiB-qd8", "random-read-4KiB-qd16"]
    assert "In total, iosonde discarded 4 repeats of 2 cells." in found.statement


@pytest.mark.parametrize("others", [{"neighbours": BESIDE}, {"cpu": stolen(0.5)}])
def test_repeats_that_others_spoilt_are_no_choice_however_many_they_are(others: dict[str, Any]) -> None:
    found = only(run_of(*three(), *(repeat(each, **others) for each in (4, 5, 6))), "repeats-discarded")
    assert found.severity is Severity.NOTE
