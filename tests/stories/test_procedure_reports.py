"""A user's own procedure on a simulated drive, from the run to the report."""

import csv
import json
from pathlib import Path

import pypdfium2  # type: ignore[import-untyped] # It comes without types.
import pytest

from tests.commands import iosonde
from tests.procedure_files import phase_text, procedures_text

PROCEDURE = """
name = "stick"

[about]
"tested by" = "A. Tester"

[[procedure]]
name = "stick"
title = "Until steady"
purge = false

[[procedure.phase]]
name = "rounds"

[procedure.phase.steady]
track = [{ read = 0, block_size = "4KiB", quantity = "iops" }]

[[procedure.phase.cells]]
pattern = "random"
read = [100, 0]
block_size = ["4KiB", "64KiB"]
queue_depth = 8
duration = "60s"
"""


def measured(folder: Path, procedure: str) -> tuple[Path, str]:
    """The directory of a finished run of a procedure file, and what the run printed at its end."""
    (folder / "own.toml").write_text(procedure, encoding="utf-8")
    words = ("run", "sim:sata-dc,scale=300", "--profile", folder / "own.toml", "--seed", "1", "--no-report")
    done = iosonde(*words, "--out", folder / "run")
    assert done.returncode == 0, done.stderr
    return folder / "run", done.stdout


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The directory of a finished run, and what the run printed at its end."""
    return measured(tmp_path_factory.mktemp("procedure"), PROCEDURE)


def test_the_summary_of_the_run_agrees_with_its_exported_figures(story: tuple[Path, str], tmp_path: Path) -> None:
    run, printed = story
    done = iosonde("report", str(run), "--json", str(tmp_path / "run.json"), "--csv", str(tmp_path / "csv"))
    assert done.returncode == 0, done.stderr
    [procedure] = json.loads((tmp_path / "run.json").read_text())["procedures"]
    with (tmp_path / "csv/rounds.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))

    [judged] = procedure["steady_states"]
    cell = judged["determinations"][0]["cell"]
    window = [float(row["iops"]) for row in rows if row["cell"] == cell and row["in_window"] == "yes"]
    mean = sum(window) / len(window)

    assert len(window) == 5
    assert judged["determinations"][0]["average"] == pytest.approx(mean)
    told = " ".join(printed.split())
    assert f"4 KiB 0/100 {mean:,.0f} IOPS" in told
    assert f"steady state reached in round {judged['criteria'][0]['reached']}" in told


def test_the_first_page_has_the_verdict_of_each_tracking_variable(story: tuple[Path, str], tmp_path: Path) -> None:
    done = iosonde("report", str(story[0]), "--markdown", tmp_path / "r.md", "--json", tmp_path / "run.json")
    assert done.returncode == 0, done.stderr
    [procedure] = json.loads((tmp_path / "run.json").read_text())["procedures"]
    reached = procedure["steady_states"][0]["criteria"][0]["reached"]
    mean = procedure["steady_states"][0]["determinations"][0]["average"]
    text = (tmp_path / "r.md").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith("| Until steady | 4 KiB 0/100, IOPS |"))
    assert f"| rounds {reached - 4} to {reached} | {mean:,.0f} IOPS |" in row
    assert row.endswith(f"| reached in round {reached} |")


def test_show_prints_the_tables_of_the_report(story: tuple[Path, str]) -> None:
    shown = iosonde("show", str(story[0])).stdout

    assert "Steady-state determination" in shown
    assert "IOPS, mean over the window" in shown


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_each_page_of_the_pdf_has_the_header_block(story: tuple[Path, str], tmp_path: Path, paper: str) -> None:
    done = iosonde("report", str(story[0]), "--pdf", str(tmp_path / "report.pdf"), "--paper", paper)
    assert done.returncode == 0, done.stderr

    document = pypdfium2.PdfDocument(tmp_path / "report.pdf")
    pages = [" ".join(page.get_textpage().get_text_range().split()) for page in document]

    for number, text in enumerate(pages, 1):
        assert f"Page {number} of {len(pages)}" in text
        assert "SIMULATED, SCALED 1:300 IN CAPACITY AND TIME" in text
        assert "Tested by A. Tester" in text
    assert "Until steady: a procedure without a specification." in " ".join(pages)


DEMAND: dict[str, object] = {"block_size": "8KiB", "jobs": 32, "queue_depth": 32}
UNSTEADY = procedures_text(
    "two",
    two=(
        phase_text(
            "preconditioning",
            DEMAND | {"read": 0, "duration": "180m"},
            steady={"sample": "1m", "block": "30m", "sample_of": "first"},
            role="preconditioning",
        ),
        phase_text(
            "rounds",
            DEMAND | {"read": 65, "duration": "1m"},
            steady={"track": [{"read": 65, "quantity": "iops"}]},
        ),
    ),
)


def test_steady_state_is_not_verified_if_the_preconditioning_before_the_rounds_was_not_steady(tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(UNSTEADY, encoding="utf-8")
    words = ("sim:sata-dc,seed=1,scale=300", "--profile", tmp_path / "two.toml", "--seed", "1", "--no-report")
    done = iosonde("run", *words, "--out", tmp_path / "run")

    told = " ".join(done.stdout.split())
    assert "steady state reached in round 5, but preconditioning not reached after 6 blocks" in told
    csv_files = iosonde("report", tmp_path / "run", "--csv", tmp_path / "csv")
    assert csv_files.returncode == 0, csv_files.stderr
    with (tmp_path / "csv/determinations.csv").open(newline="", encoding="utf-8") as file:
        assert [row["phase"] for row in csv.DictReader(file)] == ["preconditioning", "rounds"]


TWO_PHASES = procedures_text(
    "both",
    both=(
        phase_text("deep", {"read": 0, "block_size": "4KiB", "queue_depth": 32, "duration": "1m"}, rounds=2),
        phase_text("shallow", {"read": 100, "block_size": "8KiB", "queue_depth": 1, "duration": "1m"}, rounds=2),
    ),
)


def test_all_phases_with_rounds_are_in_the_set_up_and_the_tables(tmp_path: Path) -> None:
    (tmp_path / "both.toml").write_text(TWO_PHASES, encoding="utf-8")
    words = ("sim:fixed", "--time-scale", "600", "--profile", tmp_path / "both.toml", "--seed", "1", "--no-report")
    done = iosonde("run", *words, "--out", tmp_path / "run")
    assert done.returncode == 0, done.stderr

    shown = iosonde("show", tmp_path / "run")
    assert {"both-random-write-4KiB-qd32", "both-random-read-8KiB-qd1"} <= set(shown.stdout.split())
    told = " ".join(done.stdout.split())
    assert "Means of rounds 1 to 2: 8 KiB 100/0 10,000 IOPS." in told
    assert 'Phase "deep": means of rounds 1 to 2: 4 KiB 0/100 80,000 IOPS.' in told
    pages = iosonde("report", tmp_path / "run", "--markdown", tmp_path / "report.md")
    assert pages.returncode == 0, pages.stderr
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "random, 0/100 × 4 KiB, 1 job × QD 32, 100 ms after 50 ms of warm-up; random, 100/0 × 8 KiB" in text


DEMAND_AND_ZONES = """
name = "both"

