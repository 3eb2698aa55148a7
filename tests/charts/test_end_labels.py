"""Names are at the ends of lines, inside the chart, and do not overlap."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from iosonde.analysis.experiments import estimate_run
from iosonde.charts.block_sizes import block_size_iops
from iosonde.charts.end_labels import APART_PX, Height, has_end_labels, with_end_labels
from iosonde.charts.theme import HEIGHT, Series
from iosonde.records import Experiment
from tests.lab_builder import lab_run


def series(*names: str) -> list[Series]:
    return [Series(name, "#000000", "circle") for name in names]


@given(st.lists(st.floats(min_value=0, max_value=100), min_size=1, max_size=4), st.booleans())
def test_names_are_a_line_of_text_apart_and_within_the_axis(values: list[float], is_log: bool) -> None:
    height = Height(0.1 if is_log else 0.0, 110.0, is_log=is_log)
    rows = [{"series": str(number), "x": 1, "y": value} for number, value in enumerate(values)]
    places = sorted(height.share(row["drawn_end_at"]) for row in with_end_labels(rows, height, x="x", y="y"))
    assert all(0 <= place <= 1 for place in places)
    assert all(later - sooner >= APART_PX / HEIGHT - 1e-9 for sooner, later in pairwise(places))


def test_a_name_stands_at_the_last_point_of_its_line_and_at_no_other() -> None:
    rows = [{"series": "read", "x": x, "y": x} for x in (1, 4, 2)]
    named = with_end_labels(rows, Height(0, 10), x="x", y="y")
    assert [row["drawn_end"] for row in named] == [None, "read", None]


def test_many_lines_and_long_names_have_a_legend_instead() -> None:
    assert has_end_labels(series("random read", "random write"))
    assert not has_end_labels(series("a", "b", "c", "d", "e"))
    assert not has_end_labels(series("4 KiB random 70/30 mix, 4 jobs", "read"))
    assert not has_end_labels(series("read"))


def test_a_sweep_with_names_at_its_lines_has_no_legend() -> None:
    (figure,) = block_size_iops(estimate_run(lab_run()).of(Experiment.BLOCK_SIZE))
    assert sorted(row["drawn_end"] for row in figure.rows if row["drawn_end"]) == [
        "random read", "random write", "sequential read", "sequential write",
    ]  # fmt: skip
    colours = [layer["encoding"]["color"] for layer in figure.specification["layer"] if "color" in layer["encoding"]]
    assert all(each["legend"] is None for each in colours if "scale" in each)
