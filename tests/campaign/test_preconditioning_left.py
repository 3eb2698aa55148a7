"""An interrupted preconditioning write goes on where it was interrupted."""

from pathlib import Path

import pytest

from iosonde.campaign import NullObserver, preconditioning_left
from iosonde.records import IntervalRecord, Operation, Outcome, RunRecord, Step
from iosonde.store import load_run
from tests.campaign_runs import measure, profile_request, rest_of, resume
from tests.stories.short_runs import fork

CAMPAIGN = """
name = "left"
repeats = 1
warmup = "10ms"
duration = "50ms"
precondition = "{form}"
{keys}

[[experiment]]
name = "reads"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = 1
"""
SPAN_BYTES = 16 << 20
REWIND_BYTES = 1 << 20


class InterruptingWrites(NullObserver):
    """Interrupts preconditioning when so many bytes of the step with a number (from 1) are reported."""

    def __init__(self, after_bytes: int, step: int = 1) -> None:
        self._left_bytes = after_bytes
        self._steps_left = step

    def step_started(self, step: Step) -> None:  # noqa: ARG002 - each counts
        self._steps_left -= 1

    def interval(self, interval: IntervalRecord) -> None:
        if self._steps_left == 0:
            self._left_bytes -= sum(totals.bytes for totals in interval.operations.values())
            if self._left_bytes <= 0:
                self._steps_left -= 1
                raise KeyboardInterrupt


@pytest.fixture(autouse=True)
def _short_rewind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preconditioning_left, "REWIND_BYTES", REWIND_BYTES)


def interrupted(folder: Path, form: str, keys: str, observer: NullObserver, targets: int = 1) -> Path:
    file = folder / "left.toml"
    file.write_text(CAMPAIGN.format(form=form, keys=keys), encoding="utf-8")
    paths = [str(folder / f"target{number}") for number in range(targets)]
    for path in paths:
        Path(path).write_bytes(bytes(SPAN_BYTES))
    with pytest.raises(KeyboardInterrupt):
        measure(profile_request(paths, file, overwrite=True), folder / "run", observer)
    return folder / "run"


def written(run: RunRecord, step: int = 0) -> tuple[int, int, int]:
    """What a step wrote in its last session, what was done before, and the amount of each target."""
    record = run.preparation[step]
    assert record.outcome is Outcome.FINISHED
    amount_bytes = record.timing.amount_bytes
    assert amount_bytes is not None
    return record.operations[Operation.WRITE].bytes, record.timing.done_bytes, amount_bytes


@pytest.mark.parametrize(
    ("form", "keys"),
    [
        ("independent", "precondition_capacities = 100"),
        ("fast-random", 'over_provisioning = "400%"\nprecondition_block_size = "64KiB"'),
    ],
)
def test_an_interrupted_write_goes_on_shortly_before_the_place_of_the_interruption(
    tmp_path: Path, form: str, keys: str
) -> None:
    directory = interrupted(tmp_path, form, keys, InterruptingWrites(2 * REWIND_BYTES))
    before_bytes = load_run(directory).preparation[0].operations[Operation.WRITE].bytes
    resume(directory, overwrite=True)
    last_bytes, done_bytes, amount_bytes = written(load_run(directory))
    assert 0 <= before_bytes - done_bytes - REWIND_BYTES < 128 << 10
    assert last_bytes + done_bytes == amount_bytes


def test_a_second_interruption_goes_on_from_the_first(tmp_path: Path) -> None:
    directory = interrupted(
        tmp_path, "independent", "precondition_capacities = 100", InterruptingWrites(8 * REWIND_BYTES)
    )
    with pytest.raises(KeyboardInterrupt):
        resume(directory, overwrite=True, observer=InterruptingWrites(2 * REWIND_BYTES))
    second = load_run(directory).preparation[0]
    assert second.timing.done_bytes >= 7 * REWIND_BYTES - (128 << 10)
    resume(directory, overwrite=True)
    _, done_bytes, _ = written(load_run(directory))
    assert done_bytes > second.timing.done_bytes


def test_a_finished_step_is_not_repeated_if_the_next_one_was_interrupted(tmp_path: Path) -> None:
    keys = 'precondition_capacities = 100\nprecondition_block_size = "64KiB"'
    directory = interrupted(tmp_path, "random", keys, InterruptingWrites(2 * REWIND_BYTES, step=2))
    rest = rest_of(directory)
    assert len(rest.steps) == 1
    resume(directory, overwrite=True)
    run = load_run(directory)
    assert [each.cell for each in run.superseded] == [run.preparation[1].cell]
    assert written(run, step=1)[1] > 0


def test_a_file_that_the_run_created_and_removed_is_written_from_the_start(tmp_path: Path) -> None:
    file = tmp_path / "left.toml"
    file.write_text(CAMPAIGN.format(form="independent", keys="precondition_capacities = 100"), encoding="utf-8")
    directory = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        measure(profile_request([str(tmp_path)], file, size="16MiB"), directory, InterruptingWrites(2 * REWIND_BYTES))
    resume(directory)
    last_bytes, done_bytes, amount_bytes = written(load_run(directory))
    assert (done_bytes, last_bytes) == (0, amount_bytes)


def test_several_targets_go_on_at_the_place_of_the_slowest(tmp_path: Path) -> None:
    keys = "precondition_capacities = 100"
    directory = interrupted(tmp_path, "independent", keys, InterruptingWrites(8 * REWIND_BYTES), targets=2)
    cut = load_run(directory).preparation[0]
    least_bytes = min(each.operations[Operation.WRITE].bytes for each in cut.targets)
    resume(directory, overwrite=True)
    last_bytes, done_bytes, amount_bytes = written(load_run(directory))
    assert 0 <= least_bytes - REWIND_BYTES - done_bytes < 128 << 10
    assert last_bytes == 2 * (amount_bytes - done_bytes)


def test_a_killed_write_goes_on_from_the_last_interval_that_was_kept(tmp_path: Path) -> None:
    file = tmp_path / "left.toml"
    file.write_text(CAMPAIGN.format(form="independent", keys="precondition_capacities = 100"), encoding="utf-8")
    directory, target = tmp_path / "run", tmp_path / "target"
    target.write_bytes(bytes(SPAN_BYTES))
    child = fork(lambda: measure(profile_request([str(target)], file, overwrite=True), directory))
    child.kill_after(1.0)
    child.wait()
    cut = load_run(directory).preparation
    if not cut or cut[0].outcome is not Outcome.CUT:
        pytest.skip("the process was killed before or after the write")
    resume(directory, overwrite=True)
    last_bytes, done_bytes, amount_bytes = written(load_run(directory))
    assert last_bytes + done_bytes == amount_bytes
    assert done_bytes <= cut[0].operations[Operation.WRITE].bytes
