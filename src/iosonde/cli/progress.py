"""The progress of a run: a bar on a terminal, plain lines elsewhere. All of it on stderr."""

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from iosonde.analysis.depth import DEPTH_SHARE_INVALID, depth_share
from iosonde.analysis.latency import leading
from iosonde.campaign import Observer
from iosonde.cli.messages import say
from iosonde.cli.signals import FileObserver
from iosonde.plans import LongestRest, remaining, timed, turn_cost_ns, turn_duration_ns
from iosonde.printing import printable, trials_text
from iosonde.records import (
    CellPlan,
    CellRecord,
    CellTurn,
    Engine,
    IdleStep,
    IntervalRecord,
    Operation,
    Outcome,
    Plan,
    Step,
)
from iosonde.report.preconditioning_words import assumption_of
from iosonde.units import SECOND_NS, format_bandwidth, format_duration, format_iops, format_latency, format_size

REPLAY_TOLD_S: Final = 10.0
# The planned time has this weight in the estimate of the actual speed.
USUAL_NS: Final = 5 * SECOND_NS


@contextmanager
def watching(
    plan: Plan,
    turns: Sequence[CellTurn] | None = None,
    done: Sequence[CellTurn] = (),
    *,
    virtual: bool,
    discarded: int = 0,
) -> Iterator[Observer]:
    """A bar if stderr is a terminal, else plain lines. ``turns`` are measured now, ``done`` were measured before.

    ``virtual`` means that planned time is the virtual time of simulated drives, which does not predict the real time.
    ``discarded`` trials of earlier sessions do not count.
    """
    left = plan.turns if turns is None else turns
    clockwork = Clockwork(plan, left, done, virtual=virtual, discarded=discarded)
    if sys.stderr.isatty():
        with _bar() as bar:
            yield BarObserver(plan, clockwork, bar)
    else:
        yield LineObserver(plan, clockwork)


def _bar() -> Any:  # noqa: ANN401 - Rich is imported only where it is used
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.text import Text

    class TwoLines(Progress):
        """The overall progress, and below it the running cell."""

        def get_renderables(self) -> Iterator[Any]:
            yield self.make_tasks_table(self.tasks)
            for task in self.tasks:
                yield Text(task.description, no_wrap=True, overflow="ellipsis")

    return TwoLines(
        BarColumn(bar_width=None),
        TaskProgressColumn(),
        TextColumn("{task.fields[far]}", markup=False),
        console=Console(stderr=True),
        transient=True,
    )


class Clockwork:
    """The time left of a plan: planned time of the remaining turns, corrected by the actual time of the others."""

    def __init__(
        self,
        plan: Plan,
        turns: Sequence[CellTurn],
        done: Sequence[CellTurn] = (),
        *,
        virtual: bool,
        discarded: int = 0,
    ) -> None:
        cells = {cell.cell: cell for cell in plan.cells}
        self._virtual = virtual
        self._discarded = discarded
        self._cells = cells
        self._plan = plan
        self._done_ns: dict[int, int] = {}
        self._started_s: float | None = None
        self._turns_ns = 0
        self._rest = LongestRest(plan, self._lasts_ns) if plan.aim is None else None
        # What may follow the known turns: by the stop rule, or the part of the budget that none of them uses.
        if self._rest is None:
            self._free_ns = remaining(plan, done, ()).more_ns
        else:
            self._rest.add(done)
            self._free_ns = self._rest.after_ns
        for turn in turns:
            self._add(turn)

    @property
    def total_ns(self) -> int:
        """Planned time of all turns; with an aim, the maximum."""
        return self._turns_ns + max(self._free_ns, 0)

    def done_ns(self, turn: CellTurn) -> int:
        """Planned time of all turns before this one, which may be an added turn."""
        if turn.order not in self._done_ns:
            self._add(turn)
        return self._done_ns[turn.order]

    def _add(self, turn: CellTurn) -> None:
        self._done_ns[turn.order] = self._turns_ns
        self._turns_ns += self._lasts_ns(turn)
        if self._rest is None:
            self._free_ns -= turn_cost_ns(self._cells[turn.cell], turn)
        else:
            self._rest.add((turn,))
            self._free_ns = self._rest.after_ns

    def _lasts_ns(self, turn: CellTurn) -> int:
        return turn_duration_ns(self._plan, timed(self._cells[turn.cell], turn))

    def left_ns(self, turn: CellTurn, now_s: float, *, over: bool = False) -> int | None:
        """Time from the start of this turn, or from its end, to the end of the run; None while unknown."""
        if self._started_s is None:
            self._started_s = now_s
        done = self.done_ns(turn)
        if not done and self._virtual:
            return None
        if over:
            done += self._lasts_ns(turn)
        if not done:
            return self.total_ns
        # A real run takes about the planned time; the first turns predict little, since they load modules.
        usual_ns = 0 if self._virtual else USUAL_NS
        pace = ((now_s - self._started_s) * SECOND_NS + usual_ns) / (done + usual_ns)
        return round((self.total_ns - done) * pace)

    def words(self, turn: CellTurn, now_s: float, *, over: bool = False) -> str:
        """The finished trials, their total, and the time left."""
        left_ns = self.left_ns(turn, now_s, over=over)
        most = "" if self._plan.is_fixed else "at most "
        left = "" if left_ns is None else f"{most}{format_duration(left_ns)} left"
        trials = (turn.order if over else turn.order - 1) - self._discarded
        return ", ".join(filter(None, [_done(self._plan, trials), left]))


