"""Findings about what drives report of themselves."""

from collections.abc import Callable
from typing import Any

import pytest

from iosonde.records import (
    Drive,
    DriveHealth,
    DriveState,
    DriveWarning,
    Experiment,
    HealthSource,
    Outcome,
    RunRecord,
    SessionEnd,
)
from tests.builders import drive_state, workload
from tests.findings.runs import ids, only
from tests.sweep_builder import run_of_cells

SECOND = 10**9


def cells_of(states: list[DriveState], experiment: Experiment = Experiment.QUEUE_DEPTH) -> RunRecord:
    """A run of one cell, with these drives after its repeats."""
    run = run_of_cells({workload(queue_depth=1): [10_000.0] * len(states)}, experiment)
    cells = sorted(run.cells, key=lambda each: each.order)
    with_drives = [cell.model_copy(update={"drives": (state,)}) for cell, state in zip(cells, states, strict=True)]
    return run.model_copy(update={"cells": tuple(with_drives)})


def throttled(*times_s: float) -> RunRecord:
    """A cell whose simulated drive has throttled for so long after each repeat."""
    return cells_of([drive_state(throttled_ns=round(time_s * SECOND)) for time_s in times_s])


def real(before: dict[str, Any], after: dict[str, Any]) -> RunRecord:
    """A run on an NVMe drive whose health is this before and after the second of two repeats of a cell."""

    def health(values: dict[str, Any]) -> DriveHealth:
        return DriveHealth(source=HealthSource.SMART_LOG, **values)

    states = [DriveState(disk="nvme0n1", before=health(before), health=health(each)) for each in (before, after)]
    run = cells_of(states)
    drive = Drive(disk="nvme0n1", health=health(before))
    return run.model_copy(update={"header": run.header.model_copy(update={"drives": (drive,)})})


def warned(**values: Any) -> RunRecord:
    """A run at whose end a drive reports these values."""
    run = real({}, {})
    health = DriveHealth(source=HealthSource.SMART_LOG, **values)
    return run.model_copy(update={"end": SessionEnd(finished=True, drives=(Drive(disk="nvme0n1", health=health),))})


FIRES: dict[str, Callable[[], RunRecord]] = {
    "drive-throttled": lambda: throttled(0.0, 0.0, 2.0),
    "drive-hot": lambda: real({}, {"temperature_celsius": 70, "warning_celsius": 70}),
    "media-errors": lambda: real({"media_errors": 3}, {"media_errors": 5}),
    "link-changed": lambda: real({"link": "16.0 GT/s PCIe x4"}, {"link": "8.0 GT/s PCIe x4"}),
    "drive-warns": lambda: warned(warnings=(DriveWarning.RELIABILITY,)),
}
NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    ("drive-throttled", lambda: throttled(0.0, 0.0, 0.01)),
    ("drive-throttled", lambda: real({"throttle_count": 7}, {"throttle_count": 7})),
    ("drive-hot", lambda: real({}, {"temperature_celsius": 69, "warning_celsius": 70})),
    ("drive-hot", lambda: real({}, {"temperature_celsius": 90})),
    ("media-errors", lambda: real({"media_errors": 3}, {"media_errors": 3})),
    ("media-errors", lambda: real({}, {"media_errors": 3})),
    ("link-changed", lambda: real({"link": "8.0 GT/s PCIe x4"}, {"link": "8.0 GT/s PCIe x4"})),
    ("link-changed", lambda: real({}, {"link": "8.0 GT/s PCIe x4"})),
    ("drive-warns", lambda: warned(wear_percent=99)),
]


def test_throttling_is_a_share_of_the_measurement_time() -> None:
    finding = only(throttled(0.0, 0.0, 2.5), "drive-throttled")
    assert "throttled during 1 of 3 repeats with a count, in 1 cell" in finding.statement
    assert "for 50 % of the measurement time" in finding.statement


@pytest.mark.parametrize("times_s", [(0.0, 9.0), (0.0, 90.0)])
def test_no_share_exceeds_the_whole_time(times_s: tuple[float, ...]) -> None:
    assert "for 100 % of" in only(throttled(*times_s), "drive-throttled").statement


def test_throttling_shorter_than_what_a_drive_counts_shows_as_its_beginning() -> None:
    run = real({"throttled_ns": 0, "throttle_count": 7}, {"throttled_ns": 0, "throttle_count": 8})
    assert only(run, "drive-throttled").statement.endswith("it began to throttle.")


def test_heat_between_two_readings_shows_in_the_counter() -> None:
    run = real({"hot_ns": 0}, {"hot_ns": 60 * SECOND, "temperature_celsius": 50, "warning_celsius": 70})
    ((cell, evidence),) = only(run, "drive-hot").evidence
    assert cell == run.cells[0].cell
    assert evidence == "above the warning temperature in the meantime"


def test_a_used_up_rated_life_is_a_warning() -> None:
    assert "100 % of its rated life is used" in only(warned(wear_percent=100), "drive-warns").statement


@pytest.mark.parametrize("outcome", [Outcome.CUT, Outcome.FAILED])
def test_trials_without_a_result_are_not_judged(outcome: Outcome) -> None:
    run = FIRES["media-errors"]()
    cells = tuple(cell.model_copy(update={"outcome": outcome}) for cell in run.cells)
    assert "media-errors" not in ids(run.model_copy(update={"cells": cells}))
