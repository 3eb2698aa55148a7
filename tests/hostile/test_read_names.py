"""What lies where a run's files should: no command hangs, fills the memory, or reads what it was not given."""

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands import iosonde
from tests.forged import forge
from tests.hostile.harness import assert_nothing_left, assert_refused, tree_of, victim

SPARSE_BYTES = 5 << 30
READERS: dict[str, tuple[str, ...]] = {
    "show": ("show", "run"),
    "report": ("report", "run"),
    "export": ("export", "run", "--out", "x.iosonde.zip"),
    "check": ("check", "run", "--against", "expected.toml"),
    "resume": ("resume", "run"),
    "verify": ("verify", "run"),
}


def pipe(path: Path) -> None:
    os.mkfifo(path)


def endless_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def link_to_the_real_one(path: Path) -> None:
    path.symlink_to(shutil.copy(path.with_name(f"{path.name}.was"), path.parent.parent / f"real-{path.name}"))


def folder(path: Path) -> None:
    path.mkdir()


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(SPARSE_BYTES)


def listening(path: Path) -> None:
    # A name of a socket may have 107 letters.
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as ear:
            ear.bind(path.name)
    finally:
        os.chdir(here)


Trap = Callable[[Path], None]
TRAPS: list[Trap] = [pipe, endless_device, link_to_the_real_one, folder, sparse, listening]


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.__name__)
@pytest.mark.parametrize("name", ["run.json", "journal"])
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_of_a_run_is_refused(finished: Path, reader: str, name: str, trap: Trap) -> None:
    place = finished.parent
    (place / "expected.toml").write_text('[[expect]]\nread_iops = ">= 1"\n', encoding="utf-8")
    path = finished / name
    path.rename(finished / f"{name}.was")
    trap(path)
    before = tree_of(place)
    result = iosonde(*READERS[reader], folder=place)
    # The file of expectations may be what is wrong first, in words of its own.
    assert_refused(result, *((2, 6) if reader == "check" else (6,)))
    assert_nothing_left(place, before)


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.__name__)
@pytest.mark.parametrize("name", ["run.json", "journal"])
def test_one_such_run_does_not_keep_the_others_from_being_listed(finished: Path, name: str, trap: Trap) -> None:
    shutil.copytree(finished, finished.parent / "sound")
    path = finished / name
    path.rename(finished / f"{name}.was")
    trap(path)
    result = iosonde("list", ".", folder=finished.parent)
    assert result.returncode == 0, result.stderr
    assert "sound" in result.stdout


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.__name__)
def test_what_else_lies_in_a_run_never_goes_into_its_archive(finished: Path, trap: Trap) -> None:
    secret = victim(finished.parent / "secret")
    (finished / "odd.was").write_bytes(b"odd")
    trap(finished / "odd")
    (finished / "way").symlink_to(secret.path)
    result = iosonde("export", "run", "--out", "x.iosonde.zip", folder=finished.parent)
    if trap is sparse:
        assert_refused(result, 6)
        return
    assert result.returncode == 0, result.stderr
    assert secret.was[3] not in (finished.parent / "x.iosonde.zip").read_bytes()
    assert iosonde("show", "x.iosonde.zip", folder=finished.parent).returncode == 0


@pytest.mark.parametrize("trap", [pipe, endless_device, folder, listening], ids=lambda trap: trap.__name__)
@pytest.mark.parametrize(
    ("words", "codes"),
    [
        (("plan", ".", "--profile", "named.toml"), (2,)),
        (("plan", "sim:./named.toml"), (2, 3)),
        (("check", "run", "--against", "named.toml"), (2, 6)),
        (("show", "named.toml"), (6,)),
    ],
    ids=["profile", "model", "expectations", "archive"],
)
def test_what_is_no_file_is_refused_where_a_user_names_one(
    finished: Path, words: tuple[str, ...], codes: tuple[int, ...], trap: Trap
) -> None:
    named = finished.parent / "named.toml"
    trap(named)
    before = tree_of(finished.parent)
    assert_refused(iosonde(*words, folder=finished.parent), *codes)
    assert_nothing_left(finished.parent, before)


@pytest.mark.parametrize(
    "change",
    [
        {"schema_version": -1},
        {"schema_version": 0},
        {"schema_version": 10**30},
        {"schema_version": "2"},
        {"schema_version": True},
        {"plan": None},
        {"target": []},
        {"run": 7},
    ],
    ids=str,
)
def test_a_header_that_no_iosonde_writes_is_refused(finished: Path, change: dict[str, object]) -> None:
    forge(finished, lambda found: found.update(change))
    assert_refused(iosonde("show", "run", folder=finished.parent), 6)
