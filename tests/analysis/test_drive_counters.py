"""The change of the drives' counters from one trial to the next."""

from typing import Any

from iosonde.analysis.drive_counters import drive_changes
from iosonde.records import CellRecord, DriveHealth, DriveState, Operation
from tests.builders import cell_plan, cell_record, drive_state, totals_of, workload


def trial(order: int, *counters: dict[str, Any]) -> CellRecord:
    """A trial after which each drive has these counters."""
    drives = tuple(drive_state(**each) for each in counters)
    return cell_record(cell_plan(workload()), {Operation.READ: totals_of([1000])}, order=order, drives=drives)


def test_a_change_is_the_sum_over_the_drives_since_the_trial_before() -> None:
    first = trial(
        1,
        {"throttled_ns": 10, "host_written_bytes": 100, "media_written_bytes": 150},
        {"throttled_ns": 5, "media_written_bytes": 1},
    )
    second = trial(
        2,
        {"throttled_ns": 14, "host_written_bytes": 300, "media_written_bytes": 650},
        {"throttled_ns": 6, "media_written_bytes": 1},
    )
    (_, none), (record, change) = drive_changes([second, first])
    assert none is None
    assert record is second
    assert change is not None
    assert (change.throttled_ns, change.host_written_bytes, change.media_written_bytes) == (5, 200, 500)
    assert change.has_media_writes


def test_no_change_is_known_next_to_a_trial_without_counters() -> None:
    changes = list(drive_changes([trial(1, {}), trial(2), trial(3, {}), trial(4, {})]))
    assert [change is None for _, change in changes] == [True, True, True, False]


def test_the_streams_of_a_trial_share_the_counters_that_one_of_them_has() -> None:
    trials = [trial(1, {"throttled_ns": 10}), trial(1), trial(2, {"throttled_ns": 40}), trial(2)]
    changes = [change for _, change in drive_changes(trials)]
    assert changes[:2] == [None, None]
    assert [None if change is None else change.throttled_ns for change in changes[2:]] == [30, 30]


def test_media_writes_are_unknown_if_one_of_several_drives_does_not_report_them() -> None:
    counted, silent = {"host_written_bytes": 1, "media_written_bytes": 2}, {"host_written_bytes": 1}
    (_, _), (_, change) = drive_changes([trial(1, counted, silent), trial(2, counted, silent)])
    assert change is not None
    assert not change.has_media_writes


def test_the_change_of_a_real_drive_is_that_within_the_trial() -> None:
    states = [
        DriveState(disk="nvme0n1", before=DriveHealth(media_errors=low), health=DriveHealth(media_errors=high))
        for low, high in ((1, 2), (5, 9))
    ]
    records = [trial(order).model_copy(update={"drives": (state,)}) for order, state in enumerate(states, 1)]
    assert [change.of("media_errors") for _, change in drive_changes(records) if change is not None] == [1, 4]


def test_a_counter_that_went_back_or_is_unknown_has_no_change() -> None:
    for low, high in ((5, 4), (None, 4), (4, None)):
        state = DriveState(before=DriveHealth(media_errors=low), health=DriveHealth(media_errors=high))
        ((_, change),) = drive_changes([trial(1).model_copy(update={"drives": (state,)})])
        assert change is not None
        assert change.of("media_errors") is None


def test_media_writes_are_unknown_where_a_drive_does_not_report_them() -> None:
    (_, _), (_, change) = drive_changes([trial(1, {"host_written_bytes": 1}), trial(2, {"host_written_bytes": 9})])
    assert change is not None
    assert not change.has_media_writes
