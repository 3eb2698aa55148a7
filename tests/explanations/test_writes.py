"""The write buffer, its flush, and garbage collection: named, not named, too few data."""

from collections.abc import Sequence

import pytest

from iosonde.explanations import Explanation, Mechanism
from iosonde.findings.finding import Confidence
from iosonde.records import Access, Operation, RunRecord, Sync, Workload
from tests.builders import cell_plan, cell_record, drive_state, interval_record, run_record, totals_of, workload
from tests.explanations.marks import explained, explained_cells, on_device, on_target, scattered, thrice
from tests.sweep_builder import run_of_cells
from tests.transfer_builder import filled_run, run_of_transfers, sustained

READ = workload(queue_depth=1)
WRITE = workload(read_percent=0, queue_depth=1)
DSYNC = workload(read_percent=0, queue_depth=1, sync=Sync.DSYNC)
FLUSHED = workload(read_percent=0, queue_depth=1, sync=Sync.FDATASYNC)
RANDOM = workload(read_percent=0)
SEQUENTIAL = workload(read_percent=0, pattern=Access.SEQUENTIAL)


@pytest.mark.parametrize("durable", [DSYNC, FLUSHED])
def test_durable_writes_that_take_much_longer_show_a_flush(durable: Workload) -> None:
    found = explained_cells({WRITE: thrice(20), durable: thrice(900)})[Mechanism.FLUSH]
    assert found.confidence is Confidence.LIKELY
    assert "take 45.0 times" in found.evidence[0]


def test_two_commands_instead_of_one_do_not_show_a_flush() -> None:
    assert Mechanism.FLUSH not in explained_cells({WRITE: thrice(20), FLUSHED: thrice(42)})


def test_durable_writes_with_too_much_scatter_do_not_show_a_flush() -> None:
    assert Mechanism.FLUSH not in explained_cells({WRITE: scattered(20), FLUSHED: scattered(80)})
    assert Mechanism.FLUSH not in explained_cells({WRITE: [20_000.0], FLUSHED: [900_000.0]})


def test_a_file_adds_its_metadata_to_a_flush_and_a_device_does_not() -> None:
    run = run_of_cells({WRITE: thrice(20), DSYNC: thrice(900)})
    assert explained(run)[Mechanism.FLUSH].against
    assert not explained(on_target(run, kind="device"))[Mechanism.FLUSH].against


def test_single_writes_that_are_faster_than_reads_show_a_write_buffer() -> None:
    found = explained_cells({READ: thrice(80), WRITE: thrice(12)})[Mechanism.WRITE_BUFFER]
    assert found.confidence is Confidence.LIKELY
    assert "acknowledged before they are on the media" in found.evidence[0]


@pytest.mark.parametrize("write_us", [75, 80, 400])
def test_writes_that_are_no_faster_than_reads_show_no_write_buffer(write_us: float) -> None:
    assert Mechanism.WRITE_BUFFER not in explained_cells({READ: thrice(80), WRITE: thrice(write_us)})


def test_deep_queues_and_scattered_repeats_show_no_write_buffer() -> None:
    deep = {workload(): thrice(80), workload(read_percent=0): thrice(12)}
    assert Mechanism.WRITE_BUFFER not in explained_cells(deep)
    assert Mechanism.WRITE_BUFFER not in explained_cells({READ: scattered(80), WRITE: scattered(40)})


def test_the_page_cache_is_another_reason_for_fast_writes() -> None:
    found = explained(on_target(run_of_cells({READ: thrice(80), WRITE: thrice(12)}), direct=False))
    assert found[Mechanism.WRITE_BUFFER].confidence is Confidence.POSSIBLE
    assert any("page cache" in each for each in found[Mechanism.WRITE_BUFFER].against)


def collected(random_us: float = 400, amplification: float | None = None) -> dict[Mechanism, Explanation]:
    run = run_of_cells({SEQUENTIAL: thrice(100), RANDOM: thrice(random_us)})
    return explained(run if amplification is None else with_health(run, amplification))


