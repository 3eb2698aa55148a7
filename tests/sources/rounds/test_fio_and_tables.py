"""Rounds from fio's JSON and from tables: their order, cells, sums and verdicts."""

import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from iosonde.analysis.procedures import Verdict
from iosonde.errors import UsageError
from iosonde.report.judged_rounds import JudgedRounds, alike, judged
from iosonde.report.judged_tables import figure_tables
from iosonde.report.terminal.judged_rounds import render_judged
from iosonde.sources.rounds import Tracking, read_rounds
from iosonde.units import parse_bytes
from iosonde.vocabulary import ProcedureKind, Quantity


def verdicts_of(*paths: Path, tracking: tuple[Tracking, ...] = ()) -> dict[str, JudgedRounds]:
    found = [
        judged(each.source, each.rounds, each.first_round, each.said, doubts=each.doubts)
        for each in read_rounds(paths, tracking)
    ]
    return {each.name: each for each in found}


def part(iops: float, latency_us: float = 100.0, size: int = 4096) -> dict[str, Any]:
    latency = {"min": 1000, "max": 9_000_000, "mean": latency_us * 1000, "N": int(iops)}
    return {"iops": iops, "bw_bytes": iops * size, "total_ios": int(iops), "lat_ns": latency}


def output(
    folder: Path, name: str, read: float, write: float, *, time_ms: int = 0, jobs: int = 1, **options: object
) -> Path:
    asked: dict[str, object] = {
        "rw": "randrw",
        "rwmixread": "65",
        "bs": "4k",
        "ioengine": "libaio",
        "iodepth": "32",
        "numjobs": "4",
    }
    asked |= options
    size = parse_bytes(f"{asked['bs']}iB", "")
    job = {"jobname": "j", "job options": asked, "read": part(read, size=size), "write": part(write, size=size)}
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"fio version": "fio-3.33", "timestamp_ms": time_ms, "jobs": [job] * jobs}))
    return path


def series(test: JudgedRounds, quantity: Quantity = Quantity.IOPS) -> list[float]:
    return [float(value) for value in test.phase.array(quantity)[:, 0]]


def test_the_iops_of_a_mix_are_those_of_reads_and_writes_together(tmp_path: Path) -> None:
    output(tmp_path, "round1.json", 650, 350)
    test = verdicts_of(tmp_path)["iops"]
    assert series(test) == [1000]
    assert test.cells[0].workload.read_percent == 65


def test_jobs_that_ran_together_are_one_cell(tmp_path: Path) -> None:
    output(tmp_path, "round1.json", 650, 350, jobs=4)
    assert series(verdicts_of(tmp_path)["iops"]) == [4000]


def test_clones_of_two_jobs_that_ran_together_add_up_to_their_number(tmp_path: Path) -> None:
    path = output(tmp_path, "round1.json", 650, 350, jobs=2)
    path.write_text(path.read_text().replace('"jobname": "j"', '"jobname": "k"', 1))
    assert verdicts_of(tmp_path)["iops"].cells[0].workload.jobs == 8


def test_jobs_with_different_workloads_that_ran_together_are_refused(tmp_path: Path) -> None:
    path = output(tmp_path, "round1.json", 650, 350, jobs=2)
    path.write_text(path.read_text().replace('"rwmixread": "65"', '"rwmixread": "60"', 1))
    with pytest.raises(UsageError, match="jobs with different workloads that ran at the same time"):
        verdicts_of(tmp_path)


@pytest.mark.parametrize("option", ["bssplit", "bsrange", "blocksize_range"])
def test_a_job_with_several_block_sizes_is_refused(option: str, tmp_path: Path) -> None:
    several: dict[str, Any] = {option: "64k/50:128k/50"}
    output(tmp_path, "round1.json", 650, 350, **several)
    with pytest.raises(UsageError, match="jobs with several block sizes"):
        verdicts_of(tmp_path)


