"""Records from the output of fio 3.33. The files in tests/fixtures/fio are its unchanged output."""

import json
from pathlib import Path
from typing import Any

import pytest

from iosonde.analysis.histogram import PERCENTS, low_and_width, merge_histograms, values_at_ranks
from iosonde.analysis.totals import add_operations
from iosonde.records import (
    CellPlan,
    CellRecord,
    CellTurn,
    ClockPair,
    Experiment,
    FaultKind,
    Histogram,
    IntervalRecord,
    Layout,
    Operation,
    Outcome,
    Phase,
    Timing,
    one_stream,
)
from iosonde.sources.fio.assemble import Measured
from iosonde.sources.fio.output import LAYOUT, Snapshot, objects_in, read_snapshot
from iosonde.sources.fio.series import Series
from iosonde.vocabulary import FailureKind
from tests.builders import fio_facts, histogram_of, workload

FIXTURES = Path(__file__).parents[1] / "fixtures/fio"
MS = 1_000_000
CLOCK = ClockPair(engine_ns=0, wall_ns=0, raw_ns=0)


def printed(name: str) -> list[dict[str, Any]]:
    with (FIXTURES / name).open("rb") as file:
        return list(objects_in(file))


def snapshots(name: str) -> list[Snapshot]:
    return [read_snapshot(found) for found in printed(name)]


def planned(warmup_ms: int, measure_ms: int, **asked: Any) -> CellPlan:
    timing = Timing(warmup_ns=warmup_ms * MS, measure_ns=measure_ms * MS, interval_ns=200 * MS)
    return CellPlan(cell="cell", experiments=(Experiment.PROBE,), streams=one_stream(workload(**asked)), timing=timing)


def measured(name: str, plan: CellPlan) -> CellRecord:
    """The record of a stored output, as if fio had just printed it."""
    measured = Measured(plan, CellTurn(order=1, cell="cell", repeat=1, seed=3), fio_facts(), CLOCK)
    said = snapshots(name)
    series = Series(plan, start_ns=0)
    for snapshot in said:
        measured.intervals += series.take(snapshot, last=snapshot is said[-1])
    measured.last, measured.began = said[-1], series.measures
    return measured.record(CLOCK)


MIX = planned(200, 400, read_percent=70, queue_depth=2, targets=2)
COMMITS = planned(400, 400, read_percent=0, queue_depth=1, sync="fdatasync")
READS = planned(0, 1_000, queue_depth=2)


def last_bins(name: str, direction: str) -> list[dict[str, int]]:
    return [job[direction]["lat_ns"]["bins"] for job in printed(name)[-1]["jobs"]]


