"""The change of the drives' counters from one trial to the next."""

from typing import Any

import pytest

from iosonde.analysis.drive_counters import DriveChange, drive_changes, every_change, write_amplification
from iosonde.records import CellRecord, DriveHealth, DriveState, HealthSource, Operation
from tests.builders import cell_plan, cell_record, drive_state, totals_of, workload


def trial(order: int, *counters: dict[str, Any]) -> CellRecord:
    """A trial after which each drive has these counters."""
    drives = tuple(drive_state(**each) for each in counters)
    return cell_record(cell_plan(workload()), {Operation.READ: totals_of([1000])}, order=order, drives=drives)


def test_a_change_since_the_trial_before_is_a_sum_of_counts_and_the_longest_time() -> None:
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
    assert (change.throttled_ns, change.host_written_bytes, change.media_written_bytes) == (4, 200, 500)
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


MIB, GIB = 1 << 20, 1 << 30


def change_of(host: int, media: int | None, host_unit: int | None = None, media_unit: int | None = None) -> DriveChange:
    """A trial in which a drive counted so many more bytes, in these units."""

    def health(more_host: int, more_media: int | None) -> DriveHealth:
        return DriveHealth(
            source=HealthSource.SMART_LOG if host_unit is None else HealthSource.SMARTCTL,
            host_written_bytes=1000 * GIB + more_host,
            host_written_unit_bytes=host_unit,
            media_written_bytes=None if more_media is None else 2000 * GIB + more_media,
            media_written_unit_bytes=media_unit,
        )

    before, after = health(0, None if media is None else 0), health(host, media)
    return DriveChange(("sda",), ((before, after),))


def test_write_amplification_has_the_range_that_the_units_allow() -> None:
    found = write_amplification([change_of(10 * GIB, 20 * GIB, 512, GIB)])
    assert found is not None
    assert found.value == 2
    assert found.low == pytest.approx(1.9)
    assert found.high == pytest.approx(2.1)
    found = write_amplification([change_of(320 * MIB, 20 * GIB, 32 * MIB, GIB)])
    assert found is not None
    assert found.low == pytest.approx(19 * 1024 / 352)
    assert found.high == pytest.approx(21 * 1024 / 288)


def test_the_units_of_several_trials_add_up() -> None:
    found = write_amplification([change_of(10 * GIB, 20 * GIB, 512, GIB)] * 3)
    assert found is not None
    assert found.low == pytest.approx(57 / 30)
    assert found.high == pytest.approx(63 / 30)


@pytest.mark.parametrize(
    "change",
    [
        change_of(10 * GIB, 3 * GIB, 512, GIB),
        change_of(96 * MIB, 20 * GIB, 32 * MIB, GIB),
        change_of(0, 20 * GIB, 512, GIB),
        change_of(10 * GIB, 0, 512, GIB),
        change_of(10 * GIB, None, 512, None),
    ],
    ids=["media units", "host units", "no host writes", "no media writes", "no media counter"],
)
def test_write_amplification_is_unknown_if_too_few_units_were_written(change: DriveChange) -> None:
    assert write_amplification([change]) is None


def test_without_trials_write_amplification_is_unknown() -> None:
    assert write_amplification([]) is None


def test_the_unit_of_an_nvme_drive_is_a_thousand_sectors() -> None:
    assert change_of(GIB, GIB).host_unit_bytes == 512_000
    assert change_of(GIB, GIB).media_unit_bytes == 1


def test_counts_in_different_units_have_no_change() -> None:
    (before, _), (after, _) = change_of(0, 0, 512, GIB).drives[0], change_of(GIB, GIB, 32 * MIB, GIB).drives[0]
    change = DriveChange(("sda",), ((before, after.model_copy(update={"media_written_bytes": 3000 * GIB})),))
    assert change.of("host_written_bytes") is None
    assert change.of("media_written_bytes") == 1000 * GIB


def test_the_first_trial_of_a_simulated_drive_has_a_change_since_its_counters_begin_with_zero() -> None:
    first = trial(1, {"throttled_ns": 10})
    (_, change), _ = every_change([trial(2, {"throttled_ns": 14}), first])
    assert change is not None
    assert (change.throttled_ns, change.of("host_written_bytes")) == (10, 0)


def test_the_first_trial_on_a_real_drive_without_counters_before_has_no_change() -> None:
    state = DriveState(disk="nvme0n1", health=DriveHealth(throttled_ns=10))
    ((_, change),) = every_change([trial(1).model_copy(update={"drives": (state,)})])
    assert change is None
