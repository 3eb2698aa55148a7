"""Procedures of rounds run from their purge to their report on a simulated drive, smaller and shorter by a scale."""

from pathlib import Path

import pytest

from iosonde.vocabulary import PurgeState
from tests.stories.standard_procedures import SCALE, check_phases, story_of

# At depth 1, a cell of 0.2 s has less than a hundred operations of 1 MiB, so a mix of 95 % reads may have no write.
SCALES = {"tkperf-iops": 90}
# Seeks are not scaled: in shorter trials, some have no operation.
HARD_DISK_SCALE = 100


@pytest.mark.parametrize("profile", ["pts-iops", "pts-tp", "pts-lat", "tkperf-iops", "tkperf-tp", "tkperf-lat"])
def test_a_procedure_runs_through_all_of_its_phases_and_rounds(profile: str, tmp_path: Path) -> None:
    story = story_of(tmp_path, profile, f"sim:sata-dc,seed=3,scale={SCALES.get(profile, SCALE)}")

    check_phases(story.run)
    assert "in capacity and time" in story.page


@pytest.mark.parametrize("profile", ["tkperf-hdd-iops", "tkperf-hdd-tp"])
def test_a_procedure_of_hard_disks_measures_all_of_its_zones_without_a_purge(profile: str, tmp_path: Path) -> None:
    story = story_of(tmp_path, profile, "sim:disk-7200,seed=3", ("--time-scale", str(HARD_DISK_SCALE)))

    check_phases(story.run, PurgeState.SKIPPED)
    assert f"1:{HARD_DISK_SCALE} in time" in story.page
