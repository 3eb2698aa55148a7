"""``--on-end``: a command of the user runs when a run ends, however it ends, and changes nothing about it."""

import subprocess
from pathlib import Path

import pytest

from iosonde.cli.end_command import EndCommand
from iosonde.errors import TargetError
from tests.commands import command

TOLD = 'echo "$IOSONDE_OUTCOME $IOSONDE_EXIT_CODE $IOSONDE_RUN_DIRECTORY $IOSONDE_ERROR" > '


def ended(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*words), capture_output=True, text=True, timeout=120, check=False)


def test_a_failure_before_the_run_is_told_with_its_exit_code_and_error(tmp_path: Path) -> None:
    told = tmp_path / "told"
    found = ended("run", tmp_path / "absent" / "file", "--out", tmp_path / "run", "--on-end", f"{TOLD}{told}")
    words = told.read_text(encoding="utf-8")
    assert found.returncode == 3, found.stderr
    # The run has no directory yet.
    assert words.startswith("failed 3  ")
    assert words.split(maxsplit=2)[2].strip() in found.stderr


def test_another_run_at_the_path_of_a_refused_run_is_not_named_as_its_directory(tmp_path: Path) -> None:
    told = tmp_path / "told"
    (tmp_path / "run").mkdir()
    (tmp_path / "run/report.html").write_text("another", encoding="utf-8")
    found = ended("run", "null", "--quick", "--out", tmp_path / "run", "--on-end", f"{TOLD}{told}")
    assert found.returncode != 0
    assert told.read_text(encoding="utf-8").startswith(f"failed {found.returncode}  ")


def test_a_resumed_run_that_cannot_be_read_is_told_as_well(tmp_path: Path) -> None:
    told = tmp_path / "told"
    found = ended("resume", tmp_path / "absent", "--on-end", f"{TOLD}{told}")
    assert told.read_text(encoding="utf-8").startswith(f"failed {found.returncode}  ")


@pytest.mark.parametrize(
    ("code", "outcome"), [(0, "finished"), (5, "failed"), (9, "failed"), (130, "interrupted"), (143, "interrupted")]
)
def test_the_outcome_follows_from_the_exit_code(code: int, outcome: str, tmp_path: Path) -> None:
    end = EndCommand()
    end.register(f"{TOLD}{tmp_path / 'told'}")
    end.set_directory(tmp_path)
    end.run(code)
    assert (tmp_path / "told").read_text(encoding="utf-8").strip() == f"{outcome} {code} {tmp_path}"


def test_the_error_of_the_run_is_passed_as_text(tmp_path: Path) -> None:
    end = EndCommand()
    end.register(f'printf %s "$IOSONDE_ERROR" > {tmp_path / "told"}')
    end.failed(TargetError("it is $(gone)\nnow", "attach it"))
    end.run(3)
    told = (tmp_path / "told").read_text(encoding="utf-8")
    assert told.startswith("it is $(gone)")
    assert "\n" not in told


@pytest.mark.parametrize(("words", "how"), [("exit 3", "exit code 3"), ("kill -9 $$", "signal 9")])
def test_a_failing_command_is_a_warning(words: str, how: str, capfd: pytest.CaptureFixture[str]) -> None:
    end = EndCommand()
    end.register(words)
    end.run(0)
    assert f"failed with {how}; the run itself is not affected" in capfd.readouterr().err


def test_a_command_that_hangs_is_stopped_with_all_its_children(capfd: pytest.CaptureFixture[str]) -> None:
    end = EndCommand(limit_s=0.2)
    end.register("sleep 60 & wait")
    end.run(0)
    assert "was stopped after 0.2 s" in capfd.readouterr().err


def test_the_command_runs_once(tmp_path: Path) -> None:
    end = EndCommand()
    end.register(f"echo ran >> {tmp_path / 'told'}")
    end.run(0)
    end.run(1)
    assert (tmp_path / "told").read_text(encoding="utf-8") == "ran\n"
