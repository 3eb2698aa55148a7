"""Runs in which operations fail: what the trials do, and how the command ends."""

import subprocess
from pathlib import Path

import pytest

import iosonde
from iosonde.errors import MeasurementError
from iosonde.records import Outcome
from iosonde.vocabulary import OnError
from tests.commands import iosonde as run_command

DRIVE = """kind = "queueing"
title = "frail"
about = "One bad block."
size_bytes = 67_108_864
servers = 4
service = "constant"
service_ns = 1_000_000

[[faults]]
kind = "media_error"
offset_bytes = 1_048_576
length_bytes = 1
operations = "reads"
"""
CAMPAIGN = """name = "whole"
repeats = 2
{more}
[[experiment]]
name = "whole"
pattern = "sequential"
read = 100
block_size = "64KiB"
queue_depth = 1
{ends}
"""
ENDS = {"amount": 'amount = "64MiB"', "time": 'duration = "2s"'}


def run(folder: Path, ends: str, *words: str, more: str = "") -> subprocess.CompletedProcess[str]:
    (folder / "frail.toml").write_text(DRIVE, encoding="utf-8")
    (folder / "whole.toml").write_text(CAMPAIGN.format(more=more, ends=ENDS[ends]), encoding="utf-8")
    words = ("sim:./frail.toml", "--profile", "./whole.toml", "--seed", "1", "--out", "run", *words)
    return run_command("run", *words, folder=folder)


@pytest.mark.parametrize("ends", ENDS)
def test_by_default_trials_continue_and_the_command_ends_with_5(tmp_path: Path, ends: str) -> None:
    ended = run(tmp_path, ends, "--no-report")
    assert ended.returncode == 5, ended.stderr
    cells = iosonde.open_run(tmp_path / "run").record.cells
    assert {cell.outcome for cell in cells} == {Outcome.FINISHED}
    number = sum(fault.count for cell in cells for fault in cell.faults)
    told = f"error: {number} operations failed in 2 of 2 measurements (EIO), the first in "
    assert told in ended.stderr
    assert "read at offset 1048576" in ended.stderr


@pytest.mark.parametrize("ends", ENDS)
def test_with_stop_each_trial_ends_at_its_first_error(tmp_path: Path, ends: str) -> None:
    ended = run(tmp_path, ends, "--on-error", "stop")
    assert ended.returncode == 5, ended.stderr
    assert "2 of 2 measurements failed" in ended.stderr
    assert "read at offset 1048576: Input/output error (EIO)" in ended.stderr
    record = iosonde.open_run(tmp_path / "run").record
    assert [(cell.outcome, sum(fault.count for fault in cell.faults)) for cell in record.cells] == [
        (Outcome.FAILED, 1),
        (Outcome.FAILED, 1),
    ]
    assert "the trial ends" in (tmp_path / "run/report.html").read_text(encoding="utf-8")


def test_the_campaign_file_can_choose_and_the_option_replaces_its_choice(tmp_path: Path) -> None:
    ended = run(tmp_path, "amount", "--no-report", more='on_error = "stop"')
    assert "2 of 2 measurements failed" in ended.stderr
    assert iosonde.open_run(tmp_path / "run").header.plan.on_error is OnError.STOP
    (tmp_path / "run").rename(tmp_path / "before")
    ended = run(tmp_path, "amount", "--no-report", "--on-error", "continue", more='on_error = "stop"')
    assert "operations failed in 2 of 2 measurements" in ended.stderr


def test_a_probe_ends_with_the_same_error_in_python(tmp_path: Path) -> None:
    (tmp_path / "frail.toml").write_text(DRIVE, encoding="utf-8")
    drive = f"sim:{tmp_path / 'frail.toml'}"
    for on_error, told in (("continue", "operations failed"), ("stop", "the workload failed: read at offset 1048576")):
        with pytest.raises(MeasurementError, match=told):
            iosonde.probe(drive, pattern="sequential", block_size="64KiB", warmup="0s", on_error=on_error)


def test_without_a_report_the_command_is_named_that_shows_the_errors(tmp_path: Path) -> None:
    ended = run(tmp_path, "amount", "--no-report")
    assert ended.returncode == 5, ended.stderr
    assert "see `iosonde report run` for all errors" in ended.stderr
