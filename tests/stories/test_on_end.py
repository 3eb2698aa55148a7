"""A command of the user runs when a run has ended or failed, and never changes its exit code."""

from pathlib import Path

from tests.commands import iosonde

TELL = 'echo "$IOSONDE_OUTCOME $IOSONDE_EXIT $IOSONDE_RUN" > told'


def run(folder: Path, *words: str) -> tuple[int, str, str]:
    done = iosonde("run", "sim:fixed", "--quick", "--out", folder / "run", *words, folder=folder, short_cells=True)
    told = folder / "told"
    return done.returncode, told.read_text(encoding="utf-8").strip() if told.exists() else "", done.stderr


def test_a_finished_run_tells_its_directory_and_exit_code(tmp_path: Path) -> None:
    assert run(tmp_path, "--on-end", TELL)[:2] == (0, f"finished 0 {tmp_path / 'run'}")


def test_a_run_that_fails_tells_its_exit_code(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "file").touch()
    code, told, _ = run(tmp_path, "--on-end", TELL)
    assert code != 0
    assert told.split()[:2] == ["failed", str(code)]


def test_a_command_that_fails_is_a_warning(tmp_path: Path) -> None:
    code, _, stderr = run(tmp_path, "--on-end", "exit 3")
    assert code == 0
    assert "warning: the command of --on-end failed with exit code 3" in stderr


def test_without_the_option_nothing_runs(tmp_path: Path) -> None:
    assert run(tmp_path)[:2] == (0, "")