def _done(plan: Plan, trials: int) -> str:
    """``11 of 177 trials``. For a plan that adds trials, the total is unknown."""
    return trials_text(trials, plan.trials_least, is_fixed=plan.is_fixed)


def live_figures(interval: IntervalRecord) -> str:
    """The running cell in brief: operations, rate and mean latency of its last interval."""
    totals = {each: of for each, of in interval.operations.items() if each is not Operation.COMMIT and of.count}
    count = sum(of.count for of in totals.values())
    duration_ns = interval.end_ns - interval.start_ns
    if not count or not duration_ns:
        return "nothing completed"
    mean_ns = sum(leading(of).latency_ns_sum for of in totals.values()) / sum(
        leading(of).count for of in totals.values()
    )
    rate = f"{format_iops(count * SECOND_NS / duration_ns)} IOPS, mean {format_latency(mean_ns)}"
    return f"{' + '.join(totals)} {rate} in the last {format_duration(duration_ns)}"


def outcome_words(record: CellRecord) -> str:
    """A finished cell in brief."""
    if record.is_silent and record.failure is not None:
        # It is a throughput of 0 unless nothing completes in any trial of the cell, which the end of the run tells.
        return record.failure.message
    if record.outcome is Outcome.FAILED:
        return f"FAILED: {record.failure.message if record.failure else 'no reason recorded'}"
    parts = [
        f"{operation} {format_iops(totals.count * SECOND_NS / record.measured_ns)} IOPS,"
        f" mean {format_latency(leading(totals).latency_ns_sum / totals.count)}"
        for operation, totals in record.operations.items()
        if record.measured_ns and totals.count
    ]
    if record.outcome is Outcome.CUT:
        return f"interrupted: {'; '.join(parts)}" if parts else "interrupted"
    return "; ".join([*parts, *_shallow(record)])


def _shallow(record: CellRecord) -> list[str]:
    """A warning for a queue depth that was not achieved, while the run can still be stopped and fixed."""
    share = depth_share(record.workload, record.queue_depth_kept)
    if share is None or share >= DEPTH_SHARE_INVALID or (record.own_engine and record.own_engine.engine is Engine.NULL):
        return []
    asked = record.workload.operations_in_flight
    return [f"ONLY {share * asked:.1f} OF {asked} IN FLIGHT (the results are not valid for queue depth {asked})"]


def _not_analysed(record: CellRecord, error: Exception) -> str:
    return (
        f"warning: repeat {record.repeat} of {record.cell} is saved, but its intervals could not be analysed "
        f"({type(error).__name__}: {error}). This is a bug in iosonde; please report it with an archive of the run"
    )