def test_only_tests_with_a_named_tracking_variable_are_judged(tmp_path: Path) -> None:
    for number in range(1, 6):
        for kind in ("randwrite", "write"):
            depth = 8 if kind == "write" else 32
            output(tmp_path, f"round{number}-{kind}.json", 0, 100, rw=kind, iodepth=depth)
    named = Tracking(Quantity.BYTES_PER_S, jobs=4, queue_depth=8)
    assert set(verdicts_of(tmp_path)) == {"iops", "throughput"}
    assert set(verdicts_of(tmp_path, tracking=(named,))) == {"throughput"}


@pytest.mark.parametrize("name", ["round{}.json", "round{}/cell.json", "{}/cell.json", "cell-loop_{}.json"])
def test_the_round_is_in_the_name_of_the_file_or_its_folder(name: str, tmp_path: Path) -> None:
    for number in (10, 9, 11):
        output(tmp_path, name.format(number), 7 * number, 3 * number)
    found = verdicts_of(tmp_path)["iops"]
    assert (series(found), found.first_round) == ([90, 100, 110], 9)


def test_without_a_round_in_the_names_the_time_of_the_outputs_orders_them(tmp_path: Path) -> None:
    for name, time_ms, iops in (("x871.json", 1, 10), ("x22.json", 2, 20), ("x430.json", 3, 30)):
        output(tmp_path, name, 0.7 * iops, 0.3 * iops, time_ms=time_ms)
    assert series(verdicts_of(tmp_path)["iops"]) == [10, 20, 30]


def test_outputs_of_which_only_some_name_their_round_are_refused(tmp_path: Path) -> None:
    for name in ("round1.json", "round2.json", "preconditioning.json"):
        output(tmp_path, name, 650, 350)
    with pytest.raises(UsageError, match="1 of 3 outputs of fio do not name their round"):
        verdicts_of(tmp_path)


def test_of_several_queue_depths_the_largest_is_tracked_and_each_has_its_table(tmp_path: Path) -> None:
    for number in range(1, 6):
        for depth in ("4", "16", "8"):
            output(
                tmp_path, f"round{number}-{depth}.json", 0, 10 * int(depth), rw="randwrite", iodepth=depth, numjobs=1
            )
    test = verdicts_of(tmp_path)["iops"]

    assert [each.cell for each in test.determinations] == ["random-write-4KiB-qd16"]
    assert alike(test, "random-write-4KiB-qd16") == 3
    assert {each.title: each.rows for each in figure_tables(test)} == {
        "Average IOPS, jobs x queue depth = 1 x 4": (("4 KiB", (40,)),),
        "Average IOPS, jobs x queue depth = 1 x 8": (("4 KiB", (80,)),),
        "Average IOPS, jobs x queue depth = 1 x 16": (("4 KiB", (160,)),),
    }


def test_a_mean_latency_is_weighted_by_operations(tmp_path: Path) -> None:
    job = {"job options": {"rw": "randrw", "rwmixread": "75", "bs": "8k", "iodepth": "2"}}
    job |= {"read": part(300, 100, 8192), "write": part(100, 500, 8192)}
    (tmp_path / "round1.json").write_text(json.dumps({"fio version": "fio-3.33", "jobs": [job]}))
    assert series(verdicts_of(tmp_path)["iops"], Quantity.LATENCY_NS_MEAN) == [200_000]


def test_an_output_without_extremes_has_a_mean_latency_and_no_maximum(tmp_path: Path) -> None:
    path = output(tmp_path, "round1.json", 650, 350)
    text = path.read_text().replace('"min": 1000, "max": 9000000, ', "")
    path.write_text(text)
    [cell] = verdicts_of(tmp_path)["iops"].cells

    assert (cell.latency_ns_mean, cell.latency_ns_max) == (100_000, None)


def test_random_and_sequential_cells_are_different_tests(tmp_path: Path) -> None:
    output(tmp_path, "round1-a.json", 100, 0, rw="randread")
    output(tmp_path, "round1-b.json", 0, 100, rw="write", bs="128k")
    output(tmp_path, "round1-c.json", 0, 100, rw="randwrite", iodepth="1", numjobs="1")
    kinds = {name: test.kind for name, test in verdicts_of(tmp_path).items()}
    assert kinds == {
        "iops": ProcedureKind.IOPS,
        "throughput": ProcedureKind.THROUGHPUT,
        "latency": ProcedureKind.LATENCY,
    }