def with_health(run: RunRecord, amplification: float, **units: int) -> RunRecord:
    """The same run on a drive that reports its media writes; sequential writes are not amplified.

    ``units`` are those in which the drive counts, by field.
    """
    host = media = 0
    cells = []
    for record in sorted(run.cells, key=lambda each: each.order):
        written = sum(each.bytes for each in record.operations.values())
        host += written
        media += round(written * (amplification if record.workload.pattern is Access.RANDOM else 1))
        state = drive_state(host_written_bytes=host, media_written_bytes=media, **units)
        cells.append(record.model_copy(update={"drives": (state,)}))
    return run.model_copy(update={"cells": tuple(cells)})


def test_random_writes_that_are_slower_than_sequential_ones_may_show_collection() -> None:
    found = collected()[Mechanism.COLLECTION]
    assert found.confidence is Confidence.POSSIBLE
    assert any("write amplification is not known" in each for each in found.against)


def test_a_counter_of_media_writes_makes_collection_likely() -> None:
    found = collected(amplification=3.2)[Mechanism.COLLECTION]
    assert found.confidence is Confidence.LIKELY
    assert any("wrote 3.20 times as many bytes to its media as the host" in each for each in found.evidence)
    assert not found.against


def written_by_random(run: RunRecord) -> int:
    """What the host wrote after the first trial, of which no change is known."""
    cells = sorted(run.cells, key=lambda each: each.order)[1:]
    return sum(
        part.bytes for each in cells if each.workload.pattern is Access.RANDOM for part in each.operations.values()
    )


def test_write_amplification_from_coarse_counters_has_its_range_or_is_unknown() -> None:
    run = run_of_cells({SEQUENTIAL: thrice(100), RANDOM: thrice(400)})
    trials = sum(each.workload.pattern is Access.RANDOM for each in sorted(run.cells, key=lambda each: each.order)[1:])
    unit = written_by_random(run) // (10 * trials)
    found = explained(with_health(run, 2, media_written_unit_bytes=unit))[Mechanism.COLLECTION]
    assert found.confidence is Confidence.LIKELY
    assert any("wrote 2.00 (1.90 to 2.10) times as many bytes" in each for each in found.evidence)
    unknown = explained(with_health(run, 2, media_written_unit_bytes=unit * 10))[Mechanism.COLLECTION]
    assert unknown.confidence is Confidence.POSSIBLE
    assert any("write amplification is not known" in each for each in unknown.against)


def test_amplified_sequential_writes_speak_against_collection_by_random_ones() -> None:
    run = run_of_cells({SEQUENTIAL: thrice(100), RANDOM: thrice(400)})
    cells = [each.model_copy(update={"workload": RANDOM}) for each in run.cells]
    amplified = with_health(run.model_copy(update={"cells": tuple(cells)}), 2.5)
    restored = zip(amplified.cells, sorted(run.cells, key=lambda each: each.order), strict=True)
    both = tuple(each.model_copy(update={"workload": before.workload}) for each, before in restored)
    found = explained(run.model_copy(update={"cells": both}))[Mechanism.COLLECTION]
    assert any("During sequential writes, it wrote 2.50 times" in each for each in found.against)


def test_random_writes_as_fast_as_sequential_ones_show_no_collection() -> None:
    assert Mechanism.COLLECTION not in collected(random_us=103)
    assert Mechanism.COLLECTION not in collected(random_us=103, amplification=1.1)


def test_writes_with_too_much_scatter_show_no_collection() -> None:
    assert Mechanism.COLLECTION not in explained_cells({SEQUENTIAL: scattered(100), RANDOM: scattered(200)})


def test_a_hard_disk_has_neither_collection_nor_flash_to_program() -> None:
    cells = {SEQUENTIAL: thrice(100), RANDOM: thrice(9_000), READ: thrice(9_000), WRITE: thrice(50)}
    found = explained(on_device(run_of_cells(cells), rotational=True))
    assert Mechanism.COLLECTION not in found
    assert "takes a seek" in found[Mechanism.WRITE_BUFFER].evidence[0]


def burst(operations: int) -> Workload:
    return workload(
        pattern=Access.SEQUENTIAL,
        read_percent=0,
        block_size_bytes=1 << 17,
        burst_operations=operations,
        think_ns=10 * 10**9,
    )


def test_short_bursts_that_are_faster_show_a_write_buffer() -> None:
    found = explained_cells({burst(64): thrice(100), burst(1024): thrice(900)})
    assert "bursts of 128 MiB take 9.00 times" in found[Mechanism.WRITE_BUFFER].evidence[0]
    assert Mechanism.SLC_CACHE not in found


