"""Readers detect a process that writes a journal, and never block it."""

import fcntl
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from iosonde.errors import RecordError
from iosonde.records import SCHEMA_VERSION, SessionEnd
from iosonde.store import Journal, load_run, summarise_run, write_archive
from iosonde.store import locks as locks_module
from iosonde.store.frames import prefix
from iosonde.store.journal import is_being_written
from tests.house.checkout import ROOT

RUN = ROOT / "tests/fixtures/runs/v1"
LOOKS = 4000
WRITERS = 1500


def unfinished(folder: Path) -> Path:
    """An interrupted run in a new folder."""
    path = folder / "run"
    path.mkdir()
    (path / "run.json").write_bytes((RUN / "run.json").read_bytes())
    (path / "journal").write_bytes((RUN / "journal").read_bytes()[:-5])
    return path


@contextmanager
def child(work: Callable[[], None]) -> Iterator[int]:
    """A child process that does this work until it is killed."""
    process = os.fork()
    if not process:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    try:
        yield process
    finally:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)


def test_thousands_of_looks_keep_nobody_from_writing(tmp_path: Path) -> None:
    run = unfinished(tmp_path)

    def look() -> None:
        while True:
            is_being_written(run)

    with child(look), child(look):
        time.sleep(0.05)
        for _ in range(WRITERS):
            Journal(run / "journal", go_on=True).close()


def test_whole_looks_keep_nobody_from_writing(tmp_path: Path) -> None:
    run = unfinished(tmp_path)

    def look() -> None:
        while True:
            load_run(run, intervals=False)
            summarise_run(run, lambda plan: plan.cells)
            try:
                write_archive(run, tmp_path / "run.zip")
            except RecordError:
                # The run is being written.
                continue

    with child(look):
        time.sleep(0.05)
        until = time.monotonic() + 3
        while time.monotonic() < until:
            Journal(run / "journal", go_on=True).close()


def test_a_writer_is_seen_by_every_look_while_it_is_there_and_by_none_afterwards(tmp_path: Path) -> None:
    run = unfinished(tmp_path)
    ready, go = os.pipe()

    def write() -> None:
        with Journal(run / "journal", go_on=True):
            os.write(go, b".")
            signal.pause()

    for _ in range(20):
        assert not is_being_written(run)
        with child(write):
            os.read(ready, 1)
            assert all(is_being_written(run) for _ in range(LOOKS // 20))
            assert load_run(run).running
            with pytest.raises(RecordError, match="is being written by another iosonde process"):
                Journal(run / "journal", go_on=True)


def test_a_writer_in_the_same_process_is_seen(tmp_path: Path) -> None:
    run = unfinished(tmp_path)
    with Journal(run / "journal", go_on=True):
        assert is_being_written(run)
        # Reading closes files of the run. With POSIX locks of the process, this would release its lock.
        load_run(run)
        assert is_being_written(run)
    assert not is_being_written(run)


def test_a_writer_of_the_first_version_is_seen_and_respected(tmp_path: Path) -> None:
    run = unfinished(tmp_path)
    with (run / "journal").open("r+b") as old:
        fcntl.flock(old, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert is_being_written(run)
        with pytest.raises(RecordError, match="is being written by another iosonde process"):
            Journal(run / "journal", go_on=True)
    assert not is_being_written(run)


def test_a_look_of_the_first_version_is_no_writer(tmp_path: Path) -> None:
    run = unfinished(tmp_path)
    with (run / "journal").open("rb") as old:
        fcntl.flock(old, fcntl.LOCK_SH | fcntl.LOCK_NB)
        assert not is_being_written(run)


def test_a_writer_is_seen_where_the_kernel_shows_no_table_of_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks_module, "LOCKS", tmp_path / "nothing")
    run = unfinished(tmp_path)
    with Journal(run / "journal", go_on=True):
        assert is_being_written(run)
    assert not is_being_written(run)


def test_a_run_that_is_written_while_it_is_packed_gives_no_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = unfinished(tmp_path)

    def meanwhile(path: Path, *, intervals: bool) -> object:
        with Journal(run / "journal", go_on=True) as journal:
            journal.end(SessionEnd(finished=True))
        return load_run(path, intervals=intervals)

    monkeypatch.setattr("iosonde.store.packing.load_run", meanwhile)
    with pytest.raises(RecordError, match="is being written by another iosonde process"):
        write_archive(run, tmp_path / "run.zip")
    assert [each.name for each in tmp_path.iterdir()] == ["run"]


def test_whoever_only_looks_finds_a_new_journal_of_this_version(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal"):
        assert (tmp_path / "journal").read_bytes() == prefix(SCHEMA_VERSION)
        assert is_being_written(tmp_path)
