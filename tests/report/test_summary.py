"""The end of a run on the terminal."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console

from iosonde.analysis.run import RunAnalysis
from iosonde.findings.finding import Finding, Severity
from iosonde.records import RunRecord
from iosonde.report.summary import FINDINGS_MIN, LINES_MAX, render_summary
from tests.builders import finding, target_facts
from tests.lab_builder import lab_run

REPORT = Path("/srv/runs/20261120/report.html")
HEAVY_MODULES = ("altair", "arro3", "jinja2")


def printed(run: RunRecord, findings: Sequence[Finding] = (), width: int = 80) -> list[str]:
    console = Console(width=width, force_terminal=False)
    with console.capture() as capture:
        console.print(render_summary(RunAnalysis(run), findings, REPORT))
    return capture.get().rstrip("\n").split("\n")


@pytest.fixture(scope="module")
def run() -> RunRecord:
    return lab_run()


def test_a_summary_fits_a_screen_of_80_by_24(run: RunRecord) -> None:
    many = [finding(f"note-{number}", Severity.NOTE) for number in range(20)]
    lines = printed(run, many)
    assert len(lines) <= LINES_MAX
    assert max(map(len, lines)) <= 80


def test_a_summary_leads_from_numbers_over_the_knee_to_the_report(run: RunRecord) -> None:
    text = "\n".join(printed(run))
    places = [text.index(word) for word in ("iosonde lab", " IOPS", "commits/s", "the knee", "Report: ")]
    assert places == sorted(places)
    assert str(REPORT) in text


@pytest.mark.parametrize("width", [30, 40, 60])
def test_a_narrow_terminal_shows_the_figures_below_their_names(run: RunRecord, width: int) -> None:
    lines = [line.rstrip() for line in printed(run, width=width)]
    at = lines.index("Random read, 4 KiB, depth 1")
    assert lines[at + 1].startswith("  mean ")
    assert max(map(len, lines)) <= width


def test_findings_come_most_severe_first_and_the_rest_are_counted(run: RunRecord) -> None:
    findings = [finding(f"note-{number}", Severity.NOTE) for number in range(20)]
    findings.append(finding("depth-not-reached", Severity.INVALID))
    lines = printed(run, findings)
    first = next(index for index, line in enumerate(lines) if line.startswith("Findings"))
    assert lines[first] == "Findings (1 invalid, 20 note):"
    assert lines[first + 1].startswith("invalid depth-not-reached: ")
    shown = sum(line.startswith(("invalid ", "note ")) for line in lines)
    assert f"and {21 - shown} more in the report." in lines


def test_the_gravest_findings_are_shown_even_on_a_narrow_terminal(run: RunRecord) -> None:
    findings = [finding("one", Severity.INVALID), finding("two", Severity.DOUBTFUL), finding("three", Severity.NOTE)]
    text = "\n".join(printed(run, findings, width=40))
    assert sum(f" {each.id}: " in text for each in findings) >= FINDINGS_MIN


def test_a_run_without_findings_says_so(run: RunRecord) -> None:
    assert "Findings: none." in printed(run)


def test_an_unreliable_figure_points_to_its_finding(run: RunRecord) -> None:
    text = " ".join(printed(run, [finding("drift", Severity.DOUBTFUL, ("random-read-4KiB-qd1",))], width=200))
    assert "µs (unreliable)" in text
    assert "unreliable: see drift." in text


def test_a_figure_with_several_doubts_names_the_first_and_counts_the_others(run: RunRecord) -> None:
    cells = ("random-read-4KiB-qd1",)
    found = [finding(each, Severity.DOUBTFUL, cells) for each in ("a", "b")]
    text = " ".join(printed(run, found, width=200))
    assert "unreliable: see a and 1 more." in text


def test_a_screen_is_enough_where_everything_is_marked(run: RunRecord) -> None:
    cells = tuple(plan.cell for plan in run.header.plan.cells)
    many = "In 2 measurements the target stood still when measuring ended, and this is told at length. " * 4
    findings = [finding("a", Severity.INVALID, cells[:20], many), finding("b", Severity.DOUBTFUL, cells, many)]
    lines = printed(run, findings, width=100)
    assert len(lines) <= 24
    assert any("invalid a: In 2 measurements" in line for line in lines)


@pytest.mark.parametrize("width", [80, 100])
def test_a_screen_is_enough_for_a_branded_run_of_a_long_path_as_well(width: int) -> None:
    target = target_facts("/srv/" + "a-folder-with-a-name/" * 6 + "iosonde.dat")
    run = lab_run(repeats=1, quick=True, target=target)
    cells = tuple(plan.cell for plan in run.header.plan.cells)
    findings = [finding("neighbours", Severity.INVALID, cells), finding("drift", Severity.DOUBTFUL, cells)]
    lines = printed(run, findings, width=width)
    assert len(lines) <= LINES_MAX
    assert any("knee" in line.lower() for line in lines)
    assert any(line.startswith("invalid neighbours: ") for line in lines)
    assert lines[-1].startswith("Report: ")


def test_the_heading_of_the_findings_says_where_the_others_are_if_no_line_is_left_for_them() -> None:
    run = lab_run(repeats=1, quick=True, target=target_facts("/srv/" + "a-folder-with-a-name/" * 6 + "iosonde.dat"))
    cells = tuple(plan.cell for plan in run.header.plan.cells)
    findings = [finding("neighbours", Severity.INVALID, cells), finding("drift", Severity.DOUBTFUL, cells)]
    lines = [line.rstrip() for line in printed(run, findings, width=60)]
    assert lines[-3] == "Findings (1 invalid, 1 doubtful; all in the report):"
    assert lines[-2].startswith("invalid neighbours: ")


def test_quick_unfinished_and_debug_are_branded() -> None:
    text = "\n".join(printed(lab_run(repeats=1, quick=True, finished=False, build_profile="debug")))
    assert all(brand in text for brand in ("QUICK", "UNFINISHED", "DEBUG ENGINE"))


def test_a_hostile_path_is_printed_as_text() -> None:
    run = lab_run(repeats=1, target=target_facts("[bold red]\x1b]0;owned\x07[/]"))
    assert "[bold red]\\x1b]0;owned\\x07[/]" in "\n".join(printed(run, width=200))


def test_the_summary_costs_no_heavy_import() -> None:
    check = f"import sys, iosonde.report.summary; print([m for m in {HEAVY_MODULES!r} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
