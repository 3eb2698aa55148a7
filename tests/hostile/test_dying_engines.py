"""Engines that die, hang, or say what no engine says: told in one line, and no file of theirs stays."""

import os
import sys
from pathlib import Path

import pytest

from tests.commands import iosonde
from tests.hostile.harness import Result, assert_refused, tree_of

FAKE = Path(__file__).with_name("fake_engine.py")
PROTOCOL = "2"


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    """The engine that says what it is told to, as a program."""
    path = tmp_path / "engine"
    path.write_text(f"#!/bin/sh\nexec {sys.executable} {FAKE}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def probe(engine: Path, nonsense: str, target: object = "null:") -> Result:
    words = ("--size", "16MiB", "--buffered") if target != "null:" else ()
    return iosonde(
        "probe",
        target,
        "--duration",
        "100ms",
        *words,
        folder=engine.parent,
        IOSONDE_ENGINE=str(engine),
        IOSONDE_FAKE=nonsense,
        IOSONDE_FAKE_PROTOCOL=PROTOCOL,
    )


@pytest.mark.parametrize(
    ("nonsense", "field"),
    [
        ("hello.protocol=-", "protocol"),
        ("hello.protocol=99", "protocol"),
        ("hello.version=-", "version"),
        ("hello.version=7", "version"),
        ("hello.engines=-", "engines"),
        ('hello.engines="io_uring"', "engines"),
        ('hello.engines=["steam"]', "engines"),
        ("hello.build_profile=-", "build_profile"),
        ("calibrated.overhead_ns_per_io=-", "overhead_ns_per_io"),
        ("calibrated.overhead_ns_per_io=-5", "overhead_ns_per_io"),
        ("calibrated.overhead_ns_per_io=1e30", "overhead_ns_per_io"),
        ('calibrated.clock_read_ns="soon"', "clock_read_ns"),
        ("calibrated.id=77", "77"),
        ("opened.created=-", "created"),
        ("opened.size_bytes=-1", "size_bytes"),
        ("opened.alignment=-", "alignment"),
        ('opened.alignment={"memory_bytes":0,"offset_bytes":0,"source":"x"}', "alignment"),
        ("opened.type=7", "7"),
        ('opened.type="finished"', "finished"),
        ("finished.result=-", "result"),
        ("finished.result=[]", "result"),
        ('finished.result={"outcome":"finished"}', "failure"),
        ('finished.result={"outcome":"finished","failure":7}', "failure"),
        ("not JSON", "JSON"),
        ("not an object", "object"),
        ("endless line", "bytes"),
        ("silent end", "exited"),
    ],
)
def test_what_no_engine_says_is_told_by_its_field(engine: Path, nonsense: str, field: str) -> None:
    result = probe(engine, nonsense)
    assert_refused(result, 4)
    assert field in result.stderr, result.stderr


def test_what_an_engine_says_to_people_is_printed_as_text(engine: Path) -> None:
    result = probe(engine, "escapes")
    assert "\x1b" not in result.stderr
    assert "\x07" not in result.stderr
    assert not any(line.startswith("hint: run `rm") for line in result.stderr.splitlines())


@pytest.mark.parametrize("nonsense", ["dies while it allocates", "opened.size_bytes=-1"])
def test_a_file_that_was_made_is_removed_when_its_engine_is_no_use(engine: Path, nonsense: str) -> None:
    place = engine.parent / "place"
    place.mkdir()
    assert_refused(probe(engine, nonsense, place), 4)
    assert tree_of(place) == set()


def test_a_target_that_is_given_up_ends_the_run_with_the_engine_s_word_and_is_removed_from_outside(
    engine: Path,
) -> None:
    place = engine.parent / "place"
    place.mkdir()
    result = probe(engine, "gives up while it allocates", place)
    assert_refused(result, 3)
    assert ".data did not complete within 120 s" in result.stderr
    assert "umount -f" in result.stderr
    assert tree_of(place) == set()


def test_a_file_whose_making_was_never_told_is_named(engine: Path) -> None:
    place = engine.parent / "place"
    place.mkdir()
    result = probe(engine, "dies before it tells", place)
    assert_refused(result, 4)
    left = list(place.iterdir())
    assert not left or str(left[0]) in result.stderr


def test_a_file_beyond_the_limit_of_file_sizes_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    place = tmp_path / "place"
    place.mkdir()
    result = iosonde(
        "probe", place, "--size", "16MiB", "--buffered", "--duration", "100ms", folder=tmp_path, file_bytes_max=1 << 20
    )
    assert_refused(result, 3)
    assert "ulimit -f" in result.stderr
    assert tree_of(place) == set()


def test_an_engine_that_is_no_program_is_told(tmp_path: Path) -> None:
    path = tmp_path / "engine"
    path.write_bytes(b"\x7fELF" + os.urandom(64))
    path.chmod(0o755)
    assert_refused(iosonde("probe", "null:", folder=tmp_path, IOSONDE_ENGINE=str(path)), 4)
