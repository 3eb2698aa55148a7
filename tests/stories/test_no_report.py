"""With --no-report a run has its tables and its summary, and the page is written later."""

from pathlib import Path

from tests.commands import few_cells, iosonde

WORDS = ("run", "sim:fixed", "--seed", "1")


def test_a_run_without_a_report_becomes_one_with_a_report(tmp_path: Path) -> None:
    run = tmp_path / "run"
    ended = iosonde(*WORDS, "--profile", few_cells(tmp_path), "--no-report", "--out", run)
    assert ended.returncode == 0, ended.stderr
    assert "report.html" not in {each.name for each in run.iterdir()}
    assert (run / "cells.parquet").exists()
    assert "Report:" not in ended.stdout
    assert iosonde("report", run).returncode == 0
    assert "report.html" in {each.name for each in run.iterdir()}


def test_an_earlier_page_does_not_outlive_the_run_that_it_shows(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert iosonde(*WORDS, "--profile", few_cells(tmp_path), "--out", run).returncode == 0
    assert (run / "report.html").exists()
    assert iosonde("resume", run, "--no-report").returncode == 0
    assert not (run / "report.html").exists()
