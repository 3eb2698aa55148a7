"""Runs from a stranger: whatever they say of a target, no byte changes outside of files that iosonde made."""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from iosonde.errors import IosondeError
from tests.campaign_runs import resume
from tests.commands import iosonde
from tests.forged import forge
from tests.hostile.harness import Victim, assert_refused, identity_of, victim

MIB = 1 << 20
LARGE = b"\xa5" * (17 * MIB)


def _aim(run: Path, path: object, **facts: object) -> None:
    """Has a run say that its target is at a path."""

    def change(found: dict[str, Any]) -> None:
        found["target"] |= {"path": str(path), **facts}

    forge(run, change)


@pytest.mark.parametrize("created", [True, False], ids=["made", "given"])
@pytest.mark.parametrize("content", [LARGE, b"small\n"], ids=["17 MiB", "6 bytes"])
@pytest.mark.parametrize("name", ["notes.txt", "own"])
def test_a_file_that_the_run_did_not_make_is_asked_for(
    killed: Path, name: str, content: bytes, *, created: bool
) -> None:
    run_name = f"iosonde-{_name_of(killed)}.data"
    theirs = victim(killed.parent / "theirs" / (run_name if name == "own" else name), content)
    _aim(killed, theirs.path, created=created, identity=identity_of(theirs.path), span_bytes=16 * MIB)
    result = iosonde("resume", "run", folder=killed.parent)
    assert_refused(result, 3)
    assert str(theirs.path) in result.stderr
    theirs.assert_untouched()


@pytest.mark.parametrize("name", ["notes.txt", "sub/notes.txt"])
def test_a_path_where_nothing_is_stays_empty(killed: Path, name: str) -> None:
    place = killed.parent / "theirs"
    (place / "sub").mkdir(parents=True)
    _aim(killed, place / name, created=True)
    assert_refused(iosonde("resume", "run", folder=killed.parent), 3)
    assert not (place / name).exists()


def test_a_mark_of_another_run_is_none_of_this_one(killed: Path) -> None:
    theirs = victim(killed.parent / f"theirs/iosonde-{_name_of(killed)}.data", LARGE)
    try:
        os.setxattr(theirs.path, "user.iosonde.made", b"0" * 32)
    except OSError:
        pytest.skip("this file system keeps no attributes")
    _aim(killed, theirs.path, created=True, identity=identity_of(theirs.path), span_bytes=16 * MIB)
    assert_refused(iosonde("resume", "run", folder=killed.parent), 3)
    theirs.assert_untouched()


def test_a_file_made_at_another_time_is_another_file_where_nobody_noted_when(killed: Path) -> None:
    theirs = victim(killed.parent / "theirs/notes.txt", LARGE)
    facts = identity_of(theirs.path) | {"born_ns": None}
    _aim(killed, theirs.path, created=False, identity=facts, span_bytes=16 * MIB)
    result = iosonde("resume", "run", "--overwrite", folder=killed.parent)
    assert_refused(result, 3)
    theirs.assert_untouched()


def test_a_finished_run_removes_no_file_that_it_did_not_make(finished: Path) -> None:
    theirs = victim(finished.parent / "theirs/notes.txt", LARGE)
    facts = {"kind": "file", "created": True, "simulation": None, "identity": identity_of(theirs.path)}
    _aim(finished, theirs.path, **facts)
    iosonde("resume", "run", folder=finished.parent)
    theirs.assert_untouched()


@pytest.mark.parametrize("reader", ["resume", "verify"])
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "link", "loop of links"])
def test_what_is_no_file_is_refused_as_a_target(killed: Path, reader: str, kind: str) -> None:
    place = killed.parent / "theirs"
    theirs = victim(place / "notes.txt", LARGE)
    path = place / "odd"
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/full")
        case "folder":
            path.mkdir()
        case "link":
            path.symlink_to(theirs.path)
        case _:
            path.symlink_to(path)
    _aim(killed, path, created=True, identity=identity_of(theirs.path))
    assert_refused(iosonde(reader, "run", folder=killed.parent), 3, 6)
    theirs.assert_untouched()
    assert path.is_symlink() or path.exists()


def test_the_target_is_named_before_anything_is_done(killed: Path) -> None:
    theirs = victim(killed.parent / "theirs/notes.txt", LARGE)
    _aim(killed, theirs.path, created=False, identity=identity_of(theirs.path), span_bytes=16 * MIB)
    lines = iosonde("resume", "run", folder=killed.parent).stderr.splitlines()
    told = next(number for number, line in enumerate(lines) if line.startswith("target"))
    assert str(theirs.path) in lines[told]
    assert told < next(number for number, line in enumerate(lines) if line.startswith("error: "))


def _name_of(run: Path) -> str:
    from iosonde.store import load_header

    return load_header(run).run


NAMES = st.sampled_from(["notes.txt", "photo.raw", "own", "gone.data", "sub", "link", "../run/journal"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=NAMES,
    created=st.booleans(),
    kind=st.sampled_from(["file", "file", "file", "device", "null"]),
    same=st.booleans(),
    born=st.sampled_from(["same", "none", "other"]),
    span=st.sampled_from([0, 4096, 16 * MIB, 10**15]),
    direct=st.booleans(),
    written=st.sampled_from(["filled", "data", "unknown"]),
    more=st.booleans(),
    overwritten=st.just(value=False),
)
def test_no_forged_run_changes_a_byte_that_iosonde_did_not_write(
    killed_once: Path,
    *,
    name: str,
    created: bool,
    kind: str,
    same: bool,
    born: str,
    span: int,
    direct: bool,
    written: str,
    more: bool,
    overwritten: bool,
) -> None:
    with tempfile.TemporaryDirectory(dir=killed_once.parent) as folder:
        place = Path(folder) / "theirs"
        theirs = [victim(place / "notes.txt", LARGE), victim(place / "photo.raw", b"raw" * 9)]
        own = f"iosonde-{_name_of(killed_once)}.data"
        theirs.append(victim(place / own, LARGE))
        (place / "sub").mkdir()
        (place / "link").symlink_to(theirs[0].path)
        run = Path(shutil.copytree(killed_once, Path(folder) / "run"))
        path = place / (own if name == "own" else name)
        facts = _facts(path, theirs[0], same=same, born=born)
        told = {"path": str(path), "created": created, "kind": kind, "identity": facts, "span_bytes": span}
        told |= {"direct": direct, "written": written}

        def change(found: dict[str, Any]) -> None:
            found["target"] |= told
            if more:
                found["more_targets"] = [found["target"]]

        forge(run, change)
        journal = (run / "journal").read_bytes()
        with suppress(IosondeError):
            resume(run, overwrite=overwritten)
        for each in theirs:
            each.assert_untouched()
        names = {each.name for each in place.iterdir()}
        assert names == {"notes.txt", "photo.raw", own, "sub", "link"}, names
        assert (run / "journal").read_bytes()[: len(journal) - 64] == journal[:-64]


def _facts(path: Path, other: Victim, *, same: bool, born: str) -> dict[str, Any]:
    there = path if same and path.exists() else other.path
    found = identity_of(there)
    told: dict[str, dict[str, Any]] = {"same": {}, "none": {"born_ns": None}, "other": {"born_ns": 12345}}
    return {**found, **told[born]}
