"""Tables with columns of reads and of writes, and tables without columns for what is the same in all rows."""

from pathlib import Path

import pytest

from iosonde.errors import UsageError
from iosonde.sources.rounds import GivenCell, MeasuredRounds, Tracking, read_rounds
from iosonde.vocabulary import Quantity
from tools.tkperf_of_seed import tkperf_xml

CELL = "round,read,bs"


def rounds(folder: Path, header: str, *values: str, given: GivenCell | None = None) -> MeasuredRounds:
    """The rounds of a table with the same values in each of five rounds."""
    path = folder / "table.csv"
    path.write_text(f"{header}\n" + "".join(f"{n},{each}\n" for n in range(1, 6) for each in values))
    [found] = read_rounds([path], given=given or GivenCell())
    return found


def first(test: MeasuredRounds, quantity: Quantity) -> float | None:
    return test.phase.values[0][0].of(quantity)


@pytest.mark.parametrize(
    "header",
    [
        "Read IOPS,Write IOPS,Total IOPS",
        "read_iops,write_iops,total_iops",
        "IOPS read,IOPS write,IOPS total",
        "rd_iops,wr_iops,iops",
    ],
)
def test_reads_and_writes_belong_to_the_total(header: str, tmp_path: Path) -> None:
    test = rounds(tmp_path, f"{CELL},{header}", "65,4k,6500,3500,10000")
    assert first(test, Quantity.IOPS) == 10_000
    assert test.not_read == ()


def test_without_a_total_throughputs_are_added_up_and_latencies_weighted(tmp_path: Path) -> None:
    header = f"{CELL},read iops,write iops,read lat us,write lat us,read bw KiB/s,write bw KiB/s,read max lat us"
    test = rounds(tmp_path, f"{header},write max lat us", "75,4k,3000,1000,100,20,12000,4000,900,800")
    [[value], *_] = test.phase.values
    assert (value.iops, value.bytes_per_s) == (4000, 4000 * 4096)
    # (3,000 × 100 + 1,000 × 20) / 4,000.
    assert (value.latency_ns_mean, value.latency_ns_max) == (80_000, 900_000)


def test_a_mean_latency_of_a_mix_is_unknown_without_the_rates(tmp_path: Path) -> None:
    test = rounds(tmp_path, f"{CELL},iops,read lat us,write lat us", "75,4k,4000,100,20")
    assert (first(test, Quantity.IOPS), first(test, Quantity.LATENCY_NS_MEAN)) == (4000, None)


@pytest.mark.parametrize(("read", "iops"), [(100, 300), (0, 500)])
def test_a_pure_cell_has_the_value_of_its_direction(read: int, iops: int, tmp_path: Path) -> None:
    values = "300,0,40,0" if read else "0,500,0,40"
    test = rounds(tmp_path, f"{CELL},read iops,write iops,read lat us,write lat us", f"{read},4k,{values}")
    assert (first(test, Quantity.IOPS), first(test, Quantity.LATENCY_NS_MEAN)) == (iops, 40_000)


def test_a_direction_that_was_not_measured_is_unknown(tmp_path: Path) -> None:
    test = rounds(tmp_path, f"{CELL},write iops", "65,4k,500")
    assert first(test, Quantity.IOPS) is None


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("65,4k,3500,6500", "its mix has 65 % of reads, but 35 % of its operations are reads"),
        ("100,4k,3500,1", "its mix has 100 % of reads, but 100 % of its operations are reads"),
        ("0,4k,6500,0", "its mix has 0 % of reads, but 100 % of its operations are reads"),
    ],
)
def test_operations_that_are_not_those_of_the_mix_are_refused(row: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        rounds(tmp_path, f"{CELL},read iops,write iops", row)


def test_a_total_that_is_not_the_sum_of_reads_and_writes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"reads and writes add up to 50,000 operations/s, and the total is 500,000"):
        rounds(tmp_path, f"{CELL},read iops,write iops,total iops", "0,4k,0,50000,500000")


def test_more_in_flight_than_the_queues_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="are 32,000 in flight, and the queues hold 32"):
        rounds(tmp_path, f"{CELL},qd,jobs,iops,lat_ms", "0,4k,16,2,50000,640")


