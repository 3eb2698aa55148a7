"""A standard procedure is data: preconditioning steps, a round of trials, and a rule for when to stop.

The plans here are a short form of the SNIA's IOPS test: two preconditioning writes with an idle time in between, then
rounds over a matrix until the tracking variables are in steady state.
"""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from iosonde.analysis.run import RunAnalysis
from iosonde.analysis.series.steady import SNIA, judge_steadiness
from iosonde.campaign import (
    NullObserver,
    RunRequest,
    TargetRequest,
    preflight,
)
from iosonde.cli.plan_text import plan_lines
from iosonde.machine.local_host import LocalHost
from iosonde.plans import CELL_OVERHEAD_NS, TargetInfo, cell_name, cell_seed, plan_cost, preparation_ns, remaining
from iosonde.plans.preconditioning import fill_cell
from iosonde.plans.timings import timing_of
from iosonde.records import (
    Access,
    CellPlan,
    CellRecord,
    CellTurn,
    Experiment,
    IdleStep,
    IntervalRecord,
    Outcome,
    Plan,
    RunRecord,
    SteadyState,
    Step,
    Timing,
    Tracked,
    Workload,
    in_order,
    one_stream,
)
from iosonde.report.facts import fact_groups
from iosonde.report.terminal.cell_choice import chosen_cell
from iosonde.store import load_run
from iosonde.units import MILLISECOND_NS
from iosonde.vocabulary import EngineChoice, Quantity
from tests.campaign_runs import measure, rest_of, resume

NOW = datetime(2026, 11, 23, tzinfo=UTC)
SIZE_BYTES = 64 << 20
IDLE_NS = 300 * MILLISECOND_NS
SHARES = (0, 65, 100)


def cell(read_percent: int, timing: Timing | None = None) -> CellPlan:
    workload = Workload(pattern=Access.RANDOM, read_percent=read_percent, block_size_bytes=4096, queue_depth=8)
    return CellPlan(
        cell=cell_name(workload),
        experiments=(Experiment.MATRIX,),
        streams=one_stream(workload),
        timing=timing or timing_of(0, 50 * MILLISECOND_NS),
    )


def preparation(ground: TargetInfo) -> tuple[Step, ...]:
    """Sequential writes of the whole test region, an idle time, then random writes of the same amount."""
    amount = Timing(warmup_ns=0, measure_ns=10**9, interval_ns=100 * MILLISECOND_NS, amount_bytes=ground.span_bytes)
    return in_order((fill_cell(ground), IDLE_NS, cell(0, amount)))


def procedure(rule: SteadyState, seed: int = 5, rounds: int = 1, timing: Timing | None = None) -> RunRequest:
    """The procedure with ``rounds`` rounds in its plan. Later rounds are added during the run."""

    def plan(ground: TargetInfo) -> Plan:
        cells = tuple(cell(share, timing) for share in SHARES)
        passes = [(each, number) for number in range(1, rounds + 1) for each in cells]
        turns = tuple(
            CellTurn(order=order, cell=each.cell, repeat=number, seed=cell_seed(seed, each.cell, number), round=number)
            for order, (each, number) in enumerate(passes, 1)
        )
        return Plan(
            profile="iops in short",
            quick=True,
            seed=seed,
            repeats=1,
            span_bytes=ground.span_bytes,
            preparation=preparation(ground),
            cells=cells,
            turns=turns,
            stop=rule,
        )

    return RunRequest(target=sim("sim:sata-dc,seed=2"), engine=EngineChoice.AUTO, plan=plan, host=LocalHost())


def sim(word: str) -> TargetRequest:
    return TargetRequest((word,), size_bytes=SIZE_BYTES, overwrite=False, buffered=False, writes=True, quick=True)


def tracked(*shares: int) -> tuple[Tracked, ...]:
    return tuple(Tracked(cell=cell(share).cell, quantity=Quantity.IOPS) for share in shares)


def measured(request: RunRequest, directory: Path, observer: NullObserver | None = None) -> RunRecord:
    measure(request, directory, observer, NOW)
    return load_run(directory)


def iops(run: RunRecord, read_percent: int) -> list[float]:
    """The throughput of one cell in each round, in operations per ns."""
    found = [each for each in run.cells if each.workload.read_percent == read_percent]
    return [sum(totals.count for totals in each.operations.values()) / each.measured_ns for each in found]


