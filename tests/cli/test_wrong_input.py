"""Wrong input gives one line with the error, one with a hint and an exit code by class, but no traceback."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from iosonde.store import write_archive
from tests.cli.wrong_inputs import WRONG_INPUTS
from tests.commands import iosonde
from tests.house.checkout import ROOT

SMALL = ["--size", "16MiB"]


RUN = ROOT / "tests/fixtures/runs/v1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of files and directories that commands refuse."""
    return make_folder(tmp_path)


def make_folder(tmp_path: Path) -> Path:
    """Fills a folder with files and directories that commands refuse."""
    (tmp_path / "precious").write_bytes(b"x" * (20 << 20))
    (tmp_path / "tiny").write_bytes(b"x")
    (tmp_path / "not a run").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full/something").touch()
    (tmp_path / "device").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "newer").mkdir()
    (tmp_path / "newer/run.json").write_text('{"schema_version": 1000}')
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged/run.json").write_text('{"schema_version": 1, "run": ')
    shutil.copytree(RUN, tmp_path / "measured")
    (tmp_path / "half").mkdir()
    shutil.copy(RUN / "run.json", tmp_path / "half")
    (tmp_path / "headless").mkdir()
    shutil.copy(RUN / "journal", tmp_path / "headless")
    shutil.copytree(RUN, tmp_path / "garbled")
    (tmp_path / "garbled/journal").write_bytes(os.urandom(100))
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/cells.csv").touch()
    (tmp_path / "tables/cells.parquet").touch()
    (tmp_path / "tiny-charts").touch()
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "empty.toml").touch()
    (tmp_path / "binary.toml").write_bytes(bytes(range(256)))
    (tmp_path / "fio.toml").write_text('name = "fio"\n[[experiment]]\nname = "a"\nbs = "4k"\n')
    (tmp_path / "wrong.toml").write_text('name = "wrong"\nrepeat = 3\n')
    campaign = 'name = "twice"\n[[experiment]]\nname = "a"\npattern = "random"\nread = 100\nblock_size = "4KiB"\n'
    (tmp_path / "twice.toml").write_text(f"{campaign}queue_depth = [1, 2, 1]\n")
    write_archive(tmp_path / "measured", tmp_path / "packed.zip")
    (tmp_path / "packed.html").touch()
    (tmp_path / "cut.zip").write_bytes((tmp_path / "packed.zip").read_bytes()[:-100])
    with zipfile.ZipFile(tmp_path / "climbing.zip", "w") as archive:
        archive.writestr("../run.json", "{}")
    shutil.copytree(RUN, tmp_path / "crowded")
    for number in range(11):
        (tmp_path / f"crowded/{number}.txt").touch()
    return tmp_path


ROOM = re.compile(r"[\d.,]+ [KMGT]iB free")


@pytest.mark.parametrize(("words", "code", "message", "hint"), WRONG_INPUTS)
def test_wrong_input_is_named_with_the_way_out(folder: Path, words: str, code: int, message: str, hint: str) -> None:
    ended = iosonde(*words.split(), folder=folder)
    lines = ended.stderr.splitlines()
    assert (ended.returncode, ended.stdout) == (code, ""), ended.stderr
    assert [ROOM.sub("ROOM free", line) for line in lines[-2:]] == [f"error: {message}", f"hint: {hint}"]
    assert "Traceback" not in ended.stderr


def test_nothing_is_left_behind_and_nothing_is_harmed(folder: Path) -> None:
    before = sorted(path.name for path in folder.iterdir())
    for words in ("run precious", "run . --size 16MiB --quick --out full", "probe . --block-size 1000B --size 16MiB"):
        assert iosonde(*words.split(), folder=folder).returncode != 0
    assert sorted(path.name for path in folder.iterdir()) == before
    assert (folder / "precious").read_bytes() == b"x" * (20 << 20)


def test_a_run_directory_without_a_run_is_refused(folder: Path) -> None:
    ended = iosonde("report", "not a run", folder=folder)
    assert ended.returncode == 6
    assert "has no run.json: it is not a run directory" in ended.stderr


def test_a_folder_that_may_not_be_written_is_refused(folder: Path) -> None:
    (folder / "full").chmod(0o500)
    ended = iosonde("run", "full", *SMALL, folder=folder, may_override_modes=False)
    assert ended.returncode == 3
    assert ended.stderr.startswith(
        "error: no permission to write to full\nhint: specify a directory that you can write"
    )


@pytest.mark.parametrize("command", ["run", "plan", "probe"])
def test_an_empty_target_is_refused_and_is_not_the_current_directory(folder: Path, command: str) -> None:
    ended = iosonde(command, "", folder=folder)
    assert ended.returncode == 2
    assert "error: an argument is empty" in ended.stderr
    assert "hint: check for an unset variable;" in ended.stderr


def test_a_missing_engine_is_named(folder: Path) -> None:
    ended = iosonde("probe", "null:", folder=folder, IOSONDE_ENGINE="/no/such/engine")
    assert ended.returncode == 4
    assert "IOSONDE_ENGINE is set to /no/such/engine, which is not an executable file" in ended.stderr
    assert "hint: unset IOSONDE_ENGINE" in ended.stderr


def test_an_engine_that_is_something_else_is_named(folder: Path) -> None:
    ended = iosonde("probe", "null:", folder=folder, IOSONDE_ENGINE="/bin/true")
    assert ended.returncode == 4
    assert "the engine exited with code 0" in ended.stderr


def test_a_fio_that_is_not_there_is_named_with_the_way_to_have_it(folder: Path) -> None:
    ended = iosonde("probe", ".", "--engine", "fio", folder=folder, PATH="/nowhere")
    assert ended.returncode == 4
    assert ended.stderr.splitlines()[-2:] == [
        "error: fio was not found on the PATH",
        "hint: install fio 3.28 or newer (Debian: apt install fio), or omit --engine fio",
    ]


def test_a_python_without_docstrings_is_refused_before_anything_is_measured(tmp_path: Path) -> None:
    command = [sys.executable, "-OO", "-m", "iosonde", "probe", "null:", "--duration", "10ms"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "error: reports need docstrings, which Python omits with -OO\n"
        "hint: run Python without -OO, and unset PYTHONOPTIMIZE\n"
    )
