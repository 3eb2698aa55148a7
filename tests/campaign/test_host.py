"""A campaign accesses its targets through the ``Host`` port only, so they can be on any host."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from iosonde.campaign import (
    NullObserver,
    RunRequest,
    TargetRequest,
)
from iosonde.machine import Host
from iosonde.records import CellRecord, FailureKind, RunRecord
from iosonde.store import load_run
from iosonde.vocabulary import EngineChoice
from tests.campaign_runs import Interrupting, measure, rest_of, resume
from tests.remote_host import RemoteHost, remote_host
from tests.stories.short_runs import short_plan

NAME = "faraway"
SIZE_BYTES = 16 << 20


@contextmanager
def other_root(folder: Path) -> Iterator[tuple[str, ...]]:
    """A mount namespace with a tmpfs on the folder. Gives the prefix of commands that run in it."""
    if os.geteuid() or not (shutil.which("unshare") and shutil.which("nsenter")):
        pytest.skip("needs root, unshare and nsenter")
    words = ["unshare", "--mount", "sh", "-c", f"mount -t tmpfs tmpfs {folder} && echo mounted && exec cat"]
    holder = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    try:
        if holder.stdout.readline() != "mounted\n":
            pytest.skip("nothing can be mounted here")
        yield ("nsenter", f"--mount=/proc/{holder.pid}/ns/mnt", "--")
    finally:
        holder.communicate()


@contextmanager
def other_folder(folder: Path) -> Iterator[tuple[str, ...]]:
    """Another working directory. Gives the prefix of commands that run in it."""
    yield ("env", f"--chdir={folder}", "--")


@pytest.fixture(params=["other root", "other folder"])
def faraway(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Host, RemoteHost, str]]:
    """A host that sees other files at some paths than this process does, twice, and the path of a target on it."""
    folder = tmp_path / "there"
    folder.mkdir()
    if request.param == "other root":
        with other_root(folder) as prefix, remote_host(NAME, prefix, Path.cwd()) as (host, remote):
            yield host, remote, str(folder)
    else:
        with other_folder(folder) as prefix, remote_host(NAME, prefix, folder) as (host, remote):
            yield host, remote, "."


def request_of(host: Host, word: str) -> RunRequest:
    is_file = not word.startswith("sim:")
    target = TargetRequest((word,), SIZE_BYTES, overwrite=False, buffered=is_file, writes=True, quick=False)
    return RunRequest(host=host, target=target, engine=EngineChoice.AUTO, plan=short_plan)


def measured(host: Host, word: str, directory: Path, observer: NullObserver | None = None) -> RunRecord:
    measure(request_of(host, word), directory, observer)
    return load_run(directory)


class Looking(NullObserver):
    """Lists the files that this process sees in the target's folder after each trial."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.seen: list[str] = []

    def cell_finished(self, record: CellRecord) -> None:  # noqa: ARG002 - whatever it holds
        self.seen += [path.name for path in self._folder.iterdir()]


def test_a_campaign_on_a_file_of_another_host_is_measured_there_and_the_header_names_that_host(
    faraway: tuple[Host, RemoteHost, str], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    host, remote, word = faraway
    looking = Looking(tmp_path / "there")
    run = measured(host, word, tmp_path / "run", looking)
    assert run.finished
    # On a busy machine, a cell of 10 ms may complete no operation.
    assert {cell.failure.kind for cell in run.cells if cell.failure is not None} <= {FailureKind.NOTHING_COMPLETED}
    assert len(run.cells) == 8
    assert run.header.host.hostname == NAME
    target = run.header.target
    assert (target.created, Path(target.path).parent) == (True, tmp_path / "there")
    if "root" in request.node.callspec.id:
        assert target.file_system is not None
        assert (target.file_system.kind, target.file_system.mount_point) == ("tmpfs", str(tmp_path / "there"))
        assert not looking.seen, "the file was made here, and not there"
    assert {"facts", "look", "silent", "file_system", "neighbours", "remove"} <= set(remote.asked)
    assert not host.orphans(str(tmp_path / "there"))
    assert list((tmp_path / "there").iterdir()) == []


def test_a_simulated_drive_is_measured_by_the_engine_of_that_host(
    faraway: tuple[Host, RemoteHost, str], tmp_path: Path
) -> None:
    host, _, _ = faraway
    run = measured(host, "sim:mmc,seed=5", tmp_path / "run")
    assert (run.finished, run.header.host.hostname) == (True, NAME)


def test_a_run_that_was_broken_off_goes_on_on_that_host(faraway: tuple[Host, RemoteHost, str], tmp_path: Path) -> None:
    host, _, word = faraway
    with pytest.raises(KeyboardInterrupt):
        measured(host, word, tmp_path / "run", Interrupting())
    rest = rest_of(tmp_path / "run", host)
    assert len(rest.turns) == 7
    resume(tmp_path / "run", rest)
    run = load_run(tmp_path / "run")
    assert (run.finished, run.sessions[0].host.hostname, run.sessions[0].made_anew) == (True, NAME, True)
