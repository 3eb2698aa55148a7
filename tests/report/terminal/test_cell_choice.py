"""A cell is named by its name, or by a part that only it has."""

import pytest

from iosonde.errors import UsageError
from iosonde.records import RunRecord
from iosonde.report.terminal.cell_choice import chosen_cell
from tests.lab_builder import lab_run


@pytest.fixture(scope="module")
def run() -> RunRecord:
    return lab_run(repeats=2, quick=True)


@pytest.mark.parametrize(
    ("words", "cell"),
    [
        ("random-read-4KiB-qd1", "random-read-4KiB-qd1"),
        ("FDATASYNC", "random-write-4KiB-qd1-fdatasync"),
        ("read-4KiB-qd16", "random-read-4KiB-qd16"),
        ("random-read-4KiB-qd2", "random-read-4KiB-qd2"),
    ],
)
def test_a_name_or_a_part_that_only_one_has_is_enough(run: RunRecord, words: str, cell: str) -> None:
    assert chosen_cell(run, words, None).plan.cell == cell


def test_whole_words_go_before_parts_of_words(run: RunRecord) -> None:
    assert chosen_cell(run, "random-mix70", None).plan.cell == "random-mix70-4KiB-qd16"
    assert chosen_cell(run, "read-4KiB-qd2", None).plan.cell == "random-read-4KiB-qd2"


def test_a_part_of_several_names_is_refused_with_them(run: RunRecord) -> None:
    with pytest.raises(UsageError, match="'mix' matches 3 cells") as caught:
        chosen_cell(run, "mix", None)
    assert "random-mix70-4KiB-qd16" in caught.value.hint


def test_an_unknown_name_is_refused_with_the_nearest(run: RunRecord) -> None:
    with pytest.raises(UsageError, match="has no cell 'random-raed-4KiB-qd1'") as caught:
        chosen_cell(run, "random-raed-4KiB-qd1", None)
    assert "random-read-4KiB-qd1" in caught.value.hint


def test_a_name_without_resemblance_is_refused_with_the_first_cells(run: RunRecord) -> None:
    with pytest.raises(UsageError, match="has no cell 'zzz'") as caught:
        chosen_cell(run, "zzz", None)
    assert caught.value.hint.startswith("cells of this run: ")


def test_a_repeat_that_was_not_made_is_refused_with_those_that_were(run: RunRecord) -> None:
    with pytest.raises(UsageError, match="has no repeat 7") as caught:
        chosen_cell(run, "random-read-4KiB-qd1", 7)
    assert caught.value.hint == "available repeats: 0, 1"
