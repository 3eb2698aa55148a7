"""Measuring from Python: the same results as with the commands, no output, and errors as exceptions."""

import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import iosonde
from iosonde.errors import EngineError, IosondeError, OutputError, TargetError, UsageError
from iosonde.store import load_run
from tests.commands import few_cells

short_probe = partial(iosonde.probe, duration="200ms", warmup="0s")


def test_a_probe_gives_a_run_and_leaves_and_says_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    found = short_probe(tmp_path, read=70, block_size=8192, queue_depth=4, size="16MiB", buffered=True)
    rows = found.cells().rows()
    assert [row["operation"] for row in rows] == ["read", "write", "all"]
    assert {(row["block_size_bytes"], row["queue_depth"], row["read_percent"]) for row in rows} == {(8192, 4, 70)}
    assert len(found.intervals()) > 0
    assert found.path is None
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


def test_a_run_leaves_what_the_command_leaves_and_says_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    directory = tmp_path / "run"
    campaign = few_cells(tmp_path)
    found = iosonde.run(tmp_path, profile=campaign, size=16 << 20, buffered=True, seed=7, out=directory)
    assert found.finished
    assert found.path == directory
    assert found.header.plan.seed == 7
    assert found.record == load_run(directory)
    assert sorted(path.name for path in directory.iterdir()) == [
        "cells.parquet", "estimates.parquet", "histograms.parquet", "intervals.parquet", "journal",
        "report.html", "run.json",
    ]  # fmt: skip
    assert sorted(path.name for path in tmp_path.iterdir()) == [campaign.name, "run"]
    assert capfd.readouterr() == ("", "")


def test_the_record_says_which_call_made_it() -> None:
    found = short_probe("null:", queue_depth=2)
    assert found.header.command == ("iosonde.probe('null:', queue_depth=2, duration='200ms', warmup='0s')",)


REFUSED: list[tuple[dict[str, object], type[IosondeError], str]] = [
    ({"queue_depth": 0}, UsageError, "--queue-depth 0 is not a whole number from 1 to 4096"),
    ({"queue_depth": "4"}, UsageError, "--queue-depth '4' is not a whole number from 1 to 4096"),
    ({"jobs": 1000}, UsageError, "--jobs 1000 is not a whole number from 1 to 256"),
    ({"read": 101}, UsageError, "--read 101 is not a whole number from 0 to 100"),
    ({"seed": -1}, UsageError, "--seed -1 is not a whole number from 0 to 9007199254740991"),
    ({"pattern": "zipf"}, UsageError, "--pattern: 'zipf': the exponent must be between 0.001 and 5"),
    (
        {"engine": "libaio"},
        UsageError,
        (
            "--engine: 'libaio' is not one of 'auto', 'io_uring', 'psync', 'null', 'nop', 'passthrough', 'simulation', "
            "'fio'"
        ),
    ),
    ({"block_size": "4K"}, UsageError, "--block-size: '4K' is ambiguous (powers of 2 or of 10)"),
    ({"block_size": 1000}, UsageError, "block size 1000 B must be a multiple of 512 B, from 512 B to 64 MiB"),
    ({"duration": 5}, UsageError, "--duration: '5' has no unit"),
    ({"burst": 8, "think_time": 5}, UsageError, "--think-time: '5' has no unit"),
    ({"size": 1}, UsageError, "--size 1 B is too small"),
]


@pytest.mark.parametrize(("words", "kind", "message"), REFUSED)
def test_what_makes_no_sense_is_refused_in_the_words_of_the_command(
    words: dict[str, object], kind: type[IosondeError], message: str
) -> None:
    with pytest.raises(kind) as refused:
        iosonde.probe("null:", **words)  # type: ignore[arg-type]  # Wrong on purpose.
    assert refused.value.message == message
    assert refused.value.hint


def test_no_target_is_refused() -> None:
    with pytest.raises(UsageError, match="no target specified"):
        iosonde.run()


def test_an_existing_file_is_not_overwritten_unasked(tmp_path: Path) -> None:
    (tmp_path / "precious").write_bytes(b"x" * (20 << 20))
    with pytest.raises(TargetError, match="writing would destroy its contents"):
        iosonde.run(tmp_path / "precious", quick=True)
    assert (tmp_path / "precious").read_bytes() == b"x" * (20 << 20)


def test_a_directory_that_is_not_empty_is_not_written_to(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/something").touch()
    with pytest.raises(OutputError, match="is not empty"):
        iosonde.run(tmp_path, quick=True, size="16MiB", buffered=True, out=tmp_path / "full")
    assert [path.name for path in tmp_path.iterdir()] == ["full"]


def test_a_missing_engine_is_an_error_that_can_be_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IOSONDE_ENGINE", "/no/such/engine")
    with pytest.raises(EngineError, match="IOSONDE_ENGINE is set to /no/such/engine"):
        short_probe("null:")


def test_two_threads_can_probe_at_the_same_time() -> None:
    found: list[iosonde.Run] = []
    threads = [threading.Thread(target=lambda: found.append(short_probe("null:"))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [run.finished for run in found] == [True, True]


INTERRUPTED = """
import sys, iosonde
try:
    iosonde.run(sys.argv[1], quick=True, size="16MiB", buffered=True, out=sys.argv[2])
except KeyboardInterrupt:
    print("caught", iosonde.open_run(sys.argv[2]).finished)
"""


def test_ctrl_c_keeps_what_was_measured_removes_the_file_and_can_be_caught(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    command = [sys.executable, "-c", INTERRUPTED, str(tmp_path), str(directory)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not (directory / "run.json").exists() or not load_run(directory).cells:
        assert time.monotonic() < deadline, "the run never began"
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=20) == ("caught False\n", "")
    assert process.returncode == 0
    assert load_run(directory).cells
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize("consent", ["no", "false", 1, None])
def test_only_true_is_consent_to_overwrite_a_file(consent: object, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"overwrite": consent}
    file = tmp_path / "keep.dat"
    file.write_bytes(b"precious" * (2 << 20))
    for measure in (iosonde.probe, iosonde.run):
        with pytest.raises(UsageError, match=r"--overwrite .* is not True or False"):
            measure(file, **asked)
    assert file.read_bytes() == b"precious" * (2 << 20)


@pytest.mark.parametrize("name", ["buffered", "verify"])
def test_a_switch_of_a_probe_takes_no_text(name: str) -> None:
    asked: dict[str, Any] = {name: "no", "read": 0}
    with pytest.raises(UsageError, match=f"--{name} 'no' is not True or False"):
        iosonde.probe("null:", **asked)


@pytest.mark.parametrize("target", [1.5, None, ["null:"], b"null:"])
def test_a_target_that_is_no_text_is_not_taken_for_a_name(target: object) -> None:
    targets: list[Any] = [target]
    with pytest.raises(UsageError, match="is neither a string nor a path"):
        iosonde.probe(*targets)


@pytest.mark.parametrize("budget", ["0s", "31d", 1])
def test_a_budget_beyond_its_bounds_is_refused(budget: object) -> None:
    asked: dict[str, Any] = {"budget": budget}
    with pytest.raises(UsageError, match="--budget"):
        iosonde.run("sim:fixed", **asked)
