"""Layouts that scripts of others leave: which jobs are rounds, and what a column says."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from iosonde.errors import UsageError
from iosonde.records import Access
from iosonde.sources.rounds import read_rounds
from iosonde.vocabulary import ProcedureKind, Quantity
from tests.sources.rounds.test_misreadings import iops_of, job, output, table


def timed(iops: float, *, length_s: float, elapsed_s: int, group: int, name: str = "j") -> dict[str, Any]:
    """A job of an output of fio that ran for ``elapsed_s`` as a whole."""
    found = job(iops, group=group, name=f"{name}{group}")
    found["write"]["runtime"] = length_s * 1000
    return {**found, "elapsed": elapsed_s}


def test_groups_that_ran_for_longer_than_their_output_ran_at_the_same_time(tmp_path: Path) -> None:
    # fio leaves out a bare new_group as it leaves out a bare stonewall: only the times tell them apart.
    together = output(tmp_path, "a.json", *(timed(100, length_s=2, elapsed_s=3, group=each) for each in range(5)))
    one_by_one = output(tmp_path, "b.json", *(timed(100, length_s=2, elapsed_s=11, group=each) for each in range(5)))

    assert iops_of(read_rounds([together])[0]) == [500]
    assert iops_of(read_rounds([one_by_one])[0]) == [100] * 5


def test_jobs_that_ended_at_different_times_have_no_sum(tmp_path: Path) -> None:
    jobs = (timed(100, length_s=length, elapsed_s=361, group=group) for group, length in enumerate((360, 240)))
    with pytest.raises(UsageError, match="ended at different times, after 240 s and 360 s"):
        read_rounds([output(tmp_path, "a.json", *jobs)])


def test_jobs_of_several_calls_in_one_output_are_rounds(tmp_path: Path) -> None:
    jobs = [{**job(100 + number, name=f"x{number}"), "fio_command": f"fio --name=x{number}"} for number in range(6)]
    assert iops_of(read_rounds([output(tmp_path, "a.json", *jobs)])[0]) == [100, 101, 102, 103, 104, 105]


def test_jobs_of_one_call_stay_together(tmp_path: Path) -> None:
    jobs = [{**job(100, name=f"x{number}"), "fio_command": "fio both.fio"} for number in range(2)]
    assert iops_of(read_rounds([output(tmp_path, "a.json", *jobs)])[0]) == [200]


def test_a_block_size_split_of_one_size_is_a_block_size(tmp_path: Path) -> None:
    for split in ("64k", "64k/100"):
        one = job(100, bs="", bssplit=split)
        one["write"]["bw_bytes"] = 100 * 65536
        [test] = read_rounds([output(tmp_path, "a.json", one)])
        assert [each.block_size_bytes for each in test.phase.workloads.values()] == [65536]


def test_a_folder_with_a_number_for_a_name_is_no_round_of_files_that_name_theirs(tmp_path: Path) -> None:
    folder = tmp_path / "6"
    folder.mkdir()
    for number in range(1, 6):
        output(folder, f"w_round{number}.json", job(100))
    output(folder, "precondition.json", job(900))
    with pytest.raises(UsageError, match=r"1 of 6 outputs of fio do not name their round, such as .*precondition"):
        read_rounds([folder])


def test_cells_of_fio_are_in_the_order_of_mixes_and_sizes(tmp_path: Path) -> None:
    for size in ("128k", "16k", "4k"):
        one = job(100, bs=size)
        one["write"]["bw_bytes"] = 100 * 1024 * int(size[:-1])
        output(tmp_path, f"w_{size}_round1.json", one)
    [test] = read_rounds([tmp_path])
    assert [each.block_size_bytes >> 10 for each in test.phase.workloads.values()] == [4, 16, 128]


def test_the_verdict_of_fio_itself_is_told(tmp_path: Path) -> None:
    jobs = [
        {**job(100, name=f"j{number}", group=number), "steadystate": {"ss": "iops:20%", "attained": number}}
        for number in range(2)
    ]
    [test] = read_rounds([output(tmp_path, "a.json", *jobs)])
    assert test.said == {"fio's iops:20%": "attained in 1 of 2 jobs"}


@pytest.mark.parametrize("name", ["Type", "IO Type", "Access Pattern", "Rand/Seq"])
def test_a_column_of_access_patterns_is_found_by_its_words(name: str, tmp_path: Path) -> None:
    rows = [f"{number},Seq,0,1024KiB,1,32,100" for number in range(1, 6)]
    [test] = read_rounds([table(tmp_path, f"round,{name},read,block_size,jobs,qd,iops", rows)])
    assert test.rounds.procedure.kind is ProcedureKind.THROUGHPUT
    assert [each.pattern for each in test.phase.workloads.values()] == [Access.SEQUENTIAL]


def test_a_bandwidth_in_mib_that_is_called_mb_is_refused(tmp_path: Path) -> None:
    def rows(unit: float) -> Sequence[str]:
        return [f"{number},0,1024k,{iops},{iops * 1048576 / unit:.2f}" for number, iops in enumerate(range(270, 276))]

    header = "round,read,bs,iops,MB/s"
    with pytest.raises(UsageError, match="a bandwidth in MiB/s that its header names in MB/s"):
        read_rounds([table(tmp_path, header, rows(1 << 20))])
    with pytest.raises(UsageError, match="a bandwidth in MB/s that its header names in MiB/s"):
        read_rounds([table(tmp_path, "round,read,bs,iops,MiB/s", rows(10**6))])
    [test] = read_rounds([table(tmp_path, header, rows(10**6))])
    assert iops_of(test)[0] == 270


def test_a_latency_matrix_with_iops_of_one_operation_in_flight_is_judged_by_latency(tmp_path: Path) -> None:
    header = "round,mix,bs,avg lat (us),iops"
    [at_one] = read_rounds([table(tmp_path, header, [f"{number},0/100,4k,100,9900" for number in range(1, 6)])])
    [deep] = read_rounds([table(tmp_path, header, [f"{number},0/100,4k,3200,9900" for number in range(1, 6)])])
    assert [each.quantity for each in at_one.phase.tracked] == [Quantity.LATENCY_NS_MEAN]
    assert [each.quantity for each in deep.phase.tracked] == [Quantity.IOPS]


@pytest.mark.parametrize("name", ["Read/Write Mix %", "Read / Write", "R/W Mix (%)", "RWRatio"])
def test_the_mix_has_many_names(name: str, tmp_path: Path) -> None:
    [test] = read_rounds([table(tmp_path, f"round,bs,{name},iops", ["1,4k,65/35,100"])])
    assert [each.read_percent for each in test.phase.workloads.values()] == [65]


def test_states_with_numbers_are_conditions(tmp_path: Path) -> None:
    rows = [f"{number},0,4k,AG{1 + number // 4},{1000 + number}" for number in range(1, 8)]
    with pytest.raises(UsageError, match="rows of several conditions: AG is AG1, AG2"):
        read_rounds([table(tmp_path, "round,read,bs,AG,iops", rows)])


def test_a_name_for_each_round_is_no_condition(tmp_path: Path) -> None:
    rows = [f"{number},{read},4k,loop{number},1000" for number in range(1, 6) for read in (0, 100)]
    [test] = read_rounds([table(tmp_path, "round,read,bs,label,iops", rows)])
    assert test.phase.rounds == 5


@pytest.mark.parametrize(
    ("header", "row", "message"),
    [
        ("round,read,bs,iops", "1,0,4k,26.8k", "26.8k is not a number; write it without a unit"),
        ("round,bs,0/100 MB/s", "1,4k,100", "a matrix of MB/s, and only IOPS can be in one"),
        ("round,av_lat", "1,100", "does not say the unit of av_lat"),
        ("3;fio-3.33;w;0;0;0;1", "", "is the terse output of fio"),
    ],
)
def test_what_is_not_read_is_named(header: str, row: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        read_rounds([table(tmp_path, header, [row])])