class LineObserver(FileObserver):
    """One line for each finished cell."""

    def __init__(self, plan: Plan, clockwork: Clockwork) -> None:
        self._plan = plan
        self._clockwork = clockwork
        self._running: CellTurn | None = None
        self._cell = ""
        self._replay_told_s = time.monotonic()

    def step_started(self, step: Step) -> None:
        """Announces a step before the measurements."""
        if isinstance(step, IdleStep):
            say(f"idle for {format_duration(step.duration_ns)}")
        else:
            amount = format_size(step.cell.timing.amount_bytes or 0)
            if step.cell.timing.done_bytes:
                amount = f"{amount} from {format_size(step.cell.timing.done_bytes)} on"
            assumed = assumption_of(step.cell.workload)
            say(f"preconditioning: writing {amount}{f' ({assumed})' if assumed else ''}")

    def replay_started(self, plan: CellPlan, turn: CellTurn) -> None:
        """A line from time to time: replaying a long run takes a while."""
        now_s = time.monotonic()
        if now_s - self._replay_told_s >= REPLAY_TOLD_S:
            self._replay_told_s = now_s
            say(f"[{_done(self._plan, turn.order - 1)}] {plan.cell}: replayed")

    def cell_started(self, plan: CellPlan, turn: CellTurn) -> None:
        """Stores the cell and its turn."""
        self._clockwork.left_ns(turn, time.monotonic())
        self._running, self._cell = turn, plan.cell

    def interval(self, interval: IntervalRecord) -> None:
        """Nothing: a log needs no intervals."""

    def verifying(self, target: int, read_bytes: int) -> None:
        """Nothing: a log needs no progress."""

    def cell_finished(self, record: CellRecord) -> None:
        """Prints the line."""
        if record.is_preparation and record.outcome is not Outcome.FINISHED:
            say("preconditioning did not complete")
        elif record.is_preparation:
            rate = record.operations[Operation.WRITE].bytes * SECOND_NS / record.measured_ns if record.operations else 0
            say(f"preconditioned at {format_bandwidth(rate)}")
        elif self._running is not None:
            far = self._clockwork.words(self._running, time.monotonic(), over=True)
            say(f"[{far}] {self._cell}: {outcome_words(record)}")

    def analysis_failed(self, record: CellRecord, error: Exception) -> None:
        """Prints a warning: the cell is kept, and this is a bug of iosonde."""
        say(_not_analysed(record, error))


class BarObserver(FileObserver):
    """A bar with the time left, and the running cell with its current results."""

    def __init__(
        self,
        plan: Plan,
        clockwork: Clockwork,
        bar: Any,  # noqa: ANN401 - Rich is imported only where it is used
    ) -> None:
        self._plan = plan
        self._bar = bar
        self._clockwork = clockwork
        self._task = bar.add_task("", total=1, far="")
        self._head = ""
        self._measures = False
        self._base = 0
        self._done = 0

    def step_started(self, step: Step) -> None:
        """The bar counts bytes during preconditioning."""
        self._measures = False
        self._base = 0
        self._done = 0
        if isinstance(step, IdleStep):
            self._head = f"idle for {format_duration(step.duration_ns)}"
            total = None
        else:
            self._head = "preconditioning"
            total = (step.cell.timing.amount_bytes or 0) * step.cell.workload.targets
            self._base = step.cell.timing.done_bytes * step.cell.workload.targets
        self._bar.update(self._task, total=total, completed=self._base, description=self._head, far="")

    def replay_started(self, plan: CellPlan, turn: CellTurn) -> None:
        """The bar counts turns during a replay."""
        self._bar.update(
            self._task,
            total=len(self._plan.turns),
            completed=turn.order,
            description=f"replayed: {printable(plan.cell)}",
            far=_done(self._plan, turn.order - 1),
        )

    def cell_started(self, plan: CellPlan, turn: CellTurn) -> None:
        """The bar counts planned time during the measurements."""
        self._measures = True
        self._head = printable(plan.cell)
        far = self._clockwork.words(turn, time.monotonic())
        self._base = self._clockwork.done_ns(turn)
        self._done = 0
        self._bar.update(
            self._task,
            total=self._clockwork.total_ns,
            completed=self._base,
            description=self._head,
            far=far,
        )

    def interval(self, interval: IntervalRecord) -> None:
        """Moves the bar and shows the current results."""
        if self._measures:
            self._done += interval.end_ns - interval.start_ns
        else:
            self._done += sum(totals.bytes for totals in interval.operations.values())
        self._bar.update(
            self._task, completed=self._base + self._done, description=f"{self._head}: {live_figures(interval)}"
        )

    def verifying(self, target: int, read_bytes: int) -> None:
        """Shows the progress of reading back."""
        read = f"read back {format_size(read_bytes)} of target {target + 1}"
        self._bar.update(self._task, description=f"{self._head}: {read}")

    def cell_finished(self, record: CellRecord) -> None:
        """Prints failures and queue depths that were not achieved above the bar."""
        if record.outcome is Outcome.FAILED or _shallow(record):
            self._print(f"{record.cell}: {outcome_words(record)}")

    def analysis_failed(self, record: CellRecord, error: Exception) -> None:
        """Prints a warning: the cell is kept, and this is a bug of iosonde."""
        self._print(_not_analysed(record, error))

    def _print(self, line: str) -> None:
        self._bar.console.print(printable(line), markup=False, highlight=False)
