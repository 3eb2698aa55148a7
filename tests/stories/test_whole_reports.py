"""Every shipped model, profile and example gives a report in every format, without a failed chart or section."""

import os
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pytest

from iosonde.analysis.experiments import estimate_run
from iosonde.expectations import check_results, read_expectations
from iosonde.findings.run_results import results_of_run
from iosonde.plans import build
from iosonde.plans.models import load_model, model_names
from iosonde.plans.profiles import PROFILES
from iosonde.records import Experiment, Outcome, Timing
from iosonde.report.drawing import Drawers
from iosonde.report.terminal.checked import render_checked
from tests.campaign_runs import measure, profile_request
from tests.commands import iosonde
from tests.house.checkout import ROOT
from tests.judging import findings_of
from tests.report.made_up import measured
from tests.stories.whole_reports import assert_drawn, assert_whole, report_of, shown

MODELS = model_names()
QUEUES = tuple(name for name in MODELS if load_model(name).kind == "queueing")
SLOW = "disk-7200"
# One lab run has all queueing models as targets, because separate runs would test nothing more.
TARGETS = (QUEUES, *((name,) for name in MODELS if name not in {*QUEUES, SLOW}))
EXAMPLES = sorted(path for path in (ROOT / "examples").rglob("*.toml") if path.parent.name != "expectations")
EXPECTATIONS = sorted((ROOT / "examples/expectations").glob("*.toml"))
PROCEDURES = [path for path in EXAMPLES if "[[procedure]]" in path.read_text(encoding="utf-8")]
"""Examples with procedures, which decide when they end and have stories of their own."""
CAMPAIGNS = [*(name for name in PROFILES if name != "lab"), *(str(path) for path in EXAMPLES if path not in PROCEDURES)]
SIZE = "64MiB"
TIMING = Timing(warmup_ns=5_000_000, measure_ns=50_000_000, interval_ns=10_000_000)
WORKING_SET = "1GiB"


@pytest.fixture(scope="module")
def drawers() -> Iterator[Drawers]:
    """Processes that draw charts, shared by all tests of this module."""
    with Drawers() as started:
        yield started


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Quick cells take 55 ms instead of 700 ms. Nothing else changes."""
    monkeypatch.setattr(build, "QUICK_TIMING", TIMING)


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("models", TARGETS, ids="-".join)
def test_the_lab_runs_on_every_model_to_a_whole_report(models: tuple[str, ...], tmp_path: Path) -> None:
    measure(
        profile_request([f"sim:{model}" for model in models], "lab", seed=1, quick=True, size=SIZE), tmp_path / "run"
    )
    report = report_of(tmp_path / "run")
    assert_whole(report)
    assert report.run.finished
    assert [chapter.id for chapter in measured(report.page)][:7] == [
        "baseline",
        "baseline-2",
        "baseline-3",
        "block-size",
        "mix",
        "queue-depth",
        "tail",
    ]


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(
    ("profile", "model"),
    # Each model and each example has its charts drawn at least once.
    list(zip(CAMPAIGNS, cycle((*QUEUES, *(name for name in MODELS if name not in QUEUES))), strict=False)),
    ids=lambda word: Path(word).stem,
)
def test_every_other_profile_and_example_runs_to_a_whole_report_on_paper_too(
    profile: str, model: str, tmp_path: Path, drawers: Drawers
) -> None:
    size = WORKING_SET if "span =" in _text(profile) else SIZE
    measure(profile_request([f"sim:{model}"], profile, seed=1, quick=True, size=size), tmp_path / "run")
    report = report_of(tmp_path / "run")
    assert_whole(report)
    assert_drawn(report, drawers)
    for path in (path for path in EXPECTATIONS if path.name == Path(profile).name):
        text = path.read_text(encoding="utf-8")
        expected = read_expectations(text, str(path))
        results = results_of_run("run", estimate_run(report.run), findings_of(report.run))
        checked = check_results(results, expected, (str(path), text))
        assert "against run run" in shown(render_checked(checked))


def test_every_model_and_every_example_is_drawn() -> None:
    assert len(CAMPAIGNS) >= len(MODELS)
    assert {path.name for path in EXPECTATIONS} <= {path.name for path in EXAMPLES}


def _text(profile: str) -> str:
    path = profile if os.sep in profile else ROOT / f"src/iosonde/plans/profiles/{profile}.toml"
    return Path(path).read_text(encoding="utf-8")


def test_the_main_job_on_a_slow_disk_ends_with_its_report_in_every_form(tmp_path: Path) -> None:
    ended = iosonde("run", f"sim:{SLOW}", "--quick", "--out", "run", folder=tmp_path, short_cells=True)
    # On this disk, a commit takes longer than a quick cell, so the cell may fail (exit code 5).
    assert ended.returncode in {0, 5}, ended.stderr
    assert "Report: run/report.html" in ended.stdout
    assert_whole(report_of(tmp_path / "run"))
    forms = ("--pdf", "run.pdf", "--csv", "tables", "--json", "run.json")
    written = iosonde("report", "run", *forms, folder=tmp_path)
    assert written.returncode == 0, written.stderr
    for told in (ended.stderr, written.stderr):
        assert "warning: " not in told
        assert "Traceback" not in told


FEW_OPERATIONS = {
    "rate": ("mmc", 'kind = "tail"\npattern = "random"\nread = 100\nblock_size = "4KiB"\nqueue_depth = 8\nrate = 5\n'),
    "slow-writes": (
        "usb-stick",
        'kind = "tail"\npattern = "random"\nread = 0\nblock_size = "1MiB"\nqueue_depth = [1, 8]\n',
    ),
    "video": (
        "disk-7200",
        'kind = "tail"\npattern = "random"\nread = [100, 50]\nblock_size = "4MiB"\nqueue_depth = 2\n',
    ),
}


@pytest.mark.parametrize("case", FEW_OPERATIONS)
def test_a_tail_of_a_few_operations_an_interval_is_drawn(case: str, tmp_path: Path, drawers: Drawers) -> None:
    model, experiment = FEW_OPERATIONS[case]
    campaign = tmp_path / "few.toml"
    campaign.write_text(f'name = "few"\n[[experiment]]\nname = "few"\n{experiment}', encoding="utf-8")
    measure(profile_request([f"sim:{model}"], campaign, seed=1, size=SIZE), tmp_path / "run")
    report = report_of(tmp_path / "run")
    assert_whole(report)
    assert_drawn(report, drawers)
    maps = [figure for figure in report.page.figures if figure.id.startswith("heat-map-")]
    cells = [cell for cell in estimate_run(report.run).of(Experiment.TAIL) if Outcome.FINISHED in cell.outcomes]
    assert len(maps) == len(cells) > 0
    assert all(figure.rows for figure in maps)
