"""Tables and outputs as people and programs write them: read as they are meant, or refused with the reason."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from iosonde.analysis.procedures import RoundValue
from iosonde.errors import UsageError
from iosonde.records import Access, Workload
from iosonde.report.judged_rounds import JudgedRounds, judged, plain
from iosonde.sources.rounds import MeasuredRounds, Tracking, read_rounds
from iosonde.vocabulary import ProcedureKind, Quantity


def table(folder: Path, *lines: str) -> Path:
    path = folder / "rounds.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def rounds(folder: Path, *lines: str) -> MeasuredRounds:
    (found,) = read_rounds([table(folder, *lines)])
    return found


def first(found: MeasuredRounds) -> tuple[Workload, RoundValue]:
    phase = found.phase
    return phase.workloads[phase.cells[0]], phase.values[0][0]


def verdict(found: MeasuredRounds) -> JudgedRounds:
    return judged(found.source, found.rounds, found.first_round, found.said)


def five(values: Sequence[object], row: str) -> list[str]:
    return [row.format(number=number, value=value) for number, value in enumerate(values, 1)]


@pytest.mark.parametrize(
    ("unit", "value", "latency_ns"),
    [
        ("Latency (\N{GREEK SMALL LETTER MU}s)", "41", 41_000),
        ("Latency (\N{MICRO SIGN}s)", "41", 41_000),
        ("lat_usec", "41", 41_000),
        ("Average Latency [ms]", "0.041", 41_000),
    ],
)
def test_the_unit_of_a_latency_is_that_of_its_header(unit: str, value: str, latency_ns: int, tmp_path: Path) -> None:
    _, found = first(rounds(tmp_path, f"round,read,bs,qd,{unit}", f"1,0,4k,1,{value}"))
    assert found.latency_ns_mean == latency_ns


@pytest.mark.parametrize(
    ("header", "bytes_per_s"),
    [
        ("MiB/sec", 2 << 20),
        ("Throughput (MiB/s)", 2 << 20),
        ("bandwidth_mb_s", 2_000_000),
        ("KB/s", 2_000),
        ("GB/s", 2_000_000_000),
    ],
)
def test_the_unit_of_a_bandwidth_is_that_of_its_header(header: str, bytes_per_s: int, tmp_path: Path) -> None:
    _, found = first(rounds(tmp_path, f"round,rw,bs,qd,{header}", "1,write,1m,32,2"))
    assert found.bytes_per_s == bytes_per_s


def test_a_unit_in_another_script_has_no_meaning(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no column for values"):
        rounds(tmp_path, "round,read,bs,qd,Latency (\N{CYRILLIC SMALL LETTER ES})", "1,0,4k,1,41")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("round,read,bs,qd,iops", "1,0.65,64k,32,100"), "0.65 is not a whole number"),
        (("round,read,bs,qd,iops", "1,1,64k,32,100", "1,0,64k,32,100"), "1 % or all operations"),
        (("round,read,bs,qd,iops", "1,70/35,64k,32,100"), "70/35 is not a mix"),
        (("round,read,bs,qd,iops", "1,150,64k,32,100"), "150 % of reads is not from 0 to 100"),
        (("round,read,bs,qd,iops", "1,0,4,32,100"), "a block of 4 bytes"),
        (("round,read,bs,qd,iops", "1,0,4k,0,100"), "queue depth of 0 is no demand"),
        (("round,read,bs,qd,iops", "inf,0,4k,32,100"), "inf is not the number of a round"),
        (("round,read,bs,bw_kib", "1,0,0,100"), "a block of 0 bytes"),
        (("round,read,bs,qd,iops", "1,0,4k"), "has 3 of 5 fields"),
        (("round,read,bs,qd,iops,iops_mean", "1,0,4k,32,1000,2000"), "several columns of iops"),
        (("round,read,bs,qd,iops", "1,0,4k,32,100", "3000000,0,4k,32,100"), "has rounds 1 to 3000000"),
    ],
)
def test_what_cannot_be_meant_is_refused(lines: Sequence[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        read_rounds([table(tmp_path, *lines)])


@pytest.mark.parametrize(
    "lines",
    [
        ("round;read;bs;qd;iops", "1;0;4k;32;1000,5"),
        ("sep=;", "round;read;bs;qd;iops", "1;0;4k;32;1000,5"),
        ("# of the lab", "round,read,bs,qd,iops", "R1,0.0,4k,32.0,1000.5"),
        ("round,read,Block Size (KiB),qd,iops", "1,0,4,32,1000.5"),
    ],
)
def test_usual_spellings_of_a_table_are_read(lines: Sequence[str], tmp_path: Path) -> None:
    workload, found = first(rounds(tmp_path, *lines))
    assert (workload.block_size_bytes, workload.queue_depth, workload.read_percent) == (4096, 32, 0)
    assert found.iops == 1000.5


def test_the_words_of_fio_for_sequential_access_are_a_throughput_test(tmp_path: Path) -> None:
    found = rounds(tmp_path, "round,rw,bs,qd,bw_kib", *five([1000] * 5, "{number},write,1m,32,{value}"))
    assert found.rounds.procedure.kind is ProcedureKind.THROUGHPUT
    assert first(found)[0].pattern is Access.SEQUENTIAL


def test_a_table_without_a_queue_depth_is_judged_by_its_iops(tmp_path: Path) -> None:
    rows = five([100, 200, 100, 200, 100], "{number},0,4k,{value},50")
    found = verdict(rounds(tmp_path, "round,read,bs,iops,lat_us", *rows))
    assert found.own is not None
    assert found.own.reached is None


def test_rounds_of_zeros_are_not_steady(tmp_path: Path) -> None:
    found = verdict(rounds(tmp_path, "round,read,bs,qd,iops", *five([0] * 6, "{number},0,4k,32,{value}")))
    assert found.own is not None
    assert found.own.reached is None


def test_rounds_with_gaps_have_no_window(tmp_path: Path) -> None:
    rows = [f"{number},0,4k,32,100" for number in (1, 2, 3, 5, 6, 7, 8)]
    found = verdict(rounds(tmp_path, "round,read,bs,qd,iops", *rows))
    assert found.is_too_short
    assert (found.unknown_rounds, found.rounds) == ([4], 8)
    assert plain(found)["criteria"][0]["verdict"] == "undecided"


def output(**fields: object) -> dict[str, object]:
    options = {"rw": "randwrite", "bs": "4k", "iodepth": "32"}
    return {"jobname": "a", "job options": options, "write": {"iops": 1000, "bw": 4000, "total_ios": 1}} | fields


def fio(folder: Path, *jobs: object, name: str = "round1.json") -> Path:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"fio version": "fio-3.33", "jobs": jobs}), encoding="utf-8")
    return path


@pytest.mark.parametrize("with_groups", [True, False])
def test_jobs_of_fio_that_ran_one_after_the_other_are_rounds_of_their_own(tmp_path: Path, *, with_groups: bool) -> None:
    options = {"rw": "randwrite", "bs": "4k", "iodepth": "32", "stonewall": "1"}
    jobs = [
        output(jobname=f"job{number}", **{"job options": options}) | ({"groupid": number} if with_groups else {})
        for number in range(6)
    ]
    (found,) = read_rounds([fio(tmp_path, *jobs, name="all.json")])
    assert [row[0].iops for row in found.phase.values] == [1000] * 6


def test_clones_of_a_job_with_stonewall_ran_at_the_same_time(tmp_path: Path) -> None:
    options = {"rw": "randwrite", "bs": "4k", "iodepth": "32", "numjobs": "2", "stonewall": "1"}
    jobs = [output(groupid=0, **{"job options": options})] * 2
    (found,) = read_rounds([fio(tmp_path, *jobs)])
    assert first(found)[1].iops == 2000


def test_a_job_with_an_error_has_no_value(tmp_path: Path) -> None:
    (found,) = read_rounds([fio(tmp_path, output(error=5))])
    assert first(found)[1].iops is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"iodepth": "abc"}, "cannot be read"),
        ({"rw": "randrw", "rwmixread": "150"}, "150 % of reads"),
        ({"iodepth": "0"}, "queue depth of 0"),
        ({"bs": "4k,64k"}, "a block size that cannot be read: 4k,64k"),
    ],
)
def test_options_of_fio_that_cannot_be_meant_are_refused(options: dict[str, str], message: str, tmp_path: Path) -> None:
    asked = {"rw": "randwrite", "bs": "4k", "iodepth": "32"} | options
    with pytest.raises(UsageError, match=message):
        read_rounds([fio(tmp_path, output(**{"job options": asked}))])


@pytest.mark.parametrize("iops", [None, "Infinity", -1])
def test_values_of_fio_that_nothing_measures_are_refused(iops: object, tmp_path: Path) -> None:
    path = fio(tmp_path, output(write={"iops": iops, "bw": 4000, "total_ios": 1}))
    path.write_text(path.read_text().replace('"Infinity"', "Infinity"), encoding="utf-8")
    with pytest.raises(UsageError):
        read_rounds([path])


@pytest.mark.parametrize(
    ("name", "number"),
    [("3/rnd128k.json", 3), ("round3_run1.json", 3), ("run7/round2.json", 2), ("run4/all.json", 4)],
)
def test_the_round_is_the_number_of_a_round_before_that_of_a_run(name: str, number: int, tmp_path: Path) -> None:
    (found,) = read_rounds([fio(tmp_path, output(), name=name)])
    assert found.first_round == number


def test_a_tracking_variable_applies_to_the_test_of_a_file_that_has_it(tmp_path: Path) -> None:
    path = tmp_path / "drive.xml"
    iops = json.dumps([[[100] * 8] * 7] * 5)
    latency = json.dumps([[[[1, 3, 2]] * 3] * 3] * 5)
    path.write_text(
        f"<a><iops><roundmat>{iops}</roundmat></iops><lat><roundmat>{latency}</roundmat></lat></a>", encoding="utf-8"
    )
    mine, other = read_rounds([path], [Tracking(Quantity.IOPS, 65, 65536)])
    assert [each.quantity for each in mine.phase.tracked] == [Quantity.IOPS]
    assert mine.phase.workloads[mine.phase.tracked[0].cell].read_percent == 65
    assert [each.quantity for each in other.phase.tracked] == [Quantity.LATENCY_NS_MEAN]


def test_negative_values_of_tkperf_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "drive.xml"
    path.write_text(f"<a><iops><roundmat>{[[[-1] * 8] * 7] * 5}</roundmat></iops></a>", encoding="utf-8")
    with pytest.raises(UsageError, match=r"-1\.0 is no value"):
        read_rounds([path])