[[procedure]]
name = "both"
title = "Demand and zones"
purge = false

[[procedure.phase]]
name = "demand"
rounds = 2

[[procedure.phase.cells]]
pattern = "random"
read = 30
block_size = "8KiB"
jobs = [2, 1]
queue_depth = [4, 1]
duration = "30s"

[[procedure.phase]]
name = "points"
role = "operating_points"
points = { phase = "demand", latency_max = "1ms" }

[[procedure.phase.cells]]
pattern = "random"
read = 30
block_size = "8KiB"
duration = "30s"

[[procedure.phase]]
name = "zones"
rounds = 1

[[procedure.phase.cells]]
pattern = "sequential"
read = 100
block_size = "64KiB"
zones = 3
duration = "30s"
"""


def test_zones_after_a_demand_variation_are_in_the_report_and_both_are_in_its_summary(tmp_path: Path) -> None:
    run, _ = measured(tmp_path, DEMAND_AND_ZONES)
    assert iosonde("report", run, "--markdown", tmp_path / "run.md").returncode == 0
    text = (tmp_path / "run.md").read_text(encoding="utf-8")

    assert "Operating points, chosen from the means of the demand variation over its window." in text
    assert "![Bandwidth by offset: 64 KiB]" in text
    (summary,) = (line for line in text.splitlines() if "3 zones. Means of the zones" in line)
    assert "Operating points: maximum" in summary


def test_the_table_of_rounds_is_judged_as_the_run_was(story: tuple[Path, str], tmp_path: Path) -> None:
    run, printed = story
    assert iosonde("report", run, "--csv", tmp_path).returncode == 0
    judged = iosonde("steady", tmp_path / "rounds.csv")

    reached = next(word for word in printed.replace(".", "").split("reached in round ")[1].split())
    assert f"steady state reached in round {reached}" in judged.stdout
    assert "random-write-4KiB-qd8, IOPS" in judged.stdout
