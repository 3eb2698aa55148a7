"""The time left of an interrupted run: the time of the plan minus the time used, which is what resuming takes."""

from pathlib import Path
from typing import Any

import pytest

from iosonde.campaign import NullObserver, RemainingRun
from iosonde.campaign.simulated import assumed_bytes_per_s
from iosonde.cli.plan_text import rest_line
from iosonde.cli.progress import Clockwork
from iosonde.errors import UsageError
from iosonde.plans import ASSUMED_WRITE_BYTES_PER_S, plan_cost, remaining
from iosonde.records import CellPlan, CellRecord, CellTurn, Outcome, RunRecord
from iosonde.store import load_run
from tests.campaign.test_procedures import TWO
from tests.campaign_runs import Interrupting, measure, profile_request, rest_of, resume
from tests.stories.short_runs import run_short, short_request

SECOND_NS = 10**9
OVERHEAD_NS = 15_000_000
SWEEP = """
[[experiment]]
name = "all"
pattern = "random"
read = {read}
block_size = "4KiB"
queue_depth = [1, 4, 16]
"""
# No budget is enough for a precision of 0.1 %, so all of it is used.
ADAPTIVE = 'name = "adaptive"\nprecision = "0.1%"\nbudget = "15s"\nduration = "1s"\n' + SWEEP
FIXED = 'name = "fixed"\nrepeats = 4\nwarmup = "100ms"\nduration = "900ms"\n' + SWEEP
AMOUNT = 'name = "amount"\nrepeats = 2\n' + SWEEP + 'amount = "64MiB"\n'


def run_sweep(text: str, folder: Path, observer: NullObserver, read: int = 100, **others: Any) -> Path:
    (folder / "sweep.toml").write_text(text.format(read=read), encoding="utf-8")
    measure(profile_request(["sim:mmc,seed=5"], folder / "sweep.toml", **others), folder / "run", observer)
    return folder / "run"


def broken_off(text: str, folder: Path, number: int, *, within: bool, read: int = 100) -> RemainingRun:
    with pytest.raises(KeyboardInterrupt):
        run_sweep(text, folder, Interrupting(number, within=within), read)
    return rest_of(folder / "run")


def go_on(folder: Path, rest: RemainingRun, observer: NullObserver | None = None) -> RunRecord:
    resume(folder / "run", rest, observer)
    return load_run(folder / "run", intervals=False)


def took_ns(record: CellRecord) -> int:
    return record.timing.warmup_ns + record.measured_ns


def measured_after(run: RunRecord, rest: RemainingRun) -> list[CellRecord]:
    before = {turn.order for turn in rest.done}
    return [cell for cell in run.cells if cell.order not in before]


def cost_of(rest: RemainingRun, bytes_per_s: int = ASSUMED_WRITE_BYTES_PER_S) -> int:
    """The time of the whole plan in ns, as ``iosonde plan`` shows it, without preconditioning."""
    return plan_cost(rest.run.header.plan.model_copy(update={"preparation": ()}), bytes_per_s).duration_ns


@pytest.mark.parametrize("within", [False, True])
@pytest.mark.parametrize("number", [1, 9, 14])
def test_with_an_aim_what_is_told_to_be_left_and_what_was_spent_are_the_plans_and_it_takes_that_long(
    number: int, within: bool, tmp_path: Path
) -> None:
    rest = broken_off(ADAPTIVE, tmp_path, number, within=within)
    assert len(rest.done) == number
    assert rest.left_ns + rest.spent_ns == cost_of(rest) == 15 * SECOND_NS
    assert rest.spent_ns == rest.budget_spent_ns == sum(took_ns(cell) + OVERHEAD_NS for cell in rest.run.cells[:number])
    later = measured_after(go_on(tmp_path, rest), rest)
    takes_ns = sum(took_ns(cell) + OVERHEAD_NS for cell in later)
    # The time left at the end is too short for another repeat.
    assert takes_ns <= rest.left_ns <= takes_ns + 2 * SECOND_NS


@pytest.mark.parametrize("number", [1, 5, 11])
def test_with_fixed_times_what_is_told_is_what_the_turns_that_are_left_take(number: int, tmp_path: Path) -> None:
    rest = broken_off(FIXED, tmp_path, number, within=True)
    assert rest.left_ns + rest.spent_ns == cost_of(rest)
    assert rest.left_ns == (12 - number) * (SECOND_NS + OVERHEAD_NS)
    later = measured_after(go_on(tmp_path, rest), rest)
    assert sum(took_ns(cell) for cell in later) == pytest.approx(rest.left_ns, rel=0.05)


def test_a_run_that_is_broken_off_again_and_again_has_less_left_each_time(tmp_path: Path) -> None:
    rest = broken_off(ADAPTIVE, tmp_path, 4, within=True)
    lefts = [rest.left_ns]
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            go_on(tmp_path, rest, Interrupting(4, within=True))
        rest = rest_of(tmp_path / "run")
        assert rest.left_ns + rest.spent_ns == cost_of(rest)
        lefts.append(rest.left_ns)
    assert lefts == sorted(lefts, reverse=True)
    assert len(set(lefts)) == 4
    takes_ns = sum(took_ns(cell) + OVERHEAD_NS for cell in measured_after(go_on(tmp_path, rest), rest))
    assert takes_ns <= rest.left_ns <= takes_ns + 2 * SECOND_NS


