"""Watts by trial: from a command of the user, through the record, to the tables and the report."""

import csv
import json
from pathlib import Path

import pytest

from iosonde import open_run
from iosonde.records import PowerSource, RunRecord
from tests.commands import iosonde

CAMPAIGN = """
name = "watts"
repeats = 2
warmup = "0s"
duration = "1500ms"
{keys}
[[experiment]]
name = "watts"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = 1
"""
COMMAND = "while echo 2.5; do sleep 0.3; done"


def start(folder: Path, *words: str, keys: str = "") -> str:
    """Measures the campaign in a folder. What it printed on stderr; of a run that was refused, with its exit code."""
    campaign = folder / "watts.toml"
    campaign.write_text(CAMPAIGN.format(keys=keys), encoding="utf-8")
    asked = ("run", folder, "--profile", campaign, "--size", "16MiB", "--buffered", "--out", folder / "run", *words)
    ended = iosonde(*asked)
    return ended.stderr if ended.returncode == 0 else f"exit code {ended.returncode}: {ended.stderr}"


def measured(folder: Path, *words: str, keys: str = "") -> RunRecord:
    said = start(folder, *words, keys=keys)
    assert not said.startswith("exit code"), said
    return open_run(folder / "run").record


def command_w(run: RunRecord) -> list[float]:
    return [each.power_uw / 1e6 for cell in run.cells for each in cell.power if each.source is PowerSource.COMMAND]


def test_a_command_gives_each_trial_its_power(tmp_path: Path) -> None:
    run = measured(tmp_path, "--power-command", COMMAND)
    assert command_w(run) == [2.5] * 2
    assert all(1 <= each.samples <= 3 for cell in run.cells for each in cell.power)
    assert run.header.power_command == COMMAND
    page = (tmp_path / "run/report.html").read_text()
    assert "IOPS per W" in page
    assert "Command power is what the command of --power-command measures." in page
    outputs = ("--json", tmp_path / "run.json", "--csv", tmp_path / "csv")
    assert iosonde("report", tmp_path / "run", *outputs).returncode == 0
    shown = json.loads((tmp_path / "run.json").read_text())
    for cell in shown["cells"]:
        (power,) = (each for each in cell["power"] if each["source"] == "command")
        assert power["power_w"]["mean"] == 2.5
        iops = cell["operations"]["all"]["iops"]["mean"]
        assert power["iops_per_w"]["mean"] == pytest.approx(iops / 2.5, rel=0.01)
    with (tmp_path / "csv/cells.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["command_power_w"] for row in rows} == {"2.5"}
    assert all(float(row["command_iops_per_w"]) == pytest.approx(float(row["iops"]) / 2.5, rel=0.01) for row in rows)
    facts = iosonde("show", tmp_path / "run", run.cells[0].cell).stdout
    assert "command power 2.500 W" in facts


def test_the_key_of_a_campaign_is_shown_before_it_runs_and_a_flag_replaces_it(tmp_path: Path) -> None:
    key = 'power_command = "echo 7"'
    said = start(tmp_path, "--no-report", keys=key)
    assert "power     sampled by running: echo 7" in said
    assert set(command_w(open_run(tmp_path / "run").record)) == {7.0}
    (tmp_path / "run").rename(tmp_path / "first")
    assert set(command_w(measured(tmp_path, "--no-report", "--power-command", "echo 8", keys=key))) == {8.0}


def test_a_command_that_measures_nothing_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    said = start(tmp_path, "--power-command", "echo broken")
    assert said.startswith("exit code 3")
    assert "--power-command 'echo broken' failed: it printed 'broken', which is not a number of watts" in said
    assert sorted(each.name for each in tmp_path.iterdir()) == ["watts.toml"]


def test_a_simulated_drive_has_no_power(tmp_path: Path) -> None:
    ended = iosonde("probe", "sim:fixed", "--power-command", "echo 1", folder=tmp_path)
    assert ended.returncode == 2
    assert "runs in virtual time" in ended.stderr


def test_a_run_directory_does_not_bring_its_command_along(tmp_path: Path) -> None:
    marker = tmp_path / "ran"
    run = measured(tmp_path, "--no-report", "--power-command", f"touch {marker}; echo 1")
    marker.unlink()
    assert run.header.power_command.startswith("touch")
    journal = tmp_path / "run/journal"
    whole = journal.read_bytes()
    # Without its end, the run is an interrupted one.
    journal.write_bytes(whole[: len(whole) * 2 // 3])
    resumed = iosonde("resume", "--no-report", tmp_path / "run")
    assert resumed.returncode == 0, resumed.stderr
    assert "power     the recorded command is not run; specify --power-command to measure power" in resumed.stderr
    assert not marker.exists()
    journal.write_bytes(whole[: len(whole) * 2 // 3])
    again = iosonde("resume", "--no-report", tmp_path / "run", "--power-command", "echo 4")
    assert again.returncode == 0, again.stderr
    assert 4.0 in command_w(open_run(tmp_path / "run").record)
