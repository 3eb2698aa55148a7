"""A run of standard procedures: rounds until they are steady, phase by phase, and the same after any interruption."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from iosonde.analysis.procedures import procedures_of
from iosonde.analysis.procedures.condition import ConditionState
from iosonde.analysis.procedures.conditions import conditions_of
from iosonde.campaign.procedure_starts import NO_STATE
from iosonde.campaign.procedures import ProcedureScheduler
from iosonde.plans import TargetInfo
from iosonde.plans.procedures import procedures_plan, read_procedures
from iosonde.records import CellRecord, CellTurn, Outcome, Procedures, RunRecord
from iosonde.store import load_run
from iosonde.vocabulary import Operation, PurgeState
from tests.builders import cell_record, totals_of
from tests.campaign_runs import Interrupting, measure, profile_request, resume

WINDOW = 3
TWO = f"""name = "two"
[[procedure]]
name = "first"
[[procedure.phase]]
name = "fill"
role = "preconditioning"
[[procedure.phase.cells]]
pattern = "sequential"
read = 0
block_size = "128KiB"
queue_depth = 8
capacities = 1
[[procedure.phase]]
name = "rounds"
[procedure.phase.steady]
track = [{{ read = 0, quantity = "iops" }}]
window = {WINDOW}
rounds_max = 6
[[procedure.phase.cells]]
pattern = "random"
read = [100, 0]
block_size = "4KiB"
queue_depth = 4
duration = "20ms"
[[procedure]]
name = "second"
purge = false
[[procedure.phase]]
name = "rounds"
rounds = 2
[[procedure.phase.cells]]
pattern = "random"
read = 0
block_size = "64KiB"
queue_depth = 4
duration = "20ms"
"""
SIZE = "64MiB"


def scheduler(text: str = TWO) -> ProcedureScheduler:
    plan = procedures_plan(read_procedures(text, "two.toml"), TargetInfo(64 << 20, fill=True), seed=1)
    assert isinstance(plan.stop, Procedures)
    return ProcedureScheduler(plan, plan.stop)


def result(turn: CellTurn, operations: int, outcome: Outcome = Outcome.FINISHED) -> CellRecord:
    plan = procedures_plan(read_procedures(TWO, "two.toml"), TargetInfo(64 << 20, fill=True), seed=1)
    cell = next(each for each in plan.cells if each.cell == turn.cell)
    operation = cell.workload.only_operation or Operation.WRITE
    totals = {} if outcome is not Outcome.FINISHED else {operation: totals_of([10_000] * operations)}
    return cell_record(cell, totals, outcome=outcome, order=turn.order, round=turn.round)


def chosen(of: ProcedureScheduler, operations: Callable[[CellTurn], int], most: int = 40) -> list[CellTurn]:
    """The trials that a scheduler chooses if each completes so many operations; 0 means that it fails."""
    turns: list[CellTurn] = []
    while len(turns) < most and (turn := of.next_turn()) is not None:
        count = operations(turn)
        of.take(turn, result(turn, count) if count else result(turn, 1, Outcome.FAILED))
        turns.append(turn)
    return turns


def following(turns: Sequence[CellTurn]) -> ProcedureScheduler:
    """The scheduler of a new session, which knows these trials."""
    of = scheduler()
    for turn in turns:
        of.follow(turn, result(turn, 100))
    return of


def rounds_of(turns: list[CellTurn], procedure: str = "first") -> int:
    return max(each.round or 0 for each in turns if (each.procedure, each.phase) == (procedure, "rounds"))


def test_the_trials_follow_the_procedures_phases_and_rounds() -> None:
    turns = chosen(scheduler(), lambda _: 100)
    assert [each.order for each in turns] == list(range(1, len(turns) + 1))
    found = [(each.procedure, each.phase, each.round) for each in turns]
    first = [("first", "fill", 1), *(("first", "rounds", number) for number in (1, 1, 2, 2, 3, 3))]
    assert found == [*first, ("second", "rounds", 1), ("second", "rounds", 2)]


def test_each_trial_of_a_cell_has_its_own_seed() -> None:
    turns = chosen(scheduler(), lambda _: 100)
    assert len({each.seed for each in turns}) == len(turns)


def test_rounds_end_once_the_tracking_variable_is_steady() -> None:
    # Rounds 1 and 2 differ by a factor of two; rounds 2 to 4 are the first steady window.
    found = chosen(scheduler(), lambda turn: 200 if turn.phase == "rounds" and turn.round == 1 else 100)
    assert rounds_of(found) == 4


def test_rounds_end_at_their_maximum_if_they_are_never_steady() -> None:
    found = chosen(scheduler(), lambda turn: 100 * (turn.round or 1))
    assert rounds_of(found) == 6
    assert found[-1].procedure == "second"


def test_a_tracked_trial_that_fails_begins_a_new_window() -> None:
    def operations(turn: CellTurn) -> int:
        return 0 if turn.phase == "rounds" and turn.round == 2 and "write" in turn.cell else 100

    assert rounds_of(chosen(scheduler(), operations)) == 5


def test_an_interrupted_procedure_begins_again_with_its_first_phase() -> None:
    of = scheduler()
    chosen(of, lambda _: 100, most=4)
    running = of.next_turn()
    assert running is not None
    of.restart(running)
    again = of.next_turn()
    assert again is not None
    assert (again.procedure, again.phase, again.round, again.attempt, again.order) == ("first", "fill", 1, 2, 6)


def test_a_procedure_that_was_interrupted_in_its_first_trial_has_begun() -> None:
    first = scheduler().next_turn()
    assert first is not None
    # The scheduler of a new session has only the trials that finished.
    of = scheduler()
    of.restart(first)
    again = of.next_turn()
    assert again is not None
    assert (again.phase, again.attempt, again.order) == ("fill", 2, 2)


@pytest.mark.parametrize("finished", [0, 4])
def test_attempts_that_have_no_result_count(finished: int) -> None:
    of = scheduler()
    done = chosen(of, lambda _: 100, most=finished)
    running = of.next_turn()
    for attempt in (2, 3, 4):
        assert running is not None
        # Each new session knows the trials that finished, and which one was chosen last.
        of = following(done)
        of.restart(running)
        chosen_next = of.next_turn()
        assert chosen_next is not None
        assert (chosen_next.phase, chosen_next.attempt, chosen_next.order) == ("fill", attempt, running.order + 1)
        running = chosen_next


def test_results_of_a_later_attempt_of_a_later_procedure_are_followed() -> None:
    of = scheduler()
    done = chosen(of, lambda _: 100, most=7)
    running = of.next_turn()
    assert running is not None
    of = following(done)
    of.restart(running)
    again = of.next_turn()
    assert again is not None
    assert (again.procedure, again.attempt) == ("second", 2)
    of.take(again, result(again, 100))
    whole = [*done, again]
    again_followed = following(whole)
    assert again_followed.next_turn() == of.next_turn()


def test_a_procedure_that_has_not_begun_keeps_its_number_of_attempts() -> None:
    of = scheduler()
    turns = chosen(of, lambda _: 100, most=7)
    of.restart(turns[-1])
    next_one = of.next_turn()
    assert next_one is not None
    assert (next_one.procedure, next_one.attempt) == ("second", 1)


def test_a_scheduler_that_follows_earlier_trials_goes_on_as_the_first_one_did() -> None:
    whole = chosen(scheduler(), lambda _: 100)
    for kept in range(len(whole)):
        of = following(whole[:kept])
        assert of.next_turn() == whole[kept]


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("procedures") / "two.toml"
    file.write_text(TWO, encoding="utf-8")
    return file


def measured(campaign: Path, directory: Path, observer: Interrupting | None = None) -> RunRecord:
    request = profile_request(["sim:sata-dc,seed=2"], campaign, size=SIZE, time_scale=1)
    measure(request, directory, observer)
    return load_run(directory)


@pytest.fixture(scope="module")
def unbroken(campaign: Path, tmp_path_factory: pytest.TempPathFactory) -> RunRecord:
    return measured(campaign, tmp_path_factory.mktemp("unbroken") / "run")


def test_a_run_keeps_the_start_of_each_procedure(unbroken: RunRecord) -> None:
    found = [(each.procedure, each.attempt, each.purge) for each in unbroken.procedure_starts]
    assert found == [("first", 1, PurgeState.SIMULATED), ("second", 1, PurgeState.SKIPPED)]
    assert unbroken.finished


@pytest.mark.parametrize("within", [False, True])
def test_a_run_that_is_interrupted_at_any_trial_ends_as_an_unbroken_one(
    unbroken: RunRecord, campaign: Path, tmp_path: Path, *, within: bool
) -> None:
    for after in range(1 - within, len(unbroken.cells)):
        directory = tmp_path / f"run{after}"
        with pytest.raises(KeyboardInterrupt):
            measured(campaign, directory, Interrupting(after, within=within))
        resume(directory)
        resumed = load_run(directory)
        assert resumed.cells == unbroken.cells
        assert resumed.turns == unbroken.turns
        assert resumed.procedure_starts == unbroken.procedure_starts


PURGED = """name = "purged"
[[procedure]]
name = "{name}"
purge = {purge}
[[procedure.phase]]
name = "writes"
[[procedure.phase.cells]]
pattern = "random"
read = 0
block_size = "4KiB"
queue_depth = 4
duration = "40ms"
"""


def purged_run(folder: Path, target: str, *, purge: bool, observer: Interrupting | None = None) -> RunRecord:
    second = PURGED.format(name="second", purge=str(purge).lower()).split("\n", 1)[1]
    (folder / "purged.toml").write_text(PURGED.format(name="first", purge="true") + second, encoding="utf-8")
    measure(profile_request([target], folder / "purged.toml", size=SIZE, time_scale=1), folder / "run", observer)
    return load_run(folder / "run")


def test_a_simulated_drive_is_put_back_to_its_first_state_before_each_procedure_with_a_purge(tmp_path: Path) -> None:
    runs = {}
    for purge in (True, False):
        folder = tmp_path / str(purge)
        folder.mkdir()
        runs[purge] = purged_run(folder, "sim:usb-stick,seed=2", purge=purge)
    (first, again), (_, worn) = runs[True].cells, runs[False].cells
    assert first.drives[0].state_hash == runs[False].cells[0].drives[0].state_hash
    assert again.drives[0].state_hash != worn.drives[0].state_hash
    # A real format does not reset the counters either.
    before, after = first.drives[0].health.host_written_bytes, again.drives[0].health.host_written_bytes
    assert before is not None
    assert after is not None
    assert after > before


def test_a_resumed_run_purges_a_simulated_drive_again(tmp_path: Path) -> None:
    for name in ("whole", "resumed"):
        (tmp_path / name).mkdir()
    whole = purged_run(tmp_path / "whole", "sim:usb-stick,seed=2", purge=True)
    with pytest.raises(KeyboardInterrupt):
        purged_run(tmp_path / "resumed", "sim:usb-stick,seed=2", purge=True, observer=Interrupting(1, within=True))
    resume(tmp_path / "resumed/run")
    assert load_run(tmp_path / "resumed/run").cells == whole.cells


def test_a_drive_without_a_first_state_is_not_purged_and_the_record_says_so(tmp_path: Path) -> None:
    run = purged_run(tmp_path, "sim:disk-7200,seed=2", purge=True)
    assert [(each.purge, each.reason) for each in run.procedure_starts] == [(PurgeState.SKIPPED, NO_STATE)] * 2


SESSIONS = [(0, 0), (0, 0, 0), (3, 0), (3, 0, 0, 2), (7, 0), (0, 7, 0), (8, 1, 0, 0)]


@pytest.mark.parametrize("sessions", SESSIONS, ids=str)
def test_a_run_on_a_file_that_is_interrupted_again_and_again_reports_its_last_attempts(
    campaign: Path, tmp_path: Path, sessions: tuple[int, ...]
) -> None:
    """Each session ends within the trial after so many finished ones; the last one goes on to the end."""
    request = profile_request([str(tmp_path / "file.data")], campaign, size=SIZE)
    with pytest.raises(KeyboardInterrupt):
        measure(request, tmp_path / "run", Interrupting(sessions[0], within=True))
    for finished in sessions[1:]:
        with pytest.raises(KeyboardInterrupt):
            resume(tmp_path / "run", observer=Interrupting(finished, within=True), overwrite=True)
    resume(tmp_path / "run", overwrite=True)

    run = load_run(tmp_path / "run")
    numbers = [(each.procedure, each.attempt) for each in run.procedure_starts]
    assert run.finished
    assert len(set(numbers)) == len(numbers)
    for each in procedures_of(run):
        last = max(attempt for procedure, attempt in numbers if procedure == each.procedure.name)
        states = {one.name: one.state for one in conditions_of(run, each)}
        assert each.attempt == last
        assert all(phase.rounds for phase in each.phases)
        assert states["Preconditioning"] in {ConditionState.VERIFIED, ConditionState.SKIPPED}