def test_a_cell_twice_in_one_round_is_refused(tmp_path: Path) -> None:
    output(tmp_path, "round1-a.json", 65, 35)
    output(tmp_path, "round1-b.json", 65, 35)
    with pytest.raises(UsageError, match=r"a\.json and .*b\.json both have round 1 of random-mix65-4KiB-qd32-jobs4"):
        read_rounds([tmp_path])


def table(folder: Path, values: list[float], header: str = "round,rwmixread,bs,iops", size: str = "4k") -> Path:
    path = folder / "rounds.csv"
    path.write_text("\n".join([header, *(f"{number},0,{size},{value}" for number, value in enumerate(values, 1))]))
    return path


def test_a_table_is_judged_by_the_first_window_that_holds(tmp_path: Path) -> None:
    # By hand: rounds 1 and 2 are outside, and 3 to 7 are the first five within the criterion.
    test = verdicts_of(table(tmp_path, [200, 150, 100, 101, 99, 100, 100, 100]))["iops"]
    assert test.own is not None
    assert (test.own.reached, list(test.window)) == (7, [3, 4, 5, 6, 7])
    assert test.cells[0].iops == 100.0


def test_a_window_at_the_bounds_of_the_criterion_holds(tmp_path: Path) -> None:
    # By hand: the values range over 20 of their mean of 100, and the line changes by 4 * (2 * 20 - 20) / 10 = 8.
    wide = verdicts_of(table(tmp_path, [90, 110, 100, 90, 110]))["iops"]
    assert wide.determinations[0].range_share == pytest.approx(0.20)
    # By hand: the line changes by 4 * (2 * 10 + 5) / 10 = 10, and values range over 10.
    steep = verdicts_of(table(tmp_path, [95, 97.5, 100, 102.5, 105]))["iops"]
    assert steep.determinations[0].excursion_share == pytest.approx(0.10)
    assert [each.own and each.own.verdict for each in (wide, steep)] == [Verdict.REACHED] * 2


def test_rounds_that_leave_steady_state_are_told(tmp_path: Path) -> None:
    test = verdicts_of(table(tmp_path, [100, 100, 100, 100, 100, 300]))["iops"]
    assert test.own is not None
    assert (test.own.verdict, test.own.reached, test.own.left) == (Verdict.LEFT, 5, 6)
    assert test.cells[0].iops == 100.0


def test_fewer_rounds_than_the_window_are_not_judged(tmp_path: Path) -> None:
    test = verdicts_of(table(tmp_path, [100, 100, 100, 100]))["iops"]
    assert (test.determinations, test.own and test.own.reached) == ((), None)


@pytest.mark.parametrize(
    ("header", "quantity", "value"),
    [
        ("Round;R/W mix %;Block Size;IOPS", Quantity.IOPS, 100),
        ("round\trw\tbs\tMB/s", Quantity.BYTES_PER_S, 100 * 10**6),
        ("round,read_percent,block_size,bw_kib", Quantity.BYTES_PER_S, 100 * 1024),
        ("loop,read,block size,latency (us)", Quantity.LATENCY_NS_MEAN, 100_000),
        ("round,read,bs,avg_lat_ms", Quantity.LATENCY_NS_MEAN, 100 * 10**6),
    ],
)
def test_columns_are_found_by_usual_names_and_units(
    header: str, quantity: Quantity, value: float, tmp_path: Path
) -> None:
    separator = next(each for each in ";\t," if each in header)
    path = tmp_path / "rounds.csv"
    path.write_text("\n".join([header, *(separator.join((str(n), "0", "4k", "100")) for n in range(5))]))
    (test,) = verdicts_of(path).values()
    assert series(test, quantity) == [value] * 5