def test_a_fill_that_was_broken_off_is_told_and_one_that_is_there_is_not(tmp_path: Path) -> None:
    class Filling(NullObserver):
        def interval(self, interval: object) -> None:  # noqa: ARG002 - the first interval, in preconditioning
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_sweep(FIXED, tmp_path, Filling(), read=50)
    rest = rest_of(tmp_path / "run")
    assert rest.preparation_ns > 0
    assert rest.left_ns == rest.preparation_ns + cost_of(rest)
    with pytest.raises(KeyboardInterrupt):
        go_on(tmp_path, rest, Interrupting(2))
    now = rest_of(tmp_path / "run")
    assert now.preparation_ns == 0
    assert len(now.run.preparation) == 1
    assert now.run.preparation[0].outcome is Outcome.FINISHED
    # The model determines the write rate of preconditioning.
    assert rest.preparation_ns == pytest.approx(now.run.preparation[0].measured_ns, rel=0.2)


def test_a_file_that_is_gone_is_written_once_more_and_told_with_the_time_that_it_took(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        measure(short_request(tmp_path), directory, Interrupting(3))
    rest = rest_of(directory)
    assert len(rest.run.preparation) == 1
    assert not Path(rest.run.header.target.path).exists()
    assert rest.preparation_ns == rest.run.preparation[0].measured_ns > 0
    assert rest.left_ns == rest.preparation_ns + 5 * (13_000_000 + OVERHEAD_NS)
    assert rest_line(rest).endswith("; the target is preconditioned first")


def test_a_file_that_stays_is_not_written_once_more(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(16 << 20))
    with pytest.raises(KeyboardInterrupt):
        measure(short_request(tmp_path / "file"), tmp_path / "run", Interrupting(3))
    rest = rest_of(tmp_path / "run")
    assert rest.preparation_ns == 0
    assert rest.left_ns + rest.spent_ns == cost_of(rest)
    assert rest_line(rest) == "5 of 8 trials remain, 140 ms"


class InterruptingIn(NullObserver):
    """Interrupts a run during the first trial of a procedure or phase, or after it."""

    def __init__(self, name: str, *, within: bool) -> None:
        self._name = name
        self._within = within
        self._is_there = False

    def cell_started(self, plan: CellPlan, turn: CellTurn) -> None:  # noqa: ARG002 - each counts
        self._is_there = self._name in {turn.procedure, turn.phase}
        if self._is_there and self._within:
            raise KeyboardInterrupt

    def cell_finished(self, record: CellRecord) -> None:  # noqa: ARG002 - each counts
        if self._is_there:
            raise KeyboardInterrupt


@pytest.mark.parametrize("within", [True, False])
@pytest.mark.parametrize(("there", "again"), [("fill", "first"), ("rounds", "first"), ("second", "second")])
def test_an_interrupted_procedure_on_a_file_is_said_to_begin_again_with_all_of_its_time(
    tmp_path: Path, there: str, again: str, *, within: bool
) -> None:
    (tmp_path / "two.toml").write_text(TWO, encoding="utf-8")
    request = profile_request([str(tmp_path)], tmp_path / "two.toml", size="64MiB")
    with pytest.raises(KeyboardInterrupt):
        measure(request, tmp_path / "run", InterruptingIn(there, within=within))
    rest = rest_of(tmp_path / "run")
    assert rest.begins_again is not None
    assert rest.begins_again.name == again
    assert rest_line(rest).startswith(f"{again} begins again, because a procedure does not allow a gap; at most ")
    # The second procedure has two trials of 20 ms, each with its overhead.
    every_ns, second_ns = plan_cost(rest.run.header.plan).duration_ns, 2 * (20_000_000 + OVERHEAD_NS)
    assert rest.left_ns == (every_ns if again == "first" else second_ns)
    # The first trial of the new attempt counts as if the interrupted one had not been.
    assert rest.last_chosen is not None
    following = rest.last_chosen.model_copy(update={"order": rest.last_chosen.order + 1})
    known = (rest.kept_turns, rest.spared)
    clockwork = Clockwork(rest.run.header.plan, *known, virtual=False, discarded=rest.discarded)
    kept = sum(turn.procedure != again for turn in rest.run.turns)
    assert clockwork.words(following, 10.0).startswith((f"{kept} of at least ", f"{kept} trials"))


def test_rounds_that_a_phase_did_not_need_are_not_left(tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(TWO.replace("rounds_max = 6", "rounds_max = 9"), encoding="utf-8")
    measure(profile_request(["sim:fixed,seed=5"], tmp_path / "two.toml", size="64MiB"), tmp_path / "run")
    run = load_run(tmp_path / "run")
    plan, turns = run.header.plan, run.turns
    first_of_second = next(place for place, turn in enumerate(turns) if turn.procedure == "second")
    assert first_of_second < 1 + 2 * 9

    # One trial of the second procedure follows, although the plan may have more trials than were measured.
    left = remaining(plan, turns[:first_of_second], turns[first_of_second : first_of_second + 1])

    assert left.turns_ns == left.more_ns == 20_000_000 + OVERHEAD_NS
    clockwork = Clockwork(plan, turns, virtual=False)
    assert clockwork.total_ns == remaining(plan, (), turns).turns_ns


def test_a_finished_run_of_procedures_has_nothing_left_of_an_interrupted_attempt(tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(TWO, encoding="utf-8")
    request = profile_request([str(tmp_path)], tmp_path / "two.toml", size="64MiB")
    with pytest.raises(KeyboardInterrupt):
        measure(request, tmp_path / "run", InterruptingIn("rounds", within=True))
    go_on(tmp_path, rest_of(tmp_path / "run"))
    rest = rest_of(tmp_path / "run")
    assert rest.is_done
    assert rest_line(rest).startswith("all ")


def test_failed_trials_of_a_procedure_are_not_repeated_one_by_one(tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(TWO, encoding="utf-8")
    measure(profile_request([str(tmp_path)], tmp_path / "two.toml", size="64MiB"), tmp_path / "run")
    with pytest.raises(UsageError, match="--failed does not apply to standard procedures"):
        rest_of(tmp_path / "run", failed_again=True)


def test_a_run_that_was_interrupted_between_two_procedures_begins_none_again(tmp_path: Path) -> None:
    (tmp_path / "two.toml").write_text(TWO.replace("rounds_max = 6", "rounds_max = 3"), encoding="utf-8")
    with pytest.raises(KeyboardInterrupt):
        # One fill, and three rounds of two trials.
        measure(
            profile_request([str(tmp_path)], tmp_path / "two.toml", size="64MiB"),
            tmp_path / "run",
            Interrupting(7),
        )
    rest = rest_of(tmp_path / "run")
    assert rest.begins_again is None
    assert "begins again" not in rest_line(rest)


def test_a_run_that_has_ended_has_nothing_left(tmp_path: Path) -> None:
    run_short(tmp_path, tmp_path / "run")
    rest = rest_of(tmp_path / "run")
    assert (rest.is_done, rest.turns, rest.replayed) == (True, (), ())
    assert rest.spent_ns == cost_of(rest)
    assert rest_line(rest) == "all 8 trials are complete; regenerating the report"


def test_what_is_told_names_the_budget_that_is_spent_and_what_is_replayed(tmp_path: Path) -> None:
    rest = broken_off(ADAPTIVE, tmp_path, 12, within=True)
    spent, left = rest.budget_spent_ns / SECOND_NS, rest.left_ns / SECOND_NS
    assert rest_line(rest) == (
        f"{len(rest.turns)} of {len(rest.run.turns)} trials remain (more may be added), at most {left:.1f} s left, "
        f"{spent:.1f} s of the budget of 15.0 s used; this is virtual time (real time is much "
        "shorter); the 12 completed trials are replayed first"
    )


@pytest.mark.parametrize("text", [ADAPTIVE, FIXED])
@pytest.mark.parametrize("number", [3, 9])
def test_the_progress_begins_with_what_was_told(text: str, number: int, tmp_path: Path) -> None:
    rest = broken_off(text, tmp_path, number, within=True)
    plan = rest.run.header.plan
    # As for a real target, which has no virtual time.
    clockwork = Clockwork(plan, rest.turns, rest.done, virtual=False)
    assert clockwork.total_ns == rest.left_ns
    first = rest.turns[0] if rest.turns else plan.turns[0]
    assert clockwork.left_ns(first, 100.0) == rest.left_ns


def test_what_moves_an_amount_takes_nothing_of_a_budget_and_comes_on_top(tmp_path: Path) -> None:
    text = ADAPTIVE + '[[experiment]]\nname="b"\npattern="random"\nread=100\nblock_size="1MiB"\nqueue_depth=1\n'
    rest = broken_off(text + 'amount = "3GB"\n', tmp_path, 5, within=True)
    each_ns = rest.run.header.plan.cells[-1].timing.amount_bytes or 0
    assert cost_of(rest) >= 15 * SECOND_NS + each_ns
    rate = assumed_bytes_per_s([rest.run.header.target.simulation])
    plan = rest.run.header.plan
    assert remaining(plan, (), plan.turns, rate).total_ns == cost_of(rest, rate)
    assert rest.left_ns + rest.spent_ns == cost_of(rest, rate)


def test_a_plan_of_amounts_is_told_at_the_rate_of_the_model(tmp_path: Path) -> None:
    rest = broken_off(AMOUNT, tmp_path, 2, within=True)
    rate = assumed_bytes_per_s([rest.run.header.target.simulation])
    assert rate != ASSUMED_WRITE_BYTES_PER_S
    assert rest.left_ns + rest.spent_ns == cost_of(rest, rate)
    assert rest.left_ns == 2 * rest.spent_ns
