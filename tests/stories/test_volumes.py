"""Simulated volumes keep their credits from trial to trial, and through an interruption."""

from pathlib import Path

import pytest

from iosonde.records import RunRecord
from iosonde.store import load_run
from tests.campaign_runs import Interrupting, measure, profile_request, resume
from tests.stories.short_runs import DONE, fork

CAMPAIGN = """
name = "volumes"
repeats = 6
order = "listed"
warmup = "0s"
duration = "10s"
[[experiment]]
name = "reads"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = 32
"""


def run_volume(folder: Path, directory: Path, observer: Interrupting | None = None) -> None:
    campaign = folder / "volumes.toml"
    campaign.write_text(CAMPAIGN, encoding="utf-8")
    measure(profile_request(["sim:cloud-burst,seed=1"], campaign, seed=1), directory, observer)


def iops(run: RunRecord) -> list[float]:
    return [sum(each.count for each in cell.operations.values()) / 10 for cell in run.cells]


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    folder = tmp_path_factory.mktemp("volumes")
    run_volume(folder, folder / "run")
    return load_run(folder / "run")


def test_the_first_trials_of_a_volume_burst_and_the_later_ones_run_at_the_base_rate(unbroken: RunRecord) -> None:
    found = iops(unbroken)
    assert found[:2] == pytest.approx([3000, 3000], rel=0.01)
    assert found[-2:] == pytest.approx([300, 300], rel=0.01)


def test_a_resumed_volume_has_the_credits_that_it_had(unbroken: RunRecord, tmp_path: Path) -> None:
    directory = tmp_path / "run"
    assert fork(lambda: run_volume(tmp_path, directory, observer=Interrupting(2))).wait() != DONE
    assert len(load_run(directory).cells) < len(unbroken.cells)
    resume(directory)
    assert load_run(directory).cells == unbroken.cells
