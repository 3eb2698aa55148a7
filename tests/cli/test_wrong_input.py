"""Wrong input: one line on what is wrong, one with the way out, an exit code by class, and never a traceback."""

import os
from pathlib import Path

import pytest

from tests.commands import iosonde

SMALL = ["--size", "16MiB"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with something to trip over."""
    (tmp_path / "precious").write_bytes(b"x" * (20 << 20))
    (tmp_path / "tiny").write_bytes(b"x")
    (tmp_path / "not a run").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full/something").touch()
    (tmp_path / "device").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "newer").mkdir()
    (tmp_path / "newer/run.json").write_text('{"schema_version": 2}')
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged/run.json").write_text('{"schema_version": 1, "run": ')
    return tmp_path


CASES = [
    ("run", 2, "missing argument 'TARGET'", "iosonde run --help"),
    ("run here --frobnicate", 2, "no such option: --frobnicate", "iosonde run --help"),
    ("run here --sizes 1GiB", 2, "no such option: --sizes", "did you mean --size?"),
    ("fly", 2, "no such command 'fly'", "iosonde --help"),
    ("run . --size 4K", 2, "--size: '4K' could mean powers of 2 or of 10", "4KiB"),
    ("run . --size -1GiB", 2, "--size: '-1GiB' is not a size", "8GiB"),
    ("run . --size 0", 2, "--size 0 B is too small", "16 MiB or more"),
    ("run . --size 900TiB", 3, "900 TiB do not fit", "--size"),
    ("run . --profile snia", 2, "there is no profile 'snia'", "lab"),
    ("run . --engine libaio", 2, "invalid value for '--engine'", "iosonde run --help"),
    ("run . --seed -1", 2, "invalid value for '--seed'", "iosonde run --help"),
    ("run no/such/folder/file", 3, "no/such/folder is not a directory", "a directory that exists"),
    ("run precious", 3, "precious exists, and writing would destroy what is in it", "--overwrite"),
    ("run tiny --overwrite", 3, "too little to measure", "16 MiB or more"),
    ("run precious --overwrite --size 1GiB", 3, "beyond the end of precious", "leave --size away"),
    ("run /dev/zero", 3, "neither a regular file nor a directory", "a file or a directory"),
    ("run device", 3, "neither a regular file nor a directory", "a file or a directory"),
    ("run pipe", 3, "neither a regular file nor a directory", "a file or a directory"),
    ("run . --size 16MiB --quick --out full", 7, "full is not empty", "--out"),
    ("run . --size 16MiB --quick --out precious", 7, "can't make the run directory precious", "--out"),
    ("plan . --write-rate fast", 2, "--write-rate: 'fast' is not a size", "4KiB"),
    ("probe . --queue-depth 0", 2, "invalid value for '--queue-depth'", "iosonde probe --help"),
    ("probe . --queue-depth 1000000", 2, "invalid value for '--queue-depth'", "iosonde probe --help"),
    ("probe . --read 101", 2, "invalid value for '--read'", "iosonde probe --help"),
    ("probe . --duration 5", 2, "--duration: '5' has no unit", "5s"),
    ("probe . --duration 0s", 2, "--duration 0 ms is not within 1 ms to 30 days", "5s"),
    ("probe . --duration 99999d", 2, "is not within 1 ms to 30 days", "5s"),
    ("probe . --pattern zipf", 2, "invalid value for '--pattern'", "iosonde probe --help"),
    ("probe . --block-size 0 --size 16MiB --buffered", 2, "block size 0", "--block-size"),
    ("probe . --block-size 1000B --size 16MiB --buffered", 2, "block size 1000", "--block-size"),
    ("probe . --block-size 1GiB --size 16MiB --buffered", 2, "block size 1073741824", "--block-size"),
    ("probe . --block-size 32MiB --size 16MiB", 2, "block size 32 MiB is beyond the 16 MiB", "--size"),
    ("probe . --block-size 64MiB --queue-depth 100", 2, "100 blocks of 64 MiB in flight", "--queue-depth"),
    ("probe . --engine null", 2, "--engine null and the target null: go together", "both or neither"),
    ("probe null: --engine psync", 2, "--engine null and the target null: go together", "both or neither"),
    ("probe precious --read 50", 3, "precious exists, and writing would destroy what is in it", "--overwrite"),
    ("report", 2, "missing argument 'RUN'", "iosonde report --help"),
    ("report nowhere", 6, "nowhere is not a run directory", "iosonde run"),
    ("report precious", 6, "precious is not a run directory", "iosonde run"),
    ("report not-there --html x.html", 6, "not-there is not a run directory", "iosonde run"),
    ("report newer", 6, "newer was written by a newer iosonde (schema 2", "install the newer iosonde"),
    ("report damaged", 6, "run.json is damaged", "a copy"),
]


@pytest.mark.parametrize(("words", "code", "message", "hint"), CASES)
def test_wrong_input_is_named_with_the_way_out(folder: Path, words: str, code: int, message: str, hint: str) -> None:
    ended = iosonde(*words.split(), folder=folder)
    lines = ended.stderr.splitlines()
    assert (ended.returncode, ended.stdout) == (code, ""), ended.stderr
    assert lines[-2].startswith("error: "), lines
    assert message in lines[-2]
    assert lines[-1].startswith("hint: "), lines
    assert hint in lines[-1]
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
    assert "has no readable run.json" in ended.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_refused(folder: Path) -> None:
    (folder / "full").chmod(0o500)
    ended = iosonde("run", "full", *SMALL, folder=folder)
    assert (ended.returncode, "can't be written" in ended.stderr) == (3, True)


def test_a_missing_engine_is_named(folder: Path) -> None:
    ended = iosonde("probe", "null:", folder=folder, IOSONDE_ENGINE="/no/such/engine")
    assert ended.returncode == 4
    assert "IOSONDE_ENGINE names /no/such/engine, which can't be run" in ended.stderr
    assert "hint: unset IOSONDE_ENGINE" in ended.stderr


def test_an_engine_that_is_something_else_is_named(folder: Path) -> None:
    ended = iosonde("probe", "null:", folder=folder, IOSONDE_ENGINE="/bin/true")
    assert ended.returncode == 4
    assert "the engine ended by itself with code 0" in ended.stderr
