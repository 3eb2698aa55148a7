"""A frame: one table, the same in DuckDB, Polars, pandas, NumPy and plain Python."""

import subprocess
import sys
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest

from iosonde.api import Frame
from iosonde.errors import UsageError


@pytest.fixture
def frame() -> Frame:
    """One column of each type, with a missing value where the type allows one."""
    return Frame(
        {
            "name": np.array(["a", "b"], dtype=object),
            "seed": np.array([2**63 + 1, 3], dtype=np.uint64),
            "count": np.array([7, 8], dtype=np.int64),
            "iops": np.array([0.5, np.nan]),
            "latency_ns_p99": np.ma.array([2**60 + 1, 0], mask=[False, True], dtype=np.int64),
        }
    )


ROWS = [
    {"name": "a", "seed": 2**63 + 1, "count": 7, "iops": 0.5, "latency_ns_p99": 2**60 + 1},
    {"name": "b", "seed": 3, "count": 8, "iops": None, "latency_ns_p99": None},
]


def test_a_frame_knows_its_columns_and_its_length(frame: Frame) -> None:
    assert frame.columns == tuple(ROWS[0])
    assert len(frame) == 2


def test_rows_are_plain_values_and_none_where_there_is_none(frame: Frame) -> None:
    assert frame.rows() == ROWS


def test_duckdb_reads_a_frame_by_its_name_as_often_as_asked(frame: Frame) -> None:
    for _ in range(2):
        answer = duckdb.sql("SELECT sum(count), count(iops) FROM frame")
        assert answer is not None
        assert answer.fetchall() == [(15, 1)]
    assert len(frame) == 2


def test_a_frame_can_be_joined_with_itself_on_any_connection(frame: Frame) -> None:
    with duckdb.connect() as connection:
        connection.register("mine", frame)
        assert connection.execute("SELECT count(*) FROM mine a, mine b").fetchall() == [(4,)]


def test_polars_reads_a_frame_with_nothing_between(frame: Frame) -> None:
    for table in (pl.DataFrame(frame), frame.to_polars()):
        assert table.to_dicts() == ROWS
        assert table.schema["seed"] == pl.UInt64


def test_pandas_keeps_whole_numbers_whole_where_some_are_missing(frame: Frame) -> None:
    table = frame.to_pandas()
    assert [str(kind) for kind in table.dtypes] == ["str", "uint64", "int64", "float64", "Int64"]
    assert table["latency_ns_p99"][0] == 2**60 + 1
    assert table.isna().sum().tolist() == [0, 0, 0, 1, 1]


def test_a_stream_lives_longer_than_its_frame() -> None:
    assert pl.DataFrame(Frame({"count": np.arange(3)})).to_dicts() == [{"count": 0}, {"count": 1}, {"count": 2}]


def test_a_frame_without_a_row_keeps_its_types() -> None:
    empty = Frame({"name": np.array([], dtype=object), "gap": np.ma.array([], mask=[], dtype=np.int64)})
    assert empty.to_polars().schema == {"name": pl.String, "gap": pl.Int64}
    assert [str(kind) for kind in empty.to_pandas().dtypes] == ["str", "Int64"]
    assert empty.rows() == []


def test_nobody_changes_a_frame(frame: Frame) -> None:
    with pytest.raises(ValueError, match="read-only"):
        frame.to_numpy()["count"][0] = 1
    table = frame.to_pandas()
    table.loc[0, "count"] = 1
    frame.to_numpy().clear()
    assert frame.rows() == ROWS


def test_a_frame_shows_itself_as_a_table(frame: Frame) -> None:
    lines = repr(frame).splitlines()
    assert "latency_ns_p99" in lines[1]
    assert "1152921504606846977" in lines[4]
    assert lines[-1] == "2 of 2 rows, 5 of 5 columns"


def test_a_wide_frame_shows_the_columns_that_a_terminal_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = repr(Frame({f"column_{number}": np.arange(20) for number in range(30)})).splitlines()
    assert {len(line) for line in lines[:-1]} == {len(lines[0])}
    assert len(lines[0]) <= 80
    assert lines[-1] == "10 of 20 rows, 7 of 30 columns"


def test_a_notebook_shows_the_first_rows_and_never_takes_text_for_markup() -> None:
    html = Frame({"name": np.array(["<b>"] * 12, dtype=object), "gap": np.full(12, np.nan)})._repr_html_()
    assert html.count("<tr><td>&lt;b&gt;</td><td></td></tr>") == 10
    assert "10 of 12 rows, 2 columns" in html


@pytest.mark.parametrize("package", ["pandas", "polars"])
def test_a_package_that_is_not_there_is_named_with_the_way_out(
    frame: Frame, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError, match=f"{package} is not installed") as refused:
        getattr(frame, f"to_{package}")()
    assert f"pip install {package}" in refused.value.hint


def test_importing_iosonde_loads_nothing_heavy_and_still_names_everything(tmp_path: Path) -> None:
    script = (
        "import sys, iosonde\n"
        "print({'numpy', 'arro3', 'pydantic', 'altair'} & set(sys.modules))\n"
        "print(set(iosonde.__all__) - set(dir(iosonde)))\n"
        "print(iosonde.open_run.__module__, iosonde.Frame.__name__, 'altair' in sys.modules, 'arro3' in sys.modules)\n"
        "iosonde.fly\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.stdout.splitlines() == ["set()", "set()", "iosonde.api.runs Frame False False"]
    assert ended.stderr.splitlines()[-1] == "AttributeError: module 'iosonde' has no attribute 'fly'"