def test_large_bursts_that_are_faster_than_larger_ones_show_an_slc_cache() -> None:
    found = explained_cells({burst(1024): thrice(100), burst(65536): thrice(500)})
    assert found[Mechanism.SLC_CACHE].confidence is Confidence.LIKELY
    assert "After a pause of 10.0 s, writes in bursts of 8 GiB" in found[Mechanism.SLC_CACHE].evidence[0]
    assert Mechanism.WRITE_BUFFER not in found


def test_bursts_of_all_lengths_that_are_equally_fast_or_scattered_show_no_cache() -> None:
    even = {burst(64): thrice(100), burst(1024): thrice(101), burst(65536): thrice(99)}
    loose = {burst(64): scattered(100), burst(1024): scattered(200), burst(65536): scattered(400)}
    for cells in (even, loose):
        assert not {Mechanism.SLC_CACHE, Mechanism.WRITE_BUFFER} & explained_cells(cells).keys()


def dropping(levels: Sequence[int]) -> RunRecord:
    """Sequential writes with this many operations in each half second."""
    plan = cell_plan(workload(pattern=Access.SEQUENTIAL, read_percent=0, block_size_bytes=1 << 20))
    totals = [totals_of([10**6] * count, 1 << 20) for count in levels]
    intervals = tuple(interval_record(index, {Operation.WRITE: each}) for index, each in enumerate(totals))
    whole = {Operation.WRITE: totals_of([10**6] * sum(levels), 1 << 20)}
    records = [
        cell_record(plan, whole, repeat=each, intervals=intervals, measured_ns=len(levels) * 5 * 10**8)
        for each in range(3)
    ]
    return run_record([plan], records)


def test_a_drop_to_a_lower_level_may_show_an_slc_cache() -> None:
    found = explained(dropping([2000] * 10 + [500] * 10))[Mechanism.SLC_CACHE]
    assert found.confidence is Confidence.POSSIBLE
    assert "for 21.0 GB (5.0 s), then" in found.evidence[0]


def test_a_level_bandwidth_or_a_short_dip_shows_no_slc_cache() -> None:
    assert Mechanism.SLC_CACHE not in explained(dropping([2000] * 20))
    assert Mechanism.SLC_CACHE not in explained(dropping([2000] * 10 + [500] + [2000] * 9))
    assert Mechanism.SLC_CACHE not in explained(dropping([500] * 10 + [2000] * 10))


def test_a_sustained_write_that_starts_fast_again_after_an_idle_time_makes_an_slc_cache_likely() -> None:
    high, low, reads = [2400.0] * 100, [1060.0] * 300, sustained((0, [3000.0] * 1000))
    back = explained(run_of_transfers([*sustained((0, high + low), (60, high + low), read=0), *reads]))
    assert back[Mechanism.SLC_CACHE].confidence is Confidence.LIKELY
    assert back[Mechanism.SLC_CACHE].evidence[0].startswith("Sustained writes ran at 2,400 MB/s for 24.0 GB")
    assert back[Mechanism.SLC_CACHE].evidence[1].startswith("After 60.0 s idle, sustained writes started at 2,400 MB/s")
    gone = explained(run_of_transfers([*sustained((0, high + low), (60, low), read=0), *reads]))
    assert gone[Mechanism.SLC_CACHE].confidence is Confidence.POSSIBLE
    assert gone[Mechanism.SLC_CACHE].against == ("After 60.0 s idle, sustained writes started at 1,060 MB/s.",)


def test_a_drop_of_the_preconditioning_may_show_an_slc_cache() -> None:
    found = explained(filled_run([2400.0] * 30 + [1060.0] * 60))[Mechanism.SLC_CACHE]
    assert found.confidence is Confidence.POSSIBLE
    assert "Preconditioning wrote 2,400 MB/s for" in found.evidence[0]
    assert "then 1,060 MB/s" in found.evidence[0]


def test_a_level_or_a_short_preconditioning_shows_no_slc_cache() -> None:
    for levels in ([1060.0] * 90, [1060.0] * 30 + [2400.0] * 60, [2400.0] * 3 + [1060.0] * 6):
        assert Mechanism.SLC_CACHE not in explained(filled_run(levels))
