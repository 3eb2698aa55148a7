"""Read/write mixes on simulated drives, from the campaign to charts, text and exports."""

import json
import re
from pathlib import Path

import pytest

from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.run import RunAnalysis
from iosonde.campaign import RunRequest, TargetRequest
from iosonde.charts.figure import Figure
from iosonde.machine.local_host import LocalHost
from iosonde.plans import campaign_plan, read_campaign
from iosonde.plans.models import load_model
from iosonde.records import Experiment, Operation, RunRecord
from iosonde.report.blocks import Answers, Cards
from iosonde.report.export import run_json
from iosonde.report.headline_figures import HeadlineGroup
from iosonde.report.html import render_html
from iosonde.report.markdown import page_markdown
from iosonde.report.page import Page, page_of
from iosonde.report.tables import ResultTable
from iosonde.store import load_run
from iosonde.units import SECOND_NS
from iosonde.vocabulary import EngineChoice
from tests.campaign_runs import measure
from tests.commands import iosonde
from tests.judging import findings_of
from tests.report.made_up import chapter_of

HEAD = """
name = "mixes"
repeats = 3
warmup = "10ms"
duration = "400ms"
"""
DEPTHS = """
[[experiment]]
name = "depths"
kind = "queue_depth"
pattern = "random"
read = [70]
block_size = "16KiB"
queue_depth = [1, 2, 4, 8, 16, 32, 64]
"""
EVERYWHERE = "\n".join(
    f"""
[[experiment]]
name = "{kind}"
kind = "{kind}"
pattern = ["random", "sequential"]
read = [70, 50]
trim = {trim}
block_size = ["4KiB", "16KiB"]
queue_depth = {depths}
{rate}
"""
    for kind, depths, trim, rate in (
        ("baseline", "1", "0", ""),
        ("block_size", "8", "5", ""),
        ("mix", "4", "0", ""),
        ("queue_depth", "[1, 2, 4]", "0", ""),
        ("tail", "[8, 64]", "0", ""),
        ("matrix", "64", "0", "rate = [500, 1000]"),
    )
)
EMPTY = re.compile(r"No data|[a-z]+-\S+ completed no\S*")


def measured(campaign: str, target: str, directory: Path, name: str = "mixes.toml") -> RunRecord:
    requested = TargetRequest((target,), size_bytes=64 << 20, overwrite=False, buffered=False, writes=True, quick=False)
    plan = read_campaign(campaign, name)
    request = RunRequest(
        host=LocalHost(),
        target=requested,
        engine=EngineChoice.AUTO,
        plan=lambda ground: campaign_plan(plan, ground, quick=False, seed=5),
    )
    measure(request, directory)
    return load_run(directory)


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    """A queue-depth sweep of a 70/30 mix on four exponential servers. The knee is at depth 4."""
    return measured(HEAD + DEPTHS, "sim:mmc,seed=5", tmp_path_factory.mktemp("swept") / "run")


@pytest.fixture(scope="module")
def page(swept: RunRecord) -> Page:
    return page_of(RunAnalysis(swept), findings_of(swept))


def headline(page: Page) -> tuple[HeadlineGroup, ...]:
    (cards,) = page.all_of(Cards)
    return cards.groups


def test_each_depth_gives_what_theory_says_and_each_kind_its_share(swept: RunRecord) -> None:
    model = load_model("mmc").parameters
    for cell in estimate_run(swept).of(Experiment.QUEUE_DEPTH):
        busy = min(cell.queue_depth_asked, model["servers"])
        for operation, share in ((Operation.READ, 0.7), (Operation.WRITE, 0.3), (Operation.ALL, 1.0)):
            figures = cell.of(operation)
            assert figures is not None
            assert figures.iops.mean == pytest.approx(share * busy * SECOND_NS / model["service_ns"], rel=0.06)


def test_the_knee_of_the_mix_is_at_the_number_of_servers(swept: RunRecord) -> None:
    (sweep,) = estimate_run(swept).sweeps
    assert sweep.whole is Operation.ALL
    assert sweep.knee.point is not None
    assert sweep.knee.point.queue_depth == 4
    bounds = sweep.scaling.bounds
    assert bounds is not None
    assert bounds.queue_depth_least == pytest.approx(4, rel=0.1)