def test_a_bin_is_the_bucket_whose_midpoint_is_its_key() -> None:
    keys = [int(key) for bins in last_bins("mix-two-targets.json", "read") for key in bins]
    buckets = [
        bucket
        for group in snapshots("mix-two-targets.json")[-1].groups
        for bucket in group.tallies[Operation.READ].buckets
    ]
    assert len(buckets) == len(keys) > 20
    middles = [low + width // 2 for low, width in (low_and_width(LAYOUT, bucket) for bucket in buckets)]
    assert middles == keys


def test_the_layout_has_as_many_buckets_as_fio() -> None:
    assert LAYOUT.ceiling_ns is not None
    assert low_and_width(LAYOUT, 29 * 64 - 1) == (LAYOUT.ceiling_ns - (1 << 27), 1 << 27)


def test_a_time_beyond_the_ceiling_lies_in_the_last_bucket() -> None:
    from iosonde.analysis.histogram import bucket_of

    assert bucket_of(LAYOUT, 1 << 40) == 29 * 64 - 1


def test_histograms_of_two_engines_are_never_added_up() -> None:
    ours = histogram_of([1_000, 2_000])
    fios = Histogram(layout=LAYOUT, bucket=(300,), count=(5,))
    with pytest.raises(ValueError, match="ceiling"):
        merge_histograms([ours, fios])
    assert merge_histograms([fios, fios]).count == (10,)
    assert merge_histograms([ours, histogram_of([1_000], 64)]).layout == Layout(buckets_per_octave=64)


def test_totals_are_those_that_fio_printed_last() -> None:
    record = measured("mix-two-targets.json", MIX)
    assert (record.outcome, record.failure) == (Outcome.FINISHED, None)
    for operation in (Operation.READ, Operation.WRITE):
        jobs = [job[operation.value] for job in printed("mix-two-targets.json")[-1]["jobs"]]
        totals = record.operations[operation]
        assert totals.count == sum(job["lat_ns"]["N"] for job in jobs) == sum(totals.latency.count)
        assert totals.bytes == sum(job["io_bytes"] for job in jobs)
        assert totals.latency_ns_min == min(job["lat_ns"]["min"] for job in jobs)
        assert totals.latency_ns_max == max(job["lat_ns"]["max"] for job in jobs)
        exact = sum(job["lat_ns"]["mean"] * job["lat_ns"]["N"] for job in jobs)
        assert totals.latency_ns_sum == pytest.approx(exact, abs=2)
    assert record.measured_ns == max(job["read"]["runtime"] for job in printed("mix-two-targets.json")[-1]["jobs"]) * MS


def test_each_target_has_its_share() -> None:
    record = measured("mix-two-targets.json", MIX)
    assert len(record.targets) == 2
    for operation, totals in record.operations.items():
        assert sum(share.operations[operation].count for share in record.targets) == totals.count
    assert [share.in_flight_ns for share in record.targets] == [None, None]


def test_percentiles_are_those_that_fio_prints() -> None:
    job = printed("commits.json")[-1]["jobs"][0]["write"]["lat_ns"]
    totals = measured("commits.json", COMMITS).operations[Operation.WRITE]
    ranks = [-(-totals.count * round(percent * 100) // 10_000) for percent in PERCENTS]
    ours = values_at_ranks(totals.latency, ranks, smallest_ns=0, largest_ns=2**60)
    assert list(ours) == [job["percentile"][f"{percent:.6f}"] for percent in PERCENTS]


def test_writes_and_flushes_are_timed_apart_and_commits_are_unknown() -> None:
    record = measured("commits.json", COMMITS)
    assert record.outcome is Outcome.FINISHED
    assert set(record.operations) == {Operation.WRITE, Operation.FLUSH}
    assert record.operations[Operation.FLUSH].bytes == 0
    assert abs(record.operations[Operation.FLUSH].count - record.operations[Operation.WRITE].count) <= 1


def added_up(intervals: tuple[IntervalRecord, ...]) -> dict[Operation, tuple[int, int, tuple[int, ...]]]:
    sums = add_operations([each for each in intervals if each.phase is Phase.MEASURE])
    return {operation: (totals.count, totals.bytes, totals.latency.count) for operation, totals in sums.items()}


@pytest.mark.parametrize(("name", "plan"), [("mix-two-targets.json", MIX), ("commits.json", COMMITS)])
def test_intervals_add_up_to_the_totals(name: str, plan: CellPlan) -> None:
    record = measured(name, plan)
    totals = {
        operation: (totals.count, totals.bytes, totals.latency.count) for operation, totals in record.operations.items()
    }
    assert added_up(record.intervals) == totals
    counted = [each for each in record.intervals if each.phase is Phase.MEASURE]
    assert sum(each.end_ns - each.start_ns for each in counted) == record.measured_ns
    assert len(counted) == 2
    for each in counted:
        for operation, within in each.operations.items():
            whole = record.operations[operation]
            assert whole.latency_ns_min <= within.latency_ns_min <= within.latency_ns_max <= whole.latency_ns_max
            assert within.latency_ns_min * within.count <= within.latency_ns_sum <= within.latency_ns_max * within.count


def test_the_warm_up_has_a_length_and_no_figures() -> None:
    record = measured("commits.json", COMMITS)
    warm = [each for each in record.intervals if each.phase is Phase.WARMUP]
    assert sum(each.end_ns - each.start_ns for each in warm) == pytest.approx(400 * MS, rel=0.3)
    assert [each.operations for each in warm] == [{}] * len(warm)
    assert record.warmup == {}


def test_what_fio_does_not_tell_is_unknown() -> None:
    record = measured("mix-two-targets.json", MIX)
    assert record.queue_depth_achieved is None
    assert (record.cpu, record.censored, record.slowest) == (None, None, ())


def test_operations_that_failed_are_faults_beside_the_figures() -> None:
    record = measured("errors.json", READS)
    assert record.outcome is Outcome.FINISHED
    (fault,) = record.faults
    assert (fault.kind, fault.errno_name, fault.count) == (FaultKind.ERROR, "EIO", 72)
    assert (fault.operation, fault.offset_bytes_first) == (Operation.READ, None)
    assert record.operations[Operation.READ].count == 128


def test_reads_behind_the_end_of_a_file_are_no_measurement() -> None:
    # fio counted 200 reads without an error, but most of them transferred no bytes.
    record = measured("cut-file.json", READS)
    assert record.outcome is Outcome.FAILED
    assert record.failure is not None
    assert record.failure.kind is FailureKind.CONTRADICTION
    assert "200 operations of at least 4,096 bytes each, but only 380,928 bytes in total" in record.failure.message


def test_an_end_before_its_time_is_no_measurement() -> None:
    record = measured("errors.json", planned(0, 5_000, queue_depth=2))
    assert record.failure is not None
    assert record.failure.kind is FailureKind.SHORT
    assert record.failure.message.startswith("fio exited without an error after 1.0 s instead of 5.0 s")


def test_a_class_that_never_completed_is_no_measurement() -> None:
    record = measured("errors.json", planned(0, 1_000, queue_depth=2, read_percent=70))
    assert record.failure is not None
    assert record.failure.message == "no write completed within the measurement time"


def test_words_for_people_between_the_objects_are_passed_over() -> None:
    text = (FIXTURES / "errors.json").read_bytes()
    noise = b"fio: pid=7, err=5/file:io_u.c:1889\n\n"
    broken_off = text[: len(text) // 12]
    lines = (noise + broken_off + noise + text + noise + broken_off).splitlines(keepends=True)
    assert [found["timestamp_ms"] for found in objects_in(lines)] == [
        found["timestamp_ms"] for found in printed("errors.json")
    ]


def test_an_object_that_fio_never_says_is_an_error() -> None:
    with pytest.raises(KeyError):
        read_snapshot({"jobs": [{"read": {}}]})


def test_the_fields_that_are_read_are_all_that_a_version_must_have() -> None:
    # The other fields differ between versions of fio.
    job = printed("errors.json")[-1]["jobs"][0]
    kept = {
        "error": job["error"],
        "read": {key: job["read"][key] for key in ("io_bytes", "runtime", "total_ios", "lat_ns")},
    }
    found = read_snapshot(json.loads(json.dumps({"jobs": [kept]})))
    assert found.counted == 128
