"""Decisions within a trial: a watch of the scheduler ends it when it is long enough."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from iosonde.campaign import RunRequest, TargetRequest, conductor
from iosonde.campaign.scheduler import FixedScheduler
from iosonde.campaign.simulated import simulated_drive
from iosonde.machine.local_host import LocalHost
from iosonde.plans import build, campaign_plan, read_campaign
from iosonde.records import CellRecord, CellTurn, Engine, IntervalRecord, Outcome, Phase, Timing
from iosonde.sources import EngineSource, Interrupted, IoPath, NullTarget, OpenRequest, SimulatedDrive
from iosonde.store import load_run
from iosonde.vocabulary import EngineChoice
from tests.builders import cell_plan, workload
from tests.campaign_runs import Interrupting, measure, resume

MS = 1_000_000
TIMING = Timing(warmup_ns=10 * MS, measure_ns=100 * MS, interval_ns=10 * MS, decide_ns=20 * MS)
CAMPAIGN = read_campaign(
    """
name = "decided"
repeats = 2
[[experiment]]
name = "all"
pattern = "random"
read = [100, 0]
block_size = "4KiB"
queue_depth = 4
""",
    "decided.toml",
)


@pytest.fixture
def simulated() -> Iterator[EngineSource]:
    source = EngineSource()
    drive, size_bytes = simulated_drive("sim:mmc", 1, 0)
    source.open(OpenRequest(SimulatedDrive(span_bytes=size_bytes, drive=drive), write=True, direct=True))
    yield source
    source.end()


def measured(
    source: EngineSource,
    is_enough: Callable[[], bool] | None,
    timing: Timing = TIMING,
    engine: Engine = Engine.SIMULATION,
    on_interval: Callable[[IntervalRecord], None] = lambda _: None,
) -> CellRecord:
    cell = cell_plan(workload()).model_copy(update={"timing": timing})
    turn = CellTurn(order=1, cell=cell.cell, repeat=1, seed=7)
    return source.measure(cell, turn, IoPath(engine), 1 << 28, on_interval, is_enough)


def test_a_trial_that_is_long_enough_ends_and_has_finished(simulated: EngineSource) -> None:
    seen: list[str] = []

    def is_enough() -> bool:
        seen.append("asked")
        return seen.count("asked") == 2

    record = measured(simulated, is_enough, on_interval=lambda each: seen.append(each.phase))
    assert (record.outcome, record.measured_ns) == (Outcome.FINISHED, 40 * MS)
    assert seen == ["warmup", *(["measure", "measure", "asked"] * 2)]
    assert record.timing == TIMING


@pytest.mark.parametrize("is_enough", [None, lambda: False])
def test_a_trial_that_is_not_long_enough_has_its_full_length(
    is_enough: Callable[[], bool] | None, simulated: EngineSource
) -> None:
    record = measured(simulated, is_enough)
    assert (record.outcome, record.measured_ns) == (Outcome.FINISHED, 100 * MS)


def test_an_amount_with_a_limit_can_be_decided_as_well(simulated: EngineSource) -> None:
    amount = TIMING.model_copy(update={"amount_bytes": 1 << 40, "limit_ns": 80 * MS})
    assert measured(simulated, lambda: True, amount).measured_ns == 20 * MS
    assert measured(simulated, lambda: False, amount).measured_ns == 80 * MS


def test_an_interruption_at_a_decision_stays_an_interruption(simulated: EngineSource) -> None:
    def interrupted() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted) as told:
        measured(simulated, interrupted)
    assert (told.value.cell.outcome, told.value.cell.measured_ns) == (Outcome.CUT, 20 * MS)


def test_a_trial_on_a_real_target_ends_soon_after_the_decision() -> None:
    source = EngineSource()
    try:
        source.open(OpenRequest(NullTarget(span_bytes=1 << 28), write=True, direct=True))
        long = TIMING.model_copy(update={"measure_ns": 60_000 * MS})
        record = measured(source, lambda: True, long, Engine.NULL)
        assert record.outcome is Outcome.FINISHED
        assert record.measured_ns is not None
        assert 20 * MS <= record.measured_ns < 30_000 * MS
        # The engine takes further commands.
        assert measured(source, lambda: False, TIMING, Engine.NULL).outcome is Outcome.FINISHED
    finally:
        source.end()


def test_decisions_at_other_moments_than_the_ends_of_intervals_are_a_mistake() -> None:
    with pytest.raises(ValidationError, match="decide_ns must be a multiple of interval_ns"):
        Timing(warmup_ns=0, measure_ns=100, interval_ns=10, decide_ns=15)


class AfterIntervals:
    """Ends a trial after a number of intervals of its measurement."""

    def __init__(self, number: int) -> None:
        self._left = number

    def take(self, interval: IntervalRecord) -> None:
        self._left -= interval.phase is Phase.MEASURE

    def is_enough(self) -> bool:
        return self._left <= 0


class EndingScheduler(FixedScheduler):
    """Trials of later repeats are longer."""

    def watch(self, turn: CellTurn) -> AfterIntervals:  # type: ignore[override]
        return AfterIntervals(2 * turn.repeat)


@pytest.fixture
def decided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conductor, "scheduler_of", lambda _: EndingScheduler())
    monkeypatch.setattr(build, "timing_of", lambda *_: TIMING)


def request() -> RunRequest:
    words = ("sim:mmc,seed=5",)
    target = TargetRequest(words, size_bytes=16 << 20, overwrite=False, buffered=False, writes=True, quick=False)
    return RunRequest(
        host=LocalHost(),
        target=target,
        engine=EngineChoice.AUTO,
        plan=lambda ground: campaign_plan(CAMPAIGN, ground, quick=False, seed=3),
    )


@pytest.mark.usefixtures("decided")
def test_a_watch_of_the_scheduler_ends_each_trial_of_a_run(tmp_path: Path) -> None:
    measure(request(), tmp_path / "run")
    cells = load_run(tmp_path / "run").cells
    assert [(cell.outcome, cell.measured_ns) for cell in cells] == [
        (Outcome.FINISHED, cell.repeat * 20 * MS) for cell in cells
    ]
    assert len(cells) == 4


@pytest.mark.usefixtures("decided")
def test_a_resumed_run_replays_the_decisions(tmp_path: Path) -> None:
    measure(request(), tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        measure(request(), tmp_path / "resumed", Interrupting(after=2))
    resume(tmp_path / "resumed")
    whole, resumed = load_run(tmp_path / "whole"), load_run(tmp_path / "resumed")
    assert [cell.model_dump() for cell in resumed.cells] == [cell.model_dump() for cell in whole.cells]