@pytest.fixture(scope="module")
def steady(tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    """A run that ends when two variables are in steady state."""
    return measured(procedure(SteadyState(tracked=tracked(0, 65))), tmp_path_factory.mktemp("steady") / "run")


def test_rounds_go_on_until_all_tracking_variables_are_steady_and_no_longer(steady: RunRecord) -> None:
    variables = {str(share): iops(steady, share) for share in (0, 65)}
    judged = judge_steadiness(variables, SNIA)
    assert judged.reached == judged.rounds
    assert 5 <= judged.rounds < 25


def test_every_round_measures_every_cell_once_in_the_same_order_with_other_offsets(steady: RunRecord) -> None:
    rounds: dict[int | None, list[CellRecord]] = {}
    for each in steady.cells:
        rounds.setdefault(each.round, []).append(each)
    assert list(rounds) == list(range(1, len(rounds) + 1))
    assert {tuple(each.cell for each in found) for found in rounds.values()} == {
        tuple(cell(share).cell for share in SHARES)
    }
    assert len({each.seed for each in steady.cells}) == len(steady.cells)
    assert [turn.round for turn in steady.turns] == [each.round for each in steady.cells]


def test_the_preparation_is_kept_step_by_step_and_comes_before_the_first_trial(steady: RunRecord) -> None:
    assert [(each.order, each.outcome) for each in steady.preparation] == [
        (-2, Outcome.FINISHED),
        (0, Outcome.FINISHED),
    ]
    assert [each.workload.pattern for each in steady.preparation] == [Access.SEQUENTIAL, Access.RANDOM]
    assert steady.is_prepared
    ends = [each.clock_end.engine_ns for each in steady.preparation if each.clock_end is not None]
    starts = [each.clock_start.engine_ns for each in steady.preparation if each.clock_start is not None]
    assert starts[1] - ends[0] >= IDLE_NS
    first = steady.cells[0].clock_start
    assert first is not None
    assert first.engine_ns >= ends[1]


def test_a_procedure_that_never_becomes_steady_ends_with_its_last_round(tmp_path: Path) -> None:
    rule = SteadyState(tracked=tracked(65), window=2, range_share=1e-9, excursion_share=1e-9, rounds_max=4)
    run = measured(procedure(rule), tmp_path / "run")
    assert run.finished
    assert max(each.round or 0 for each in run.cells) == 4


class BrokenOff(NullObserver):
    """Interrupts a run after this number of cells, including preconditioning."""

    def __init__(self, cells: int) -> None:
        self._cells = cells
        self._ended = list[CellRecord]()

    def cell_finished(self, record: CellRecord) -> None:
        self._ended.append(record)
        if len(self._ended) == self._cells:
            raise KeyboardInterrupt


@pytest.mark.parametrize("cells", [1, 2, 3, 6, 11])
def test_a_procedure_that_is_resumed_comes_to_the_record_of_an_unbroken_one(
    steady: RunRecord, cells: int, tmp_path: Path
) -> None:
    with pytest.raises(KeyboardInterrupt):
        measured(procedure(SteadyState(tracked=tracked(0, 65))), tmp_path / "run", BrokenOff(cells))
    resume(tmp_path / "run", now=NOW)
    resumed = load_run(tmp_path / "run")
    assert (resumed.preparation, resumed.cells) == (steady.preparation, steady.cells)
    assert resumed.turns_chosen == steady.turns_chosen


class Watching(NullObserver):
    """Records the preconditioning steps. Interrupts the run after the first trial if ``breaks``."""

    def __init__(self, *, breaks: bool = False) -> None:
        self.steps: list[Step] = []
        self._breaks = breaks

    def step_started(self, step: Step) -> None:
        self.steps.append(step)

    def cell_finished(self, record: CellRecord) -> None:
        if self._breaks and not record.is_preparation:
            raise KeyboardInterrupt


def test_a_file_that_was_prepared_is_not_prepared_once_more(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(bytes(SIZE_BYTES))
    on_file = TargetRequest((str(file),), size_bytes=SIZE_BYTES, overwrite=True, buffered=True, writes=True, quick=True)
    rule = SteadyState(tracked=tracked(0), window=2, rounds_max=2)
    request = RunRequest(target=on_file, engine=EngineChoice.PSYNC, plan=procedure(rule).plan, host=LocalHost())
    first, second = Watching(breaks=True), Watching()
    with pytest.raises(KeyboardInterrupt):
        measured(request, tmp_path / "run", first)
    kept = load_run(tmp_path / "run")
    assert [step.order for step in first.steps] == [-2, -1, 0]
    rest = rest_of(tmp_path / "run")
    assert rest.preparation_ns == 0
    resume(tmp_path / "run", rest, second, NOW, overwrite=True)
    assert second.steps == []
    assert load_run(tmp_path / "run").preparation == kept.preparation


def test_idle_time_is_part_of_what_a_plan_takes() -> None:
    ground = TargetInfo(span_bytes=SIZE_BYTES, fill=True)
    plan = procedure(SteadyState(tracked=tracked(0))).plan(ground)
    without = plan.model_copy(
        update={"preparation": tuple(step for step in plan.preparation if not isinstance(step, IdleStep))}
    )
    rate = 10**9
    assert preparation_ns(plan.preparation, rate) - preparation_ns(without.preparation, rate) == IDLE_NS
    assert preparation_ns(without.preparation, rate) == 2 * (SIZE_BYTES * 10**9 // rate)


def test_a_plan_of_rounds_is_told_with_its_rule_its_last_round_and_the_time_of_all() -> None:
    rule = SteadyState(tracked=tracked(0, 65), rounds_max=12)
    ahead = preflight(procedure(rule), NOW)
    text = "\n".join(plan_lines(ahead, plan_cost(ahead.plan, 10**9)))
    assert (
        "rounds    until the last 5 are in steady state, at most 12: iops of random-write-4KiB-qd8, "
        "iops of random-mix65" in text
    )
    assert "time      at most " in text
    cost = plan_cost(ahead.plan, 10**9)
    assert cost.duration_ns == preparation_ns(ahead.plan.preparation, 10**9) + 12 * len(SHARES) * (
        50_000_000 + CELL_OVERHEAD_NS
    )


def test_a_report_says_by_which_rule_a_run_ended(steady: RunRecord) -> None:
    facts = {name: value for group in fact_groups(RunAnalysis(steady)) for name, value in group.facts}
    assert facts["measured until"] == (
        "iops of random-write-4KiB-qd8, iops of random-mix65-4KiB-qd8 are steady over 5 rounds (range at most 20 % "
        "and slope at most 10 % of the mean), or 25 rounds are complete"
    )
    assert facts["preconditioning"].count("; ") == 1


def test_rounds_go_on_behind_several_that_are_planned(steady: RunRecord, tmp_path: Path) -> None:
    planned = measured(procedure(SteadyState(tracked=tracked(0, 65)), rounds=3), tmp_path / "run")
    assert planned.cells == steady.cells


def test_a_plan_whose_cells_move_an_amount_is_told_with_all_of_its_rounds() -> None:
    amount = Timing(warmup_ns=0, measure_ns=10**9, interval_ns=10**8, amount_bytes=SIZE_BYTES)
    rule = SteadyState(tracked=tracked(0), rounds_max=7)
    plan = procedure(rule, rounds=2, timing=amount).plan(TargetInfo(span_bytes=SIZE_BYTES, fill=True))
    cost = plan_cost(plan, 10**9)
    written_bytes = sum(SIZE_BYTES * (100 - share) // 100 for share in SHARES)
    assert cost.write_bytes_max == 7 * written_bytes
    assert cost.fill_bytes == 2 * SIZE_BYTES
    left = remaining(plan, plan.turns[:1], plan.turns[1:], 10**9)
    whole_ns = cost.duration_ns - preparation_ns(plan.preparation, 10**9)
    assert left.total_ns == whole_ns * (7 * len(SHARES) - 1) // (7 * len(SHARES))


class WithinATrial(NullObserver):
    """Interrupts a run during its first trial."""

    def __init__(self) -> None:
        self._measures = False

    def cell_started(self, plan: CellPlan, turn: CellTurn) -> None:
        self._measures = turn.order == 1 and plan.timing.amount_bytes is None

    def interval(self, interval: IntervalRecord) -> None:
        if self._measures and interval.interval_last >= 1:
            raise KeyboardInterrupt


def test_a_trial_that_was_cut_is_not_taken_for_the_write_of_the_same_name(tmp_path: Path) -> None:
    short = Timing(warmup_ns=0, measure_ns=50 * MILLISECOND_NS, interval_ns=5 * MILLISECOND_NS)
    with pytest.raises(KeyboardInterrupt):
        measured(procedure(SteadyState(tracked=tracked(0)), timing=short), tmp_path / "run", WithinATrial())
    run = load_run(tmp_path / "run")
    assert [step.cell.cell for step in run.header.plan.writes_first][1] == run.cells[0].cell
    assert run.cells[0].timing == short
    assert [each.timing.amount_bytes for each in run.preparation] == [SIZE_BYTES, SIZE_BYTES]


def test_the_name_of_a_cell_that_a_step_writes_too_means_the_cell(steady: RunRecord) -> None:
    name = cell(0).cell
    assert name in {step.cell.cell for step in steady.header.plan.writes_first}
    chosen = chosen_cell(steady, name, None)
    assert chosen.plan.timing == cell(0).timing
    assert [record.order for record in chosen.records] == [each.order for each in steady.cells if each.cell == name]
