"""A run that was killed at any time and resumed has the record of an uninterrupted run."""

import os
import random
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from iosonde.errors import RecordError
from iosonde.records import CellRecord, Failure, Outcome, RunRecord, SessionEnd
from iosonde.store import Journal, load_run
from iosonde.vocabulary import FailureKind
from tests.campaign_runs import rest_of, resume
from tests.stories.moments import Unbroken
from tests.stories.short_runs import DONE, FAILED, fork, run_short

SEED = 20_261_120
# The time after a record of the journal within which a process is killed: up to a trial and its set-up.
TRIAL_S = 0.02
MOMENTS = {False: 12, True: 50}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A folder in tmpfs if there is one. The writes of a killed process persist there as they do on a disk."""
    memory = Path("/dev/shm")  # noqa: S108 - the folder below has an unpredictable name
    if not os.access(memory, os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="iosonde-test-", dir=memory) as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory: pytest.TempPathFactory) -> Unbroken:
    folder = tmp_path_factory.mktemp("unbroken")
    started = time.monotonic()
    assert fork(lambda: run_short(folder, folder / "run")).wait() == DONE
    return Unbroken(load_run(folder / "run"), folder / "run", time.monotonic() - started)


def turns_of(run: RunRecord) -> list[tuple[int, str, int, int]]:
    return [(cell.order, cell.cell, cell.repeat, cell.seed) for cell in run.cells]


def ended(run: RunRecord) -> dict[int, CellRecord]:
    """Trials that were not cut, by run order. On a busy host, one of 10 ms may fail because nothing completed."""
    found = {cell.order: cell for cell in run.cells if cell.outcome is not Outcome.CUT}
    kinds = {cell.failure.kind for cell in found.values() if cell.failure is not None}
    assert kinds <= {FailureKind.NOTHING_COMPLETED}, kinds
    return found


def load_if_begun(directory: Path) -> RunRecord | None:
    try:
        return load_run(directory)
    except RecordError:
        return None


def assert_resumed_is_unbroken(folder: Path, whole: RunRecord, what: str) -> RunRecord | None:
    """Resumes the run in ``folder`` and compares it. Returns the run before that, None if it was killed too early."""
    before = load_if_begun(folder / "run")
    if before is None:
        assert not (folder / "run/run.json").exists(), what
        return None
    assert fork(lambda: resume(folder / "run")).wait() == DONE, what
    after = load_run(folder / "run")
    assert after.finished, what
    assert after.damage is None, what
    assert turns_of(after) == turns_of(whole), what
    assert len(ended(after)) == len(after.cells), what
    kept = ended(before)
    assert kept == {order: cell for order, cell in ended(after).items() if order in kept}, what
    assert [write.outcome for write in after.preparation] == [Outcome.FINISHED], what
    assert all(cell.outcome is Outcome.CUT for cell in after.superseded if cell.order), what
    assert [path.name for path in folder.iterdir()] == ["run"], what
    return before


@pytest.fixture
def moments_tried(request: pytest.FixtureRequest) -> int:
    """At how many moments a process is killed."""
    return MOMENTS[request.config.getoption("long")]


def test_a_front_killed_at_many_moments_loses_nothing_that_was_measured(
    disk: Path, unbroken: Unbroken, moments_tried: int
) -> None:
    whole = unbroken.run
    begun, midway, cut = 0, 0, 0
    for number, moment in enumerate(unbroken.moments(SEED, moments_tried, trial_s=TRIAL_S)):
        folder = disk / str(number)
        folder.mkdir()
        child = fork(lambda: run_short(folder, folder / "run"))  # noqa: B023 - the child runs at once
        child.kill_at(moment, folder / "run")
        child.wait()
        before = assert_resumed_is_unbroken(folder, whole, f"seed {SEED}, moment {number}: {moment}")
        begun += before is not None
        midway += before is not None and 0 < len(before.cells) < len(whole.cells)
        cut += before is not None and any(cell.outcome is Outcome.CUT for cell in before.cells)
    # The test is valid only if enough runs were killed halfway.
    assert begun > moments_tried // 2
    assert midway > moments_tried // 4
    assert cut > 0


def test_an_engine_killed_at_many_moments_ends_the_run_in_order(
    disk: Path, unbroken: Unbroken, moments_tried: int
) -> None:
    whole = unbroken.run
    broken_off = 0
    for number, moment in enumerate(unbroken.moments(SEED, moments_tried, trial_s=TRIAL_S)):
        folder = disk / str(number)
        folder.mkdir()
        what = f"seed {SEED}, moment {number}: {moment}"
        child = fork(lambda: run_short(folder, folder / "run"))  # noqa: B023 - the child runs at once
        child.kill_engine_at(moment, folder / "run")
        code = child.wait()
        assert code in {DONE, FAILED}, what
        broken_off += code == FAILED
        if code == FAILED and (folder / "run/run.json").exists():
            assert [path.name for path in folder.iterdir()] == ["run"], what
            assert_resumed_is_unbroken(folder, whole, what)
    assert broken_off > moments_tried // 4


def kill_in(function: str, number: int, *, after: bool) -> Callable[[], None]:
    """Makes the n-th call of an ``os`` function kill the process, before or after the real one."""

    def prepare() -> None:
        real = getattr(os, function)
        calls = 0

        def deadly(*words: object, **options: object) -> object:
            nonlocal calls
            calls += 1
            if calls == number and not after:
                os.kill(os.getpid(), signal.SIGKILL)
            answer = real(*words, **options)
            if calls == number and after:
                os.kill(os.getpid(), signal.SIGKILL)
            return answer

        setattr(os, function, deadly)

    return prepare


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("function", ["fsync", "rename"])
def test_a_front_killed_within_each_fsync_and_rename_goes_on(
    disk: Path, unbroken: Unbroken, function: str, *, after: bool
) -> None:
    whole = unbroken.run
    killed = 0
    for number in range(1, 20):
        folder = disk / str(number)
        folder.mkdir()
        child = fork(
            lambda: run_short(folder, folder / "run"),  # noqa: B023 - the child runs at once
            before=kill_in(function, number, after=after),
        )
        if child.wait() == DONE:
            break
        killed += 1
        assert_resumed_is_unbroken(folder, whole, f"{function} {number}, {'after' if after else 'before'}")
    assert killed >= (10 if function == "fsync" else 1)


def test_a_resumption_that_is_killed_as_well_can_be_resumed(disk: Path, unbroken: Unbroken) -> None:
    whole = unbroken.run
    draw = random.Random(SEED)
    killed_again = 0
    for number, moment in enumerate(unbroken.moments(SEED, 8, trial_s=TRIAL_S)):
        folder = disk / str(number)
        folder.mkdir()
        fork_of = fork(lambda: run_short(folder, folder / "run"))  # noqa: B023 - the child runs at once
        fork_of.kill_at(moment, folder / "run")
        fork_of.wait()
        if load_if_begun(folder / "run") is None:
            continue
        again = fork(lambda: resume(folder / "run"))  # noqa: B023 - the child runs at once
        again.kill_after(draw.uniform(0.0, unbroken.seconds / 2))
        killed_again += again.wait() == -signal.SIGKILL
        assert_resumed_is_unbroken(folder, whole, f"seed {SEED}, resumption {number}")
    assert killed_again


def test_failed_cells_are_left_alone_unless_they_are_asked_for(disk: Path) -> None:
    directory = disk / "run"
    assert fork(lambda: run_short(disk, directory)).wait() == DONE
    whole = load_run(directory)
    lost = whole.cells[2].model_copy(
        update={"outcome": Outcome.FAILED, "failure": Failure(kind=FailureKind.IO, message="EIO"), "intervals": ()}
    )
    with Journal(directory / "journal", go_on=True) as journal:
        journal.cell(lost)
        journal.end(SessionEnd(finished=True))
    assert rest_of(directory).turns == ()
    again = rest_of(directory, failed_again=True).turns
    assert whole.header.plan.turns[2] in again
    fork(lambda: resume(directory, rest_of(directory, failed_again=True))).wait()
    resumed = load_run(directory)
    assert turns_of(resumed) == turns_of(whole)
    assert lost.failure in [cell.failure for cell in resumed.superseded]
    assert resumed.cells[2].failure != lost.failure