def test_the_page_draws_the_mix_and_tells_its_knee(page: Page) -> None:
    (answers,) = page.all_of(Answers)
    assert any("16 KiB random 70/30 mix: the knee is at depth 4" in answer for answer in answers.sentences)
    assert [row["queue_depth_asked"] for row in page.figures[0].rows if row["knee"]] == [4]
    depths = chapter_of(page, "queue-depth")
    figures = depths.all_of(Figure)
    assert {row["series"] for row in figures[0].rows} == {f"70/30 mix: {kind}" for kind in ("reads", "writes", "all")}
    assert [figure.id for figure in figures if figure.chart is None] == []
    multiples = next(
        table for table in depths.all_of(ResultTable) if "relative to the lowest queue depth" in table.caption
    )
    assert [line.texts[1:3] for line in multiples.lines] == [
        (operation, f"{2**step} x") for operation in ("read", "write", "all") for step in range(7)
    ]


def test_every_chart_says_for_those_who_cannot_see_it_what_it_shows(page: Page) -> None:
    html = render_html(page)
    for figure in chapter_of(page, "queue-depth").all_of(Figure):
        assert figure.specification["description"] == figure.caption
        assert f'aria-label="{figure.caption}'.replace("'", "&#39;") in html


def test_the_headline_is_of_the_mix_with_its_block_size(page: Page) -> None:
    assert [(group.id, group.name) for group in headline(page)] == [
        ("random-70-30-mix-iops", "Random 70/30 mix, 16 KiB"),
        ("random-70-30-mix-latency", "Random 70/30 mix, 16 KiB"),
    ]
    names = [figure.name for figure in headline(page)[1].figures]
    assert names == ["mean of reads", "p99 of reads", "mean of writes", "p99 of writes"]


def test_the_document_holds_the_same_headline_and_knee(swept: RunRecord, page: Page) -> None:
    document = json.loads(run_json(RunAnalysis(swept), findings_of(swept)))
    assert [group["name"] for group in document["headline"]] == [group.name for group in headline(page)]
    assert document["headline"][0]["figures"][0]["value"] == headline(page)[0].figures[0].value
    assert document["knees"]["70/30 mix"]["point"]["queue_depth"] == 4
    assert document["sweeps"] == {"70/30 mix": [cell.cell for cell in swept.header.plan.cells]}
    assert document["knee_sentences"]["70/30 mix"].startswith("16 KiB random 70/30 mix: the knee is at depth 4")


@pytest.mark.parametrize("target", ["sim:mmc,seed=1", "sim:sata-dc,seed=2", "sim:enterprise-nvme,seed=3"])
def test_mixes_of_every_experiment_are_drawn_and_nothing_false_is_said(target: str, tmp_path: Path) -> None:
    run = measured(HEAD.replace("400ms", "60ms") + EVERYWHERE, target, tmp_path / "run")
    page = page_of(RunAnalysis(run), findings_of(run))
    expected = {cell.cell for cell in run.header.plan.cells}
    drawn = {row["cell"] for figure in page.figures for row in figure.rows if "cell" in row}
    assert drawn == expected
    for form in (render_html(page), page_markdown(page, "charts")):
        assert EMPTY.findall(form.partition("<script>")[0]) == []
    assert len({figure.id for figure in page.figures}) == len(page.figures)


def test_the_terminal_shows_the_sweep_of_a_mix_with_its_knee(tmp_path: Path) -> None:
    campaign = tmp_path / "mixes.toml"
    campaign.write_text(HEAD + DEPTHS, encoding="utf-8")
    ran = iosonde(
        "run", "--no-report", "sim:mmc,seed=5", "--profile", campaign, "--out", tmp_path / "run", "--size", "64MiB"
    )
    assert ran.returncode == 0, ran.stderr
    assert "Random 70/30 mix, 16 KiB, depth" in ran.stdout
    assert "16 KiB random 70/30 mix: the knee is at depth 4" in ran.stdout.replace("\n", " ")
    shown = iosonde("show", tmp_path / "run").stdout
    bars = shown.partition("16 KiB random 70/30 mix: throughput and mean latency by queue depth")[2]
    assert re.search(r"^ *4 .* knee$", bars, flags=re.MULTILINE), bars
    assert "alls" not in shown