def test_a_column_for_each_mix_gives_a_cell_for_each(tmp_path: Path) -> None:
    path = tmp_path / "rounds.csv"
    path.write_text("round,block size,100/0 iops,65/35 iops,0/100 iops\n1,4k,30,20,10\n1,512,60,50,40\n")
    (test,) = verdicts_of(path).values()
    found = {(each.workload.block_size_bytes, each.workload.read_percent): each.iops for each in test.cells}
    assert found == {(4096, 100): 30, (4096, 65): 20, (4096, 0): 10, (512, 100): 60, (512, 65): 50, (512, 0): 40}


def test_bandwidth_follows_from_operations_of_one_size(tmp_path: Path) -> None:
    path = tmp_path / "rounds.csv"
    path.write_text("round,rw,bs,iops\n" + "".join(f"{number},write,128k,1000\n" for number in range(1, 6)))
    assert series(verdicts_of(path)["throughput"], Quantity.BYTES_PER_S) == [1000 * 131_072] * 5


def test_the_only_cell_of_a_test_is_judged_whatever_it_is(tmp_path: Path) -> None:
    path = table(tmp_path, [100] * 5, size="16k")
    own = verdicts_of(path)["iops"].own
    assert own is not None
    assert own.reached == 5


def test_a_tracking_variable_can_be_named(tmp_path: Path) -> None:
    path = table(tmp_path, [100] * 5, size="16k")
    with path.open("a") as more:
        more.write("".join(f"\n{number},0,32k,50" for number in range(1, 6)))
    asked = Tracking(Quantity.IOPS, read_percent=0, block_size_bytes=16384)
    assert verdicts_of(path)["iops"].own is None
    judged_test = verdicts_of(path, tracking=(asked,))["iops"]
    assert judged_test.own is not None
    assert judged_test.own.verdict is Verdict.REACHED


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "has no column for round and block size and mix and values"),
        ("round,read,bs,iops\n1,0,4k,many\n", "row 2 cannot be read"),
        ("round,read,bs,iops\n-2,0,4k,100\n", "-2 is not the number of a round"),
        ("round,read,bs,iops,lat_us,lat_max_us\n1,0,4k,100,50,20\n", "the maximum latency of 20 µs is below the mean"),
        ("round,read,bs,iops,mb_s\n1,0,4k,1000,1000\n", "1000 operations/s of 4096 bytes are 4.096 MB/s, and not 1000"),
        ("", "is empty"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_with_the_reason(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "rounds.csv"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        read_rounds([path])


@pytest.mark.parametrize("value", ["inf", "-inf", "nan", "-5", "1e308", "1_000", "\u0663", "1,234"])
def test_a_value_that_nothing_can_measure_is_refused(value: str, tmp_path: Path) -> None:
    path = tmp_path / "rounds.csv"
    rows = [f"{number},0,4KiB,{value if number == 3 else 100}" for number in range(1, 6)]
    path.write_text("\n".join(["round,read_percent,block_size,iops", *rows]), encoding="utf-8")
    with pytest.raises(UsageError, match="row 4 cannot be read") as raised:
        read_rounds([path])
    assert raised.value.hint


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    path.write_bytes(b"round,read\r\x00\r,1\r" * 9)
    with pytest.raises(UsageError):
        read_rounds([path])


def test_a_run_of_iosonde_is_refused_with_the_command_that_shows_it(tmp_path: Path) -> None:
    (tmp_path / "run.json").touch()
    with pytest.raises(UsageError, match="is a run of iosonde") as raised:
        verdicts_of(tmp_path)
    assert "iosonde show" in raised.value.hint


def test_a_missing_file_and_an_empty_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        read_rounds([tmp_path / "none.xml"])
    with pytest.raises(UsageError, match="has no files of rounds"):
        read_rounds([tmp_path])


def old_output(path: Path, read: float, write: float, job: str = "job", size: int = 4096) -> Path:
    """An output of fio 2.2 or older, which has no options."""
    path.parent.mkdir(parents=True, exist_ok=True)
    parts = {
        name: {
            "io_bytes": size * iops,
            "bw": iops * size // 1024,
            "iops": iops,
            "lat": {"min": 1, "max": 9000, "mean": 100.0},
        }
        for name, iops in (("read", read), ("write", write))
    }
    path.write_text(json.dumps({"fio version": "fio-2.1.4", "jobs": [{"jobname": job, "groupid": 0} | parts]}))
    return path


@pytest.mark.parametrize(
    ("name", "job", "shares", "expected"),
    [
        ("01_IOPS_test/results/fio_pass={}_rw=65_bs=4096.json", "job", (65, 35), "random 65 4096 1 1"),
        ("02_Throughput/results/fio_pass={}_rw=0_bs=1048576.json", "job", (0, 100), "sequential 0 1048576 1 1"),
        ("round{}/randread-4k-qd32-jobs4.json", "job", (100, 0), "random 100 4096 32 4"),
        ("round{}/8k_95_5_iodepth16.json", "job", (96, 4), "random 95 8192 16 1"),
        ("round{}/bs=64k.json", "random-write", (0, 100), "random 0 65536 1 1"),
        ("round{}/seq_write_128k.json", "job", (0, 100), "sequential 0 131072 1 1"),
    ],
)
def test_names_have_the_options_that_old_outputs_lack(
    name: str, job: str, shares: tuple[float, float], expected: str, tmp_path: Path
) -> None:
    size = int(expected.split()[2])
    paths = [old_output(tmp_path / name.format(number), *shares, job, size) for number in range(1, 6)]
    [test] = verdicts_of(*paths).values()
    [cell] = test.cells
    work = cell.workload
    found = (work.pattern, work.read_percent, work.block_size_bytes, work.queue_depth, work.jobs)
    assert " ".join(map(str, found)) == expected
    assert (test.rounds, cell.iops, cell.latency_ns_mean) == (5, 100, 100_000)


def test_a_name_that_contradicts_the_operations_is_refused(tmp_path: Path) -> None:
    path = old_output(tmp_path / "round1" / "rw=65_bs=4k.json", 35, 65)
    with pytest.raises(UsageError, match="its name tells 65 % of reads, but 35 % of its operations are reads"):
        read_rounds([path])


@pytest.mark.parametrize("name", ["results.json", "bs=4k.json", "randread.json"])
def test_an_old_output_whose_name_does_not_say_what_it_is_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not say what was measured") as refused:
        read_rounds([old_output(tmp_path / "round1" / name, 100, 0)])
    assert "rw=65_bs=4k_qd=32_round=3.json" in refused.value.hint


OWN_HEADER = (
    "procedure,phase,role,round,cell,pattern,read_percent,block_size_bytes,block_sizes,"
    "queue_depth,jobs,iops,bytes_per_s"
)


def own_table(folder: Path, *rows: str) -> Path:
    """A table as iosonde writes it."""
    path = folder / "rounds.csv"
    path.write_text("\n".join((OWN_HEADER, *rows)) + "\n")
    return path


def test_cells_with_the_same_workload_are_told_apart_by_their_names(tmp_path: Path) -> None:
    rows = [
        f"hdd,zones,rounds,{number},{zone},sequential,100,1048576,,1,1,{iops},{iops << 20}"
        for number in range(1, 6)
        for zone, iops in (("outer", 200), ("inner", 100))
    ]
    [test] = verdicts_of(own_table(tmp_path, *rows)).values()
    assert [(cell.cell, cell.iops) for cell in test.cells] == [("outer", 200), ("inner", 100)]
    tables = {each.title: each.rows for each in figure_tables(test)}
    assert tables["Average throughput in MiB/s, inner"] == (("1 MiB", (100,)),)


def test_a_test_of_demands_is_one_test_also_with_a_single_operation_in_flight(tmp_path: Path) -> None:
    rows = [
        f"cbw,demand,rounds,{number},c{jobs},random,40,65536,snia-composite,1,{jobs},{1000 * jobs},"
        for number in range(1, 6)
        for jobs in (1, 2)
    ]
    [test] = verdicts_of(own_table(tmp_path, *rows)).values()
    assert [each.iops for each in test.cells] == [1000, 2000]
    # By hand, of the shares of SNIA's composite: 15.27 sectors of 512 bytes are the mean.
    assert test.cells[0].bytes_per_s == pytest.approx(1000 * 15.27 * 512)
    assert [each.rows[0][0] for each in figure_tables(test)] == ["snia-composite"] * 2


def test_a_table_of_long_trials_only_is_refused_with_what_it_has(tmp_path: Path) -> None:
    path = own_table(tmp_path, "wsat,w,saturation,1,c,random,0,4096,,32,4,1000,4096000")
    with pytest.raises(UsageError, match="has no rounds, only saturation") as refused:
        read_rounds([path])
    assert "iosonde show RUN" in refused.value.hint


def test_rounds_that_are_too_few_are_not_called_zero(tmp_path: Path) -> None:
    [test] = verdicts_of(own_table(tmp_path, "tp,rounds,rounds,1,c,sequential,0,1048576,,32,1,100,104857600")).values()
    console = Console(record=True, width=120)
    console.print(render_judged((test,)))
    text = console.export_text()
    assert "undecided: there is only 1 round; window: round 1" in text
    assert "is 0" not in text


def test_a_missing_round_after_steady_state_does_not_leave_it(tmp_path: Path) -> None:
    rows = "".join(f"{number},0,4k,{1000 if number != 8 else ''}\n" for number in range(1, 13))
    (tmp_path / "t.csv").write_text(f"round,read,bs,iops\n{rows}")
    [test] = verdicts_of(tmp_path / "t.csv").values()
    assert (test.own is not None and test.own.verdict, test.unknown_rounds) == (Verdict.REACHED, [8])


def test_the_window_of_unsteady_rounds_is_the_last_one_that_can_be_judged(tmp_path: Path) -> None:
    values = [100, 200, 400, 800, 1600, 3200, 6400, "", 12800]
    rows = "".join(f"{number},0,4k,{value}\n" for number, value in enumerate(values, 1))
    (tmp_path / "t.csv").write_text(f"round,read,bs,iops\n{rows}")
    [test] = verdicts_of(tmp_path / "t.csv").values()
    assert list(test.window) == [3, 4, 5, 6, 7]
    assert [each.average for each in test.determinations] == [2480]


def test_a_tracking_variable_of_zero_is_named(tmp_path: Path) -> None:
    rows = "".join(f"{number},0,4k,100\n{number},65,64k,0\n" for number in range(1, 6))
    (tmp_path / "t.csv").write_text(f"round,read,bs,iops\n{rows}")
    [test] = verdicts_of(tmp_path / "t.csv").values()
    assert test.zero_cells == ["random-mix65-64KiB-qd1"]


def test_words_of_fio_can_have_a_percentage_beside_them(tmp_path: Path) -> None:
    rows = "".join(f"{n},randrw,65,64k,100\n{n},randwrite,50,4k,200\n" for n in range(1, 6))
    (tmp_path / "t.csv").write_text(f"round,rw,rwmixread,bs,iops\n{rows}")
    [test] = verdicts_of(tmp_path / "t.csv").values()
    assert [(each.workload.read_percent, each.iops) for each in test.cells] == [(65, 100), (0, 200)]


def test_equal_values_have_no_correlation_whatever_their_rounding(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("round,read,bs,iops\n" + "".join(f"{n},0,4k,121.1\n" for n in range(1, 8)))
    [test] = verdicts_of(tmp_path / "t.csv").values()
    assert [each.correlation for each in test.determinations] == [None]


def test_tracking_variables_that_were_not_measured_are_named(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("round,read,bs,iops\n" + "".join(f"{n},0,4k,100\n" for n in range(1, 6)))
    [test] = verdicts_of(tmp_path / "t.csv").values()
    assert test.untracked == ["64 KiB 65/35", "1 MiB 100/0"]


def test_a_matrix_beyond_that_of_the_latency_test_is_one_of_iops(tmp_path: Path) -> None:
    rows = "".join(f"{n},4k,0,1,1000,900\n{n},64k,65,1,{1.3**n * 100},900\n" for n in range(1, 8))
    (tmp_path / "t.csv").write_text(f"round,bs,read,qd,iops,lat_us\n{rows}")
    [test] = verdicts_of(tmp_path / "t.csv").values()
    assert (test.kind, test.own is not None and test.own.verdict) == (ProcedureKind.IOPS, Verdict.NOT_REACHED)


def test_a_table_of_bandwidth_only_is_one_of_throughput(tmp_path: Path) -> None:
    rows = "".join(
        f"{n},1MiB,{mix},{value}\n" for n in range(1, 6) for mix, value in (("0/100", 440 / n), ("100/0", 5))
    )
    (tmp_path / "t.csv").write_text(f"Round,Block Size,R/W Mix,Throughput (MB/s)\n{rows}")
    [test] = verdicts_of(tmp_path / "t.csv").values()
    assert test.kind is ProcedureKind.THROUGHPUT
    assert [each.cell for each in test.determinations] == ["sequential-write-1MiB-qd1"]


@pytest.mark.parametrize("header", ["Throughput (Gb/s)", "Mbps", "bw Mbit/s"])
def test_bits_per_second_are_refused(header: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"round,read,bs,{header}\n1,0,1m,4\n")
    with pytest.raises(UsageError, match="has a column in bits"):
        read_rounds([tmp_path / "t.csv"])


def test_points_that_can_separate_thousands_are_refused(tmp_path: Path) -> None:
    rows = "".join(f"{number};0;4k;{text}\n" for number, text in enumerate(("987", "1.012", "1.005", "999"), 1))
    (tmp_path / "t.csv").write_text(f"round;read;bs;iops\n{rows}")
    with pytest.raises(UsageError, match=r"values such as 1\.012, whose point can separate thousands"):
        read_rounds([tmp_path / "t.csv"])


def test_folders_of_unnumbered_outputs_are_tests_of_their_own(tmp_path: Path) -> None:
    for drive, iops in (("a", 1000), ("b", 5000)):
        for number in range(1, 6):
            output(tmp_path, f"{drive}/r{number}.json", 0, iops, time_ms=number, rw="randwrite")
    found = read_rounds([tmp_path / "a", tmp_path / "b"])
    assert [each.phase.rounds for each in found] == [5, 5]
    with pytest.raises(UsageError, match="have several outputs of the same workload"):
        read_rounds([tmp_path])


def test_jobs_that_ran_together_are_counted_also_without_numjobs(tmp_path: Path) -> None:
    for number in range(1, 6):
        output(tmp_path, f"round{number}.json", 0, 1000, jobs=4, rw="randwrite", numjobs="1")
    [test] = verdicts_of(tmp_path).values()
    [cell] = test.cells
    assert (cell.workload.jobs, cell.iops) == (4, 4000)


def test_synchronous_engines_have_one_operation_in_flight(tmp_path: Path) -> None:
    output(tmp_path, "round1.json", 0, 1000, rw="randwrite", ioengine="psync", iodepth="32", numjobs="1")
    [test] = read_rounds([tmp_path])
    assert [each.queue_depth for each in test.phase.workloads.values()] == [1]


def test_operations_of_another_size_than_the_name_says_are_refused(tmp_path: Path) -> None:
    path = old_output(tmp_path / "round1" / "randread_bs=4096.json", 100, 0, size=16384)
    with pytest.raises(UsageError, match="the operations have 16,384 bytes, and not 4,096"):
        read_rounds([path])


def test_notes_beside_the_outputs_of_fio_are_left_out_and_named(tmp_path: Path) -> None:
    output(tmp_path, "round1.json", 0, 1000, rw="randwrite")
    (tmp_path / "notes.txt").write_text("drive 3, second shelf")
    [test] = read_rounds([tmp_path])
    [left] = test.not_read
    assert "notes.txt" in left
    console = Console(width=200)
    with console.capture() as printed:
        console.print(render_judged((judged(test.source, test.rounds, 1, {}, test.not_read),)))
    assert f"not read: {left}" in printed.get()