@pytest.mark.parametrize(
    ("header", "demand"),
    [("read,iops,lat_us", ""), ("read,qd,jobs,iops,lat_us", "16,2,"), ("read,qd,iops,lat_us", "4,")],
)
def test_latencies_that_agree_with_the_demand_as_far_as_it_is_stated_are_read(
    header: str, demand: str, tmp_path: Path
) -> None:
    test = rounds(tmp_path, f"round,bs,{header}", f"4k,0,{demand}50000,640")
    assert first(test, Quantity.LATENCY_NS_MEAN) == 640_000


def test_a_latency_that_no_drive_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="a mean latency of 20 ns is shorter than any drive has"):
        rounds(tmp_path, f"{CELL},iops,lat_us", "0,4k,50000,0.02")


@pytest.mark.parametrize("header", ["Write %", "write_percent", "rwmixwrite"])
def test_a_percentage_of_writes_is_a_mix(header: str, tmp_path: Path) -> None:
    test = rounds(tmp_path, f"round,bs,{header},iops", "4k,35,100")
    assert [each.read_percent for each in test.phase.workloads.values()] == [65]
    with pytest.raises(UsageError, match=r"--cell has read, and .* has a column for it"):
        rounds(tmp_path, f"round,bs,{header},iops", "4k,35,100", given=GivenCell(read=0))


@pytest.mark.parametrize(
    ("header", "row", "value"),
    [
        ("lat_ns_mean", "41000", 41_000),
        ("latency_us_avg", "41", 41_000),
        ("Avg. Latency / µs", "41", 41_000),
        ("Response Time (ms)", "0.041", 41_000),
        ("Ave Latency (mSec)", "0.041", 41_000),
    ],
)
def test_usual_spellings_of_latencies_are_read(header: str, row: str, value: int, tmp_path: Path) -> None:
    test = rounds(tmp_path, f"{CELL},{header}", f"0,4k,{row}")
    assert first(test, Quantity.LATENCY_NS_MEAN) == pytest.approx(value)


@pytest.mark.parametrize(
    ("header", "row"), [("MBps", "41"), ("Data Rate (MB/s)", "41"), ("Bandwidth (B/s)", "41e6"), ("bw MB/s", "41")]
)
def test_usual_spellings_of_bandwidths_are_read(header: str, row: str, tmp_path: Path) -> None:
    assert first(rounds(tmp_path, f"{CELL},{header}", f"0,4k,{row}"), Quantity.BYTES_PER_S) == 41e6


@pytest.mark.parametrize(
    ("header", "size"),
    [("bs (bytes)", 4096), ("bs_bytes", 4096), ("IO Size", "4k"), ("Transfer Size", "4k"), ("Blocksize in KiB", 4)],
)
def test_usual_spellings_of_block_sizes_are_read(header: str, size: object, tmp_path: Path) -> None:
    test = rounds(tmp_path, f"round,read,{header},iops", f"0,{size},100")
    assert [each.block_size_bytes for each in test.phase.workloads.values()] == [4096]


@pytest.mark.parametrize(("header", "value"), [("direction", "read"), ("op", "read"), ("R/W mix", "100:0")])
def test_usual_spellings_of_mixes_are_read(header: str, value: str, tmp_path: Path) -> None:
    test = rounds(tmp_path, f"round,{header},bs,iops", f"{value},4k,100")
    assert [each.read_percent for each in test.phase.workloads.values()] == [100]


@pytest.mark.parametrize("names", ["Threads,Outstanding IOs", "workers,Queue Depth", "Num Jobs,Queue Depth per Thread"])
def test_usual_spellings_of_the_demand_are_read(names: str, tmp_path: Path) -> None:
    test = rounds(tmp_path, f"{CELL},{names},iops", "0,4k,2,16,100")
    assert [(each.jobs, each.queue_depth) for each in test.phase.workloads.values()] == [(2, 16)]


def test_a_mix_without_a_percentage_is_refused_as_such(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="randrw does not say the percentage of reads; add a column rwmixread"):
        rounds(tmp_path, "round,rw,bs,iops", "randrw,4k,100")


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("Round,Block Size,100/0,65/35,0/100", ["8K,911,1115,253", "4K,921,1125,263", "512,931,1135,273"]),
        ("Round,Block Size,100/0,0/100", ["4K,20000,20000", "128K,500000,450000"]),
    ],
)
def test_a_matrix_that_can_have_latencies_or_bandwidths_is_refused(
    header: str, rows: list[str], tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=r"has a matrix whose values can be latencies or MB/s"):
        rounds(tmp_path, header, *rows)


