"""Campaigns with ``--precision`` and ``--budget``, from the command line."""

from pathlib import Path
from typing import Any

import pytest

from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.precision import precision_of
from iosonde.analysis.series.batches import BATCHES
from iosonde.analysis.totals import measured_intervals
from iosonde.campaign import NullObserver
from iosonde.records import RunRecord
from iosonde.records.plan import AIM_REPEATS_MIN
from iosonde.store import load_run, summarise_run
from tests.campaign_runs import Interrupting, measure, profile_request, resume
from tests.commands import iosonde as run_command
from tests.judging import findings_of

CAMPAIGN = """
name = "three"
precision = "2%"
budget = "60s"
duration = "2s"
[[experiment]]
name = "all"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = [1, 4, 16]
"""


@pytest.fixture
def campaign(tmp_path: Path) -> Path:
    file = tmp_path / "three.toml"
    file.write_text(CAMPAIGN, encoding="utf-8")
    return file


def run_three(campaign: Path, directory: Path, observer: NullObserver, **others: Any) -> None:
    measure(profile_request(["sim:mmc,seed=5"], campaign, **others), directory, observer)


def figures(run: RunRecord) -> list[tuple[str, int, int, float]]:
    return [
        (record.cell, record.repeat, record.seed, sum(each.count for each in record.operations.values()))
        for record in run.cells
    ]


def test_each_cell_is_measured_until_it_is_known(campaign: Path, tmp_path: Path) -> None:
    run_three(campaign, tmp_path / "run", NullObserver())
    run = load_run(tmp_path / "run")
    assert run.finished
    assert len(run.turns) == len(run.cells) > len(run.header.plan.turns)
    for cell in estimate_run(run).cells:
        assert precision_of(cell, 2.0).met, cell.cell
    assert not [each for each in findings_of(run) if each.id == "precision-missed"]


def test_figures_are_those_that_theory_gives(campaign: Path, tmp_path: Path) -> None:
    run_three(campaign, tmp_path / "run", NullObserver())
    cells = {cell.queue_depth_asked: cell for cell in estimate_run(load_run(tmp_path / "run")).cells}
    for depth, cell in cells.items():
        assert cell.subject is not None
        # In a closed loop on four servers of 100 µs, no operation waits up to depth 4.
        assert cell.subject.iops.mean == pytest.approx(10_000 * min(depth, 4), rel=0.03)


def test_a_budget_that_is_spent_too_soon_is_told_with_what_would_do(campaign: Path, tmp_path: Path) -> None:
    run_three(campaign, tmp_path / "run", NullObserver(), budget="8s", precision="0.2%")
    found = [each for each in findings_of(load_run(tmp_path / "run")) if each.id == "precision-missed"]
    assert len(found) == 1
    assert (
        "did not reach the requested precision of 0.2 % (0.4 % for p99) within the budget of 8.0 s"
        in found[0].statement
    )
    assert found[0].deciding_test


def test_a_run_that_was_broken_off_ends_as_if_nothing_had_been(campaign: Path, tmp_path: Path) -> None:
    run_three(campaign, tmp_path / "whole", NullObserver())
    with pytest.raises(KeyboardInterrupt):
        run_three(campaign, tmp_path / "cut", Interrupting(12))
    assert not load_run(tmp_path / "cut").finished
    resume(tmp_path / "cut")
    whole, mended = load_run(tmp_path / "whole"), load_run(tmp_path / "cut")
    assert mended.finished
    assert figures(mended) == figures(whole)
    assert mended.turns == whole.turns


def test_a_listing_counts_what_was_chosen(campaign: Path, tmp_path: Path) -> None:
    run_three(campaign, tmp_path / "run", NullObserver())
    run, glance = load_run(tmp_path / "run"), summarise_run(tmp_path / "run", lambda plan: plan.cells)
    assert (glance.measured, glance.planned) == (len(run.cells), len(run.turns))
    assert {each.cell: each.repeats for each in glance.cells} == {
        cell.cell: cell.repeats_finished for cell in estimate_run(run).cells
    }


def test_fixed_times_are_there_for_whoever_wants_them(campaign: Path, tmp_path: Path) -> None:
    run_three(campaign, tmp_path / "run", NullObserver(), fixed=True)
    run = load_run(tmp_path / "run")
    assert run.header.plan.aim is None
    assert {record.timing.measure_ns for record in run.cells} == {2 * 10**9}


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--precision", "wide"), "--precision: 'wide' is not a percentage"),
        (("--precision", "70%"), "--precision 70% is not in the range 0.1% to 50%"),
        (("--budget", "1s"), "a budget of 1.0 s is too short for the first 6 repeats"),
        (("--fixed", "--precision", "2%"), "--precision and --fixed cannot be combined"),
        (("--quick", "--budget", "5m"), "--budget and --quick cannot be combined"),
    ],
)
def test_an_aim_that_makes_no_sense_is_refused_before_anything_is_touched(
    flags: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    told = run_command("run", "sim:mmc", *flags, "--out", str(tmp_path / "run"))
    assert told.returncode == 2
    assert words in told.stderr
    assert "hint:" in told.stderr
    assert not (tmp_path / "run").exists()


def test_a_file_is_measured_until_its_figures_are_known_or_the_budget_is_spent(campaign: Path, tmp_path: Path) -> None:
    told = run_command(
        "run",
        str(tmp_path / "new.data"),
        "--size",
        "64MiB",
        "--buffered",
        "--profile",
        str(campaign),
        "--precision",
        "10%",
        "--budget",
        "12s",
        "--out",
        str(tmp_path / "run"),
    )
    assert told.returncode == 0, told.stderr
    run = load_run(tmp_path / "run")
    spent_ns = run.asked_ns
    assert spent_ns <= 12 * 10**9
    assert len(run.cells) >= len(run.header.plan.turns) == 3 * AIM_REPEATS_MIN
    # A busy host can leave gaps between intervals. The variation within a repeat needs at least BATCHES of them.
    enough = [record for record in run.cells if len(measured_intervals(record)) >= BATCHES]
    assert enough
    assert all(record.within is not None for record in enough)
