"""Tables as Parquet and CSV files: their content in other readers, and the errors if they cannot be written."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Never

import duckdb
import numpy as np
import polars as pl
import pytest

from iosonde.errors import OutputError
from iosonde.store import parquet, write_csv, write_parquet
from iosonde.store.arrow import ROWS_A_BATCH

TABLE: dict[str, Any] = {
    "name": np.array(["a", None, ""], dtype=object),
    "seed": np.array([2**63 + 1, 3, 0], dtype=np.uint64),
    "count": [7, 8, -9],
    "iops": np.array([0.5, np.nan, 1e300]),
    "gap": np.ma.array([2**60 + 1, 0, 0], mask=[False, True, False], dtype=np.int64),
}
TYPES = ["VARCHAR", "UBIGINT", "BIGINT", "DOUBLE", "BIGINT"]
ROWS = [("a", 2**63 + 1, 7, 0.5, 2**60 + 1), (None, 3, 8, None, None), ("", 0, -9, 1e300, 0)]


def read(path: Path) -> tuple[list[str], list[tuple[Any, ...]]]:
    with duckdb.connect() as connection:
        table = connection.read_parquet(str(path))
        return [str(kind) for kind in table.types], table.fetchall()


def test_parquet_has_the_types_and_values_of_the_columns(tmp_path: Path) -> None:
    (path,) = write_parquet(tmp_path, {"few": TABLE})
    assert read(path) == (TYPES, ROWS)
    assert pl.read_parquet(path).rows() == ROWS


def test_a_table_without_a_row_keeps_its_types(tmp_path: Path) -> None:
    (path,) = write_parquet(tmp_path, {"none": {name: np.asarray(column)[:0] for name, column in TABLE.items()}})
    assert read(path) == (TYPES, [])


def test_a_table_of_many_batches_is_whole(tmp_path: Path) -> None:
    count = 2 * ROWS_A_BATCH + 3
    number = np.arange(count)
    gap = np.ma.array(number, mask=number < ROWS_A_BATCH)
    (path,) = write_parquet(tmp_path, {"many": {"number": number, "gap": gap}})
    table = pl.read_parquet(path)
    assert table["number"].to_list() == list(range(count))
    assert table["gap"].null_count() == ROWS_A_BATCH


def test_csv_without_a_row_has_the_names(tmp_path: Path) -> None:
    (path,) = write_csv(tmp_path, {"empty": {"round": np.array([], dtype=np.int64), "iops": np.array([])}})
    assert path.read_text(encoding="utf-8") == "round,iops\n"


def test_csv_has_the_names_and_an_empty_field_where_there_is_no_value(tmp_path: Path) -> None:
    (path,) = write_csv(tmp_path, {"few": {**TABLE, "name": np.array(['a,"b"', None, "=1"], dtype=object)}})
    assert path.read_text().splitlines() == [
        "name,seed,count,iops,gap",
        f'"a,""b""",{2**63 + 1},7,0.5,{2**60 + 1}',
        ",3,8,,",
        "'=1,0,-9,1e300,0",
    ]


@pytest.mark.parametrize("write", [write_parquet, write_csv])
def test_a_full_disk_is_one_error_and_nothing_else_is_said(
    write: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def full() -> Iterator[Callable[[Path], Path]]:
        yield lambda _: Path("/dev/full")

    monkeypatch.setattr(parquet, "atomic_outputs", full)
    with pytest.raises(OutputError, match=r"cannot write tables to .*: No space left on device"):
        write(tmp_path, {"many": {"number": np.arange(3 * ROWS_A_BATCH)}})
    assert capfd.readouterr() == ("", "")


class Interrupted(list[int]):
    """A column whose reading raises KeyboardInterrupt."""

    def __getitem__(self, _: object) -> Never:
        raise KeyboardInterrupt


@pytest.mark.parametrize("write", [write_parquet, write_csv])
def test_an_interruption_is_an_interruption_and_leaves_nothing(
    write: Callable[..., Any], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path, {"few": {"number": Interrupted([1, 2, 3])}})
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")
