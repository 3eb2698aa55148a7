"""The temperature of the drives after each trial."""

from collections.abc import Sequence
from typing import Any

import pytest

from iosonde.charts.drive_temperature import DRIVES_MAX, drive_temperature, has_temperature
from iosonde.charts.figure import Figure
from iosonde.records import CellRecord, DriveHealth, DriveState, HealthSource
from tests.builders import workload
from tests.sweep_builder import run_of_cells


def records(*drives: Sequence[dict[str, Any]], disk: str = "nvme{}n1") -> list[CellRecord]:
    """The trials of a cell; after each, the drives have these values."""
    cells = sorted(run_of_cells({workload(queue_depth=1): [100.0] * len(drives)}).cells, key=lambda each: each.order)
    states = [
        tuple(
            DriveState(
                disk=disk.format(number),
                before=DriveHealth(throttle_count=0),
                health=DriveHealth.model_validate({"source": HealthSource.SMART_LOG, "throttle_count": 0} | each),
            )
            for number, each in enumerate(trial)
        )
        for trial in drives
    ]
    return [cell.model_copy(update={"drives": state}) for cell, state in zip(cells, states, strict=True)]


def shown(figure: Figure) -> list[tuple[str, int, int, str]]:
    return [(row["series"], row["trial"], row["temperature_celsius"], row["status"]) for row in figure.rows]


def test_each_trial_has_a_mark_for_each_drive_that_reports_its_temperature() -> None:
    figure = drive_temperature(
        records(({"temperature_celsius": 40}, {}), ({"temperature_celsius": 45}, {"temperature_celsius": 30}))
    )
    assert shown(figure) == [
        ("nvme0n1", 1, 40, "as usual"),
        ("nvme0n1", 2, 45, "as usual"),
        ("nvme1n1", 2, 30, "as usual"),
    ]
    assert "dashed" not in figure.caption


def test_a_drive_that_throttled_or_is_too_hot_is_marked() -> None:
    warning = {"warning_celsius": 70}
    figure = drive_temperature(
        records(
            ({"temperature_celsius": 69, **warning},),
            ({"temperature_celsius": 70, **warning},),
            ({"temperature_celsius": 60, "throttle_count": 1, **warning},),
        )
    )
    assert [status for *_, status in shown(figure)] == ["as usual", "too hot", "throttled"]
    assert "Rings mark trials in which a drive throttled" in figure.caption
    assert "The dashed line is the warning temperature of the drive, 70 °C" in figure.caption


def test_only_the_hottest_drives_are_drawn() -> None:
    many = [{"temperature_celsius": 30 + number} for number in range(DRIVES_MAX + 2)]
    figure = drive_temperature(records(many, many))
    assert {row["series"] for row in figure.rows} == {f"nvme{number}n1" for number in range(2, DRIVES_MAX + 2)}
    assert f"Only the hottest {DRIVES_MAX} of {DRIVES_MAX + 2} drives are drawn" in figure.caption


@pytest.mark.parametrize(
    ("found", "disk", "is_shown"),
    [
        ([{"temperature_celsius": 40}, {"temperature_celsius": 40}], "sda", True),
        ([{"temperature_celsius": 40}, {"temperature_celsius": 40}], "", False),
        ([{"temperature_celsius": 40}, {"temperature_celsius": 41}], "", True),
        ([{}, {}], "sda", False),
    ],
)
def test_a_simulated_drive_is_only_drawn_if_its_temperature_varies(
    found: list[dict[str, Any]], disk: str, *, is_shown: bool
) -> None:
    assert has_temperature(records(*([each] for each in found), disk=disk)) is is_shown