def test_a_matrix_whose_smallest_blocks_are_slower_has_iops(tmp_path: Path) -> None:
    test = rounds(tmp_path, "Round,Block Size,100/0,0/100", "512B,30000,20000", "4K,45000,70000", "8K,25000,51000")
    assert len(test.phase.workloads) == 6


def test_two_columns_of_one_direction_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="several columns of write iops"):
        rounds(tmp_path, f"{CELL},write iops,iops write", "0,4k,1,2")


def test_what_is_the_same_in_all_rows_can_be_told_by_the_user(tmp_path: Path) -> None:
    given = GivenCell(read=0, block_size=8192, queue_depth=32, jobs=4)
    test = rounds(tmp_path, "Round,IOPS,LatP99", "30000,9000", given=given)
    [work] = test.phase.workloads.values()
    assert (work.read_percent, work.block_size_bytes, work.queue_depth, work.jobs) == (0, 8192, 32, 4)
    assert first(test, Quantity.BYTES_PER_S) == 30_000 * 8192


@pytest.mark.parametrize(
    ("header", "row", "given", "said"),
    [
        ("round,bs,iops", "4k,1", GivenCell(read=0, block_size=4096), "--cell has block_size, and .* a column for it"),
        ("round,bs,0/100", "4k,1", GivenCell(read=0), "--cell has read, and .* a column for it"),
        ("round,iops", "1", GivenCell(read=0), "has no column for block size"),
        ("round,iops", "1", GivenCell(read=101, block_size=4096), "101 % of reads is not from 0 to 100"),
        ("round,iops", "1", GivenCell(read=0, block_size=4), "a block of 4 bytes is not from 512 bytes"),
        ("round,iops", "1", GivenCell(read=0, block_size=4096, jobs=0), "0 jobs with a queue depth of 1 is no demand"),
    ],
)
def test_what_the_user_tells_must_be_missing_and_possible(
    header: str, row: str, given: GivenCell, said: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=said):
        rounds(tmp_path, header, row, given=given)


QUEUES = "round,read,bs,qd,iops"


def queues(folder: Path) -> Path:
    path = folder / "queues.csv"
    path.write_text(f"{QUEUES}\n" + "".join(f"{n},0,4k,{depth},100\n" for n in range(1, 6) for depth in (1, 8, 32)))
    return path


def test_cells_that_no_tracking_variable_is_of_are_named(tmp_path: Path) -> None:
    [test] = read_rounds([queues(tmp_path)], [Tracking(Quantity.IOPS, queue_depth=8)])
    assert test.not_read == ("random-write-4KiB-qd1: --track names none of them",)


def test_a_variable_that_is_of_several_cells_says_by_what_they_differ(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        read_rounds([queues(tmp_path)], [Tracking(Quantity.IOPS, read_percent=0)])
    assert refused.value.hint == "name one of them by queue_depth as well"


def test_a_quantity_that_was_not_measured_cannot_be_tracked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no latency_ns_mean of random-write-4KiB-qd8, which --track names"):
        read_rounds([queues(tmp_path)], [Tracking(Quantity.LATENCY_NS_MEAN, queue_depth=8)])


@pytest.mark.parametrize(
    ("header", "encoding", "said"),
    [
        ("round,read,bs,latency", "utf-8", "does not say the unit of latency"),
        ("round,read,bs,BW", "utf-8", "does not say the unit of BW"),
        ("round,read,bs,lat µs", "cp1252", "is text in another encoding than UTF-8"),
    ],
)
def test_what_is_missing_of_values_is_named(header: str, encoding: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text(f"{header}\n1,0,4k,40\n", encoding=encoding)
    with pytest.raises(UsageError, match=said):
        read_rounds([path])


def test_a_cell_is_told_of_tables_only(tmp_path: Path) -> None:
    path = tmp_path / "drive.xml"
    path.write_bytes(tkperf_xml())
    with pytest.raises(UsageError, match="--cell is for tables, and none is among the files"):
        read_rounds([path], given=GivenCell(read=0))
