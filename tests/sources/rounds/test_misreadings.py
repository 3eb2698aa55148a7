"""Files whose values would be those of something else are refused, or what is left out is named."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from iosonde.errors import UsageError
from iosonde.sources.rounds import MeasuredRounds, read_rounds
from iosonde.vocabulary import ProcedureKind, Quantity


def table(folder: Path, header: str, rows: Sequence[str], name: str = "t.csv") -> Path:
    path = folder / name
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def job(iops: float, *, name: str = "j", group: int | None = 0, **options: str) -> dict[str, Any]:
    asked = {"rw": "randwrite", "bs": "4k", "iodepth": "1", "numjobs": "1"} | options
    write = {"iops": iops, "bw_bytes": iops * 4096, "total_ios": int(iops)}
    return {"jobname": name, "groupid": group, "job options": asked, "write": write}


def output(folder: Path, name: str, *jobs: dict[str, Any], time_s: int = 0) -> Path:
    path = folder / name
    path.write_text(json.dumps({"fio version": "fio-3.33", "timestamp": time_s, "jobs": list(jobs)}), encoding="utf-8")
    return path


def iops_of(test: MeasuredRounds) -> list[float | None]:
    return [found[0].iops for found in test.phase.values]


@pytest.mark.parametrize(
    "header",
    [
        "IOPS/1000", "IOPS*1000", "IOPS %", "IOPS/$", "10^3 IOPS", "bw/1024", "1000 MB/s", "bw %", "BW", "lat (100ns)",
        "lat_us/10", "lat 50% us", "99.9%_lat_us", "95 lat_us",
    ],
)  # fmt: skip
def test_a_column_in_another_unit_or_of_another_statistic_is_no_value(header: str, tmp_path: Path) -> None:
    path = table(tmp_path, f"round,read,bs,{header}", [f"{number},0,4k,100" for number in range(1, 6)])
    with pytest.raises(UsageError, match=r"has no column for values|in a unit that is not read|not say the unit"):
        read_rounds([path])


def test_a_percentile_beside_the_mean_is_named_as_not_read(tmp_path: Path) -> None:
    path = table(tmp_path, "round,rw,bs,qd,clat 99% (us),clat avg (us)", ["1,randwrite,4k,1,900,100"])
    [test] = read_rounds([path])
    assert test.phase.values[0][0].latency_ns_mean == 100_000
    assert test.not_read == (f"{path}: columns clat 99% (us)",)


def test_a_column_that_is_not_used_is_named_wherever_it_is(tmp_path: Path) -> None:
    header = "note,drive,round,read,bs,iops"
    [test] = read_rounds([table(tmp_path, header, ["x,sda,1,0,4k,1000"])])
    assert test.not_read == (f"{tmp_path / 't.csv'}: columns note, drive",)


@pytest.mark.parametrize("separator", [";", "\t"])
@pytest.mark.parametrize(
    "values", [("100,000", "47,960"), ("100.000", "47.960"), ("1,020", "999"), ("480.020", "481.0")]
)
def test_values_whose_sign_can_separate_thousands_are_refused(
    values: tuple[str, str], separator: str, tmp_path: Path
) -> None:
    rows = [separator.join((str(number), "0", "4k", value)) for number, value in enumerate(values, 1)]
    path = table(tmp_path, separator.join(("round", "read", "bs", "iops")), rows)
    if "481.0" in values:
        assert iops_of(read_rounds([path])[0]) == [480.02, 481.0]
        return
    with pytest.raises(UsageError, match="can separate thousands"):
        read_rounds([path])


def test_bandwidth_of_random_writes_is_not_one_of_sequential_writes(tmp_path: Path) -> None:
    [test] = read_rounds([table(tmp_path, "round,rw,bs,bw_kib", ["1,randwrite,4k,4000"])])
    assert (test.rounds.procedure.kind, iops_of(test)) == (ProcedureKind.IOPS, [1000])


@pytest.mark.parametrize("header", ["OIO/Thread", "OIO", "Outstanding IO"])
def test_outstanding_operations_are_the_queue_depth(header: str, tmp_path: Path) -> None:
    [test] = read_rounds([table(tmp_path, f"round,read,bs,{header},iops", ["1,0,4k,32,1000"])])
    assert [each.queue_depth for each in test.phase.workloads.values()] == [32]


def test_a_table_of_latencies_at_a_deep_queue_is_judged_by_them(tmp_path: Path) -> None:
    rows = [f"{number},0,4k,32,{900 + number}" for number in range(1, 6)]
    [test] = read_rounds([table(tmp_path, "round,read,bs,qd,lat_us", rows)])
    assert test.rounds.procedure.kind is ProcedureKind.LATENCY
    assert [each.quantity for each in test.phase.tracked] == [Quantity.LATENCY_NS_MEAN]


def test_each_block_size_of_throughput_is_judged_by_itself(tmp_path: Path) -> None:
    rows = [f"{number},write,{size},{100}" for number in range(1, 6) for size in ("128k", "1024k")]
    tests = read_rounds([table(tmp_path, "round,rw,bs,MB/s", rows)])
    assert [each.rounds.procedure.name for each in tests] == ["throughput, 1 MiB", "throughput, 128 KiB"]


def test_jobs_of_later_groups_ran_after_those_before(tmp_path: Path) -> None:
    # fio leaves out a bare stonewall, so that only the number of the group shows it.
    one = output(tmp_path, "one.json", *(job(1000 + number, name=f"j{number}", group=number) for number in range(3)))
    [test] = read_rounds([one])
    assert iops_of(test) == [1000, 1001, 1002]


def test_jobs_of_groups_that_only_their_report_separates_ran_together(tmp_path: Path) -> None:
    jobs = (job(1000, name=f"j{number}", group=number, new_group="1") for number in range(3))
    [test] = read_rounds([output(tmp_path, "one.json", *jobs)])
    assert iops_of(test) == [3000]


def test_outputs_of_different_devices_are_refused(tmp_path: Path) -> None:
    for number in range(1, 11):
        device = f"/dev/nvme{number % 2}n1"
        output(tmp_path, f"round{number}.json", job(1000, filename=device))
    with pytest.raises(UsageError, match=r"is of /dev/nvme1n1, and .* of /dev/nvme0n1"):
        read_rounds([tmp_path])


def test_outputs_on_a_new_file_in_each_round_are_rounds(tmp_path: Path) -> None:
    for number in range(1, 6):
        output(tmp_path, f"round{number}.json", job(1000, filename=f"/mnt/test.{number}"))
    assert len(iops_of(read_rounds([tmp_path])[0])) == 5


@pytest.mark.parametrize("names", [("sda_{}", "sdb_{}"), ("{}_nvme0n1", "{}_nvme1n1"), ("SN1.{}", "SN2.{}")])
def test_names_that_differ_in_two_parts_do_not_say_which_one_is_the_round(names: Sequence[str], tmp_path: Path) -> None:
    for place, name in enumerate(names):
        for number in range(1, 6):
            output(tmp_path, f"{name.format(number)}.json", job(1000), time_s=10 * number + place)
    with pytest.raises(UsageError, match="the names of 10 outputs of a workload differ in 2 parts"):
        read_rounds([tmp_path])


def test_dates_and_times_in_names_are_one_sequence(tmp_path: Path) -> None:
    for number in range(6):
        output(tmp_path, f"fio-202611{28 + number // 3}-10{number}0.json", job(1000), time_s=number)
    assert len(iops_of(read_rounds([tmp_path])[0])) == 6


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x1f\x8b\x08\x00abc", "is compressed"),
        (b"PK\x03\x04abc", "is a spreadsheet or an archive"),
        ("round,read".encode("utf-16"), "is text in UTF-16"),
        (b"\xfe\xff\x00r\x00o", "is text in UTF-16"),
        (b"\x80\x81\x00\x01", "is not a table of text"),
        (b'{"jobs": []}', "is JSON, but not that of fio"),
    ],
)
def test_files_of_other_forms_are_named(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=message):
        read_rounds([path])


def test_the_matrix_of_a_short_form_is_not_judged_but_its_rounds_before_are(tmp_path: Path) -> None:
    rows = [f"p,track,screening,{number},0,4k,1000" for number in range(1, 6)] + ["p,matrix,rounds,1,0,4k,1000"]
    [test] = read_rounds([table(tmp_path, "procedure,phase,role,round,read_percent,bs,iops", rows)])
    assert test.rounds.procedure.name == "p, track: iops"


def test_names_that_leave_out_a_number_lack_a_round(tmp_path: Path) -> None:
    for number in (1, 2, 4, 5, 6):
        output(tmp_path, f"4k_r{number}.json", job(1000), time_s=number)
    with pytest.raises(UsageError, match="count from 1 to 6 in their names, but 3 is missing"):
        read_rounds([tmp_path])


def test_numbers_in_names_that_are_mostly_missing_do_not_count(tmp_path: Path) -> None:
    for number in (900, 930, 960, 990, 1020):
        output(tmp_path, f"at_{number}.json", job(1000), time_s=number)
    assert len(iops_of(read_rounds([tmp_path])[0])) == 5


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("percentage_random", "0", "partly sequential: percentage_random = 0"),
        ("rate_iops", "500", "a limited rate: rate_iops = 500"),
        ("rate", "1m,1m", "a limited rate: rate = 1m,1m"),
    ],
)
def test_jobs_that_are_no_plain_loop_are_refused(option: str, value: str, message: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {option: value}
    path = output(tmp_path, "round1.json", job(1000, **options))
    with pytest.raises(UsageError, match=message):
        read_rounds([path])


def test_jobs_that_are_all_random_are_taken(tmp_path: Path) -> None:
    path = output(tmp_path, "round1.json", job(1000, percentage_random="100,100"))
    assert iops_of(read_rounds([path])[0]) == [1000]


@pytest.mark.parametrize("header", ["device", "Drive", "Serial number", "host"])
def test_a_table_of_two_drives_is_refused(header: str, tmp_path: Path) -> None:
    rows = [f"{number},{'one' if number < 4 else 'two'},0,4k,100" for number in range(1, 6)]
    with pytest.raises(UsageError, match=f"several drives or runs: {header} is one, two"):
        read_rounds([table(tmp_path, f"round,{header},read,bs,iops", rows)])


def test_a_table_that_names_its_one_drive_is_taken(tmp_path: Path) -> None:
    rows = [f"{number},sda,0,4k,100" for number in range(1, 6)]
    assert len(iops_of(read_rounds([table(tmp_path, "round,device,read,bs,iops", rows)])[0])) == 5
