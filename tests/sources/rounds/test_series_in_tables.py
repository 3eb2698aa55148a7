"""Which rows of a table are rounds of one series, and what its headers and sizes mean."""

from pathlib import Path

import pytest

from iosonde.errors import UsageError
from iosonde.sources.rounds import read_rounds
from iosonde.vocabulary import Quantity
from tests.sources.rounds.test_fio_and_tables import series, verdicts_of

ROUNDS = range(1, 6)


def written(folder: Path, header: str, *rows: str) -> Path:
    path = folder / "t.csv"
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


def with_column(folder: Path, name: str, values: list[str]) -> Path:
    """Rounds of random writes with one more column."""
    rows = [f"{number},{value},0,4k,{1000 + number}" for number, value in zip(ROUNDS, values, strict=True)]
    return written(folder, f"round,{name},read,bs,iops", *rows)


@pytest.mark.parametrize("name", ["LUN", "Write cache", "direct", "T", "pass", "errors", "namespace", "AR", "Sample"])
def test_rows_of_several_conditions_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"has rows of several conditions: {name} is 0, 1"):
        read_rounds([with_column(tmp_path, name, ["0", "0", "0", "1", "1"])])


def test_a_column_of_words_that_divide_the_rows_is_a_condition(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has rows of several conditions: placed is front, back"):
        read_rounds([with_column(tmp_path, "placed", ["front", "front", "back", "back", "back"])])


def test_a_column_of_words_that_describes_the_cell_is_no_condition(tmp_path: Path) -> None:
    rows = [f"{number},{word},{read},4k,{1000 + number}" for number in ROUNDS for word, read in (("r", 100), ("w", 0))]
    path = written(tmp_path, "round,operation,read,bs,iops", *rows)
    assert read_rounds([path])[0].not_read == (f"{path}: columns operation",)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("errors", ["0"] * 5),
        ("note", ["", "door opened", "", "", ""]),
        ("time", ["10:00", "10:01", "10:02", "10:03", "10:04"]),
        ("CPU %", ["11", "11", "12", "12", "12"]),
    ],
)
def test_a_column_that_tells_no_rows_apart_is_only_named(name: str, values: list[str], tmp_path: Path) -> None:
    path = with_column(tmp_path, name, values)
    (test,) = read_rounds([path])
    assert test.not_read == (f"{path}: columns {name}",)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["1,128,549,501", "1,1024,549,501"], "values can be MB/s"),
        (["1,4,0.051,0.045", "1,8,0.07,0.06"], "values can be latencies"),
    ],
)
def test_a_matrix_without_a_quantity_whose_values_are_hardly_iops_is_refused(
    rows: list[str], said: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=said):
        read_rounds([written(tmp_path, "Round,Block Size (KiB),100/0,0/100", *rows)])


def test_a_matrix_can_name_iops_in_its_headers(tmp_path: Path) -> None:
    rows = [f"{number},1024,540,500" for number in ROUNDS]
    path = written(tmp_path, "Round,Block Size (KiB),100/0 IOPS,0/100 (IOPS)", *rows)
    assert {each.iops for each in verdicts_of(path)["iops"].cells} == {540, 500}


def test_a_matrix_whose_unit_is_another_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has a matrix of ms, and only IOPS can be in one"):
        read_rounds([written(tmp_path, "Round,Unit,Block Size (KiB),0/100,100/0", "1,ms,4,51,45")])


def test_a_matrix_has_a_bandwidth_for_each_size(tmp_path: Path) -> None:
    path = written(tmp_path, "round,bs,0/100,65/35", *[f"{number},4k,10000,20000" for number in ROUNDS])
    assert series(verdicts_of(path)["iops"], Quantity.BYTES_PER_S) == [40_960_000] * 5


def test_a_value_beside_a_matrix_is_named_as_not_read(tmp_path: Path) -> None:
    path = written(tmp_path, "round,bs,lat (ms),0/100,65/35", *[f"{number},4k,1,10000,20000" for number in ROUNDS])
    (test,) = read_rounds([path])
    assert test.not_read == (f"{path}: columns lat (ms)",)


@pytest.mark.parametrize(("size", "is_known"), [("1024", False), ("512", False), ("1024k", True), ("4096", True)])
def test_a_bare_size_that_can_be_bytes_or_kib_is_refused(size: str, tmp_path: Path, *, is_known: bool) -> None:
    path = written(tmp_path, "round,read,bs,MiB/s", *[f"{number},0,{size},480" for number in ROUNDS])
    if is_known:
        assert read_rounds([path])
        return
    with pytest.raises(UsageError, match=f"has a block size of {size}: that can be bytes or KiB"):
        read_rounds([path])


@pytest.mark.parametrize("header", ["#,read,bs,iops", "# round,read,bs,iops", "#round,read,bs,iops"])
def test_a_header_can_look_like_a_comment(header: str, tmp_path: Path) -> None:
    path = written(tmp_path, header, *[f"{number},0,4k,{100 + number}" for number in ROUNDS])
    assert series(verdicts_of(path)["iops"]) == [101, 102, 103, 104, 105]


def test_a_table_that_says_what_it_tracks_is_judged_by_that_and_other_phases_are_named(tmp_path: Path) -> None:
    rows = [
        f"p,{phase},rounds,{number},{tracked},{cell},0,4k,{depth},{iops}"
        for number in ROUNDS
        for phase, cell, depth, tracked, iops in (
            ("main", "shallow", 1, "iops", 1000),
            ("main", "deep", 32, "", 1000 * number),
            ("again", "deep", 32, "", 1000 * number),
        )
    ]
    path = written(tmp_path, "procedure,phase,role,round,tracked,cell,read_percent,bs,queue_depth,iops", *rows)
    (test,) = verdicts_of(path).values()

    assert [each.cell for each in test.determinations] == ["random-write-4KiB-qd1"]
    assert test.own is not None
    assert test.own.reached == 5
    (read,) = read_rounds([path])
    assert read.not_read == (f"{path}: p, again tracks nothing",)


def test_operating_points_of_one_demand_are_named_and_not_judged(tmp_path: Path) -> None:
    rows = [
        f"p,{phase},rounds,{number},,{cell},0,{size},32,{iops}"
        for number in ROUNDS
        for phase, cell, size, iops in (
            ("vary", "write", "4k", 1000),
            ("at", "middle", "8k", 500),
            ("at", "middle", "8k", 501),
        )
    ]
    path = written(tmp_path, "procedure,phase,role,round,tracked,cell,read_percent,bs,queue_depth,iops", *rows)
    (read,) = read_rounds([path])

    assert list(read.phase.workloads) == ["random-write-4KiB-qd32"]
    assert read.not_read == (f"{path}: p, at has operating points, which are not judged by rounds",)


def test_the_tables_of_two_runs_in_one_file_are_refused(tmp_path: Path) -> None:
    rows = [f"p,main,rounds,{number},,cell,0,4k,32,1000" for number in (*ROUNDS, *ROUNDS)]
    path = written(tmp_path, "procedure,phase,role,round,tracked,cell,read_percent,bs,queue_depth,iops", *rows)
    with pytest.raises(UsageError, match="round 1 has random-write-4KiB-qd32 twice"):
        read_rounds([path])
