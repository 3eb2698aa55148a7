"""Standard procedures on a device: a purge before each, and an interrupted one begins again from its purge."""

import json
import os
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest

from iosonde.records import RunRecord
from iosonde.store import load_run
from iosonde.vocabulary import PurgeState
from tests.campaign.test_procedures import TWO
from tests.commands import command, iosonde
from tests.stories.loop_devices import attached, need_root
from tests.stories.test_guard import consent_words, inspected

MIB = 1 << 20
# The second procedure is purged as well.
BOTH = TWO.replace("purge = false\n", "").replace('name = "two"\n', 'name = "two"\npurge = "discard"\n')


@pytest.fixture(autouse=True)
def _with_root() -> None:
    need_root("losetup")


@pytest.fixture
def backing(tmp_path: Path) -> Path:
    path = tmp_path / "image"
    path.write_bytes(b"old data" * (64 * MIB // 8))
    return path


@pytest.fixture
def anyway(backing: Path) -> list[str]:
    with attached(backing) as free:
        return consent_words({each["check"] for each in inspected(free)["refusals"]})


def campaign(folder: Path, text: str = BOTH) -> Path:
    file = folder / "procedures.toml"
    file.write_text(text, encoding="utf-8")
    return file


def words(folder: Path, *asked: object) -> list[str]:
    return ["run", "--no-report", *map(str, asked), "--seed", "3", "--out", str(folder / "run")]


def wait_for(directory: Path, phase: str, attempt: int = 1) -> None:
    """Waits until a trial of this phase, or of the procedure of this name, is running."""
    for _ in range(600):
        if (directory / "run.json").exists() and (directory / "journal").exists():
            turns = load_run(directory, intervals=False).turns
            if turns and phase in {turns[-1].phase, turns[-1].procedure} and turns[-1].attempt == attempt:
                return
        time.sleep(0.05)
    raise AssertionError(f"{phase} did not begin")


def begin(folder: Path, asked: list[str]) -> subprocess.Popen[str]:
    """A run whose records of purges are in the folder as well."""
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    return subprocess.Popen(command(*asked), cwd=folder, env=environment, stderr=subprocess.PIPE, text=True)


def starts(run: RunRecord) -> list[tuple[str, int, PurgeState]]:
    return [(each.procedure, each.attempt, each.purge) for each in run.procedure_starts]


def test_each_procedure_begins_with_a_purge_that_is_read_back(backing: Path, anyway: list[str]) -> None:
    folder = backing.parent
    with attached(backing) as device:
        asked = words(folder, device, "--profile", campaign(folder), "--destroy", backing, *anyway)
        done = iosonde(*asked, folder=folder, XDG_STATE_HOME=str(folder / "state"))
    assert done.returncode == 0, done.stderr
    run = load_run(folder / "run")
    assert starts(run) == [("first", 1, PurgeState.VERIFIED), ("second", 1, PurgeState.VERIFIED)]
    assert [len(each.records) for each in run.procedure_starts] == [1, 1]
    assert [session.is_planned for session in run.sessions] == [True]
    shown = iosonde("report", folder / "run", "--json", folder / "run.json", folder=folder)
    assert shown.returncode == 0, shown.stderr
    findings = json.loads((folder / "run.json").read_text(encoding="utf-8"))["findings"]
    # The second session was planned, and both procedures write before they read.
    assert not {"run-resumed", "reads-after-purge"} & {each["id"] for each in findings}


def test_without_a_purge_method_the_purge_is_skipped_and_said_to_be(backing: Path, anyway: list[str]) -> None:
    folder = backing.parent
    with attached(backing) as device:
        file = campaign(folder, TWO)
        done = iosonde(*words(folder, device, "--profile", file, "--destroy", backing, *anyway), folder=folder)
    assert done.returncode == 0, done.stderr
    assert "purge     none before any procedure: the report says that it was skipped" in done.stderr
    first, _ = load_run(folder / "run").procedure_starts
    assert (first.purge, first.reason) == (PurgeState.SKIPPED, "no purge method was given")


@pytest.mark.parametrize("phase", ["fill", "rounds", "second"])
def test_a_procedure_that_was_killed_begins_again_from_its_purge(backing: Path, anyway: list[str], phase: str) -> None:
    folder = backing.parent
    text = BOTH.replace('"20ms"', '"300ms"').replace("capacities = 1", "capacities = 40")
    if phase == "second":
        # It has to last longer than a busy machine needs to see that it has begun.
        text = text.replace("rounds = 2\n", "rounds = 20\n")
    with attached(backing) as device:
        asked = words(folder, device, "--profile", campaign(folder, text), "--destroy", backing, *anyway)
        with begin(folder, asked) as running:
            wait_for(folder / "run", phase)
            running.send_signal(signal.SIGKILL)
        killed = load_run(folder / "run")
        again = ["resume", "--no-report", folder / "run", "--destroy", backing, *anyway]
        done = iosonde(*again, folder=folder, XDG_STATE_HOME=str(folder / "state"))
    assert done.returncode == 0, done.stderr
    run = load_run(folder / "run")
    assert run.finished
    of = "second" if phase == "second" else "first"
    assert f"{of} begins again from its purge, because a procedure does not allow a gap" in done.stderr
    assert (of, 2, PurgeState.VERIFIED) in starts(run)
    # Earlier procedures that were complete are kept.
    assert len([each for each in starts(run) if each[0] == "first"]) == (1 if of == "second" else 2)
    kept = {cell.order: cell for cell in killed.cells}
    assert all(kept[cell.order] == cell for cell in run.cells if cell.order in kept)


def test_an_interrupted_procedure_on_a_device_names_the_whole_command_that_resumes_it(
    backing: Path, anyway: list[str]
) -> None:
    folder = backing.parent
    text = BOTH.replace('"20ms"', '"300ms"').replace("capacities = 1", "capacities = 40")
    with attached(backing) as device:
        asked = words(folder, device, "--profile", campaign(folder, text), "--destroy", backing, *anyway)
        with begin(folder, asked) as running:
            wait_for(folder / "run", "rounds")
            running.send_signal(signal.SIGINT)
            _, told = running.communicate(timeout=60)
        (hint,) = (line for line in told.splitlines() if line.startswith("hint: "))
        way = hint.split("`")[1]
        done = iosonde(*shlex.split(way)[1:], folder=folder, XDG_STATE_HOME=str(folder / "state"))
    assert "first begins again when the run is resumed" in told
    assert way.startswith(f"iosonde resume {folder / 'run'} --destroy ")
    assert done.returncode == 0, done.stderr
    assert load_run(folder / "run").finished


@pytest.mark.parametrize("stage", ["purging", "reading back"])
def test_a_signal_during_a_purge_ends_the_run_before_anything_is_measured(
    backing: Path, anyway: list[str], stage: str
) -> None:
    folder = backing.parent
    with attached(backing) as device:
        asked = words(folder, device, "--profile", campaign(folder, BOTH), "--destroy", backing, *anyway)
        with begin(folder, asked) as running:
            assert running.stderr is not None
            next(line for line in running.stderr if line.startswith(stage))
            # Only the front end receives it. The engine may have purged the whole device before it is told to stop.
            running.send_signal(signal.SIGINT)
            _, told = running.communicate(timeout=60)
    assert running.returncode == 130
    assert told.splitlines()[-1].startswith("interrupted")
    assert not (folder / "run").exists()


KEPT_FIRST = """
name = "kept-first"
purge = "discard"

[[procedure]]
name = "kept"
purge = false
[[procedure.phase]]
name = "reads"
rounds = 20
cells = [{ pattern = "random", read = 100, block_size = "4KiB", queue_depth = 1, duration = "200ms" }]

[[procedure]]
name = "second"
[[procedure.phase]]
name = "writes"
rounds = 1
cells = [{ pattern = "random", read = 0, block_size = "4KiB", queue_depth = 1, duration = "20ms" }]
"""


def test_a_procedure_without_a_purge_keeps_the_contents_also_after_it_was_killed(
    backing: Path, anyway: list[str]
) -> None:
    folder, before = backing.parent, backing.read_bytes()
    with attached(backing) as device:
        asked = words(folder, device, "--profile", campaign(folder, KEPT_FIRST), "--destroy", backing, *anyway)
        go_on = ["resume", "--no-report", str(folder / "run"), "--destroy", str(backing), *anyway]
        for attempt, words_of_it in enumerate((asked, go_on), 1):
            with begin(folder, words_of_it) as running:
                wait_for(folder / "run", "kept", attempt)
                running.send_signal(signal.SIGKILL)
            assert backing.read_bytes() == before
        done = iosonde(*go_on, folder=folder, XDG_STATE_HOME=str(folder / "state"))
    assert done.returncode == 0, done.stderr
    run = load_run(folder / "run")
    assert starts(run)[0] == ("kept", 1, PurgeState.SKIPPED)
    assert starts(run)[-1] == ("second", 1, PurgeState.VERIFIED)
    assert [each.records for each in run.procedure_starts if each.procedure == "kept"] == [()] * 3


def test_a_purge_that_no_procedure_has_is_refused_before_anything_is_destroyed(backing: Path) -> None:
    folder, before = backing.parent, backing.read_bytes()
    text = KEPT_FIRST[: KEPT_FIRST.rindex("[[procedure]]")].replace('purge = "discard"\n', "")
    with attached(backing) as device:
        planned = iosonde("plan", device, "--profile", campaign(folder, KEPT_FIRST), folder=folder)
        assert "purge     discard before second only, verified by reading back" in planned.stdout
        file = campaign(folder, text)
        for asked in (["plan", device, "--profile", file], words(folder, device, "--profile", file)):
            refused = iosonde(*map(str, asked), "--purge", "discard", folder=folder)
            assert refused.returncode == 2
            assert "purge = discard has nothing to purge" in refused.stderr
    assert backing.read_bytes() == before
