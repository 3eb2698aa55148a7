"""The list of runs, one line each."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from iosonde.analysis.run import RunAnalysis
from iosonde.charts.quantities import NO_VALUE
from iosonde.findings import Case, find
from iosonde.findings.finding import invalid_by
from iosonde.printing import encodable, printable, trials_text
from iosonde.records import LONG_ROLES, Access, CellPlan, CellRecord, Plan, RunHeader, RunRecord, Sync, TargetFacts
from iosonde.report.terminal.table_width import Fitted, FittedTable, Shorter
from iosonde.report.validity import MARK, see
from iosonde.store import CellGlance, Glance
from iosonde.units import format_duration, format_iops, format_latency
from iosonde.vocabulary import ListOrder, PhaseRole

SMALL_BLOCK_BYTES: Final = 4096
# A shorter part of a path or a model is useless.
SHRUNK_MIN: Final = 18
# The user needs the path for the next command, so other columns are omitted before it is cut.
PATH_MIN: Final = 30


_BETWEEN_COUNTS: Final = re.compile(" of (?:at least )?")


class RunState(StrEnum):
    """The state of a run in the list."""

    FINISHED = "finished"
    RUNNING = "running"
    UNFINISHED = "unfinished"
    NEWER = "newer"
    DAMAGED = "damaged"
    UNREADABLE = "unreadable"


@dataclass(frozen=True)
class ListedRun:
    """The facts about one run directory in the list. Unknown fields are None or empty.

    ``measured`` of ``planned`` trials have results; with ``planned_is_least`` there may be more of them.
    ``targets`` are the paths that the user named: the folder, if iosonde created a file in it. ``iops`` and
    ``latency_ns_mean`` are those of ``best_cell``: the 4 KiB random-read cell with the highest IOPS or, if there is
    none, the cell with the highest IOPS. ``invalid_by`` are the findings that make them invalid. ``reason`` says why
    the run is damaged, unreadable or newer than this iosonde.
    """

    path: str
    state: RunState
    reason: str = ""
    run: str = ""
    label: str = ""
    started_at: str = ""
    targets: tuple[str, ...] = ()
    device_models: tuple[str, ...] = ()
    profile: str = ""
    quick: bool = False
    simulated: bool = False
    measured: int | None = None
    planned: int | None = None
    planned_is_least: bool = False
    best_cell: str = ""
    best_is_small_read: bool = False
    iops: float | None = None
    latency_ns_mean: float | None = None
    duration_ns: int | None = None
    invalid_by: tuple[str, ...] = ()


_KEYS: Final[dict[ListOrder, Callable[[ListedRun], tuple[bool, float | str]]]] = {
    ListOrder.STARTED: lambda run: (not run.started_at, -_seconds(run.started_at)),
    ListOrder.IOPS: lambda run: (run.iops is None, -(run.iops or 0)),
    ListOrder.LATENCY: lambda run: (run.latency_ns_mean is None, run.latency_ns_mean or 0),
    ListOrder.DURATION: lambda run: (run.duration_ns is None, -(run.duration_ns or 0)),
    ListOrder.PATH: lambda _: (False, ""),
}


def headline_cells(plan: Plan) -> Collection[CellPlan]:
    """The cells whose figures the list needs: pure 4 KiB random reads, or all cells if there are none.

    Those of procedures are measured in their active range and with their setting of the write cache. What only
    preconditions is no result, and neither is the mean of a long trial.
    """
    if plan.procedures:
        cells = _reported_by_procedures(plan)
        return [cell for cell in cells if _is_small_read(cell, as_usual=False)] or cells
    return [cell for cell in plan.cells if _is_small_read(cell)] or plan.cells


def _reported_by_procedures(plan: Plan) -> Collection[CellPlan]:
    phases = [each for procedure in plan.procedures for each in procedure.phases]
    left_out = (PhaseRole.PRECONDITIONING, *LONG_ROLES)
    names = {cell for each in phases if each.role not in left_out for cell in each.every_cell}
    return [cell for cell in plan.cells if cell.cell in names]


def listed_run(path: Path, glance: Glance) -> ListedRun:
    """The line of a readable run."""
    header = glance.header
    best = max(glance.cells, key=lambda cell: cell.iops, default=None)
    return ListedRun(
        path=encodable(str(path)),
        state=_state(glance),
        reason=glance.damage or "",
        run=header.run,
        label=header.label,
        started_at=header.created_at,
        targets=tuple(_target(target) for target in header.targets),
        device_models=_models(header),
        profile=header.plan.profile,
        quick=header.plan.quick,
        simulated=header.is_simulated,
        measured=glance.measured,
        planned=glance.planned,
        planned_is_least=not glance.finished and not header.plan.is_fixed,
        best_cell=best.cell if best else "",
        best_is_small_read=best is not None and _names_small_read(header.plan, best),
        iops=best.iops if best else None,
        latency_ns_mean=best.latency_ns_mean if best else None,
        duration_ns=glance.duration_ns,
        invalid_by=() if best is None else _invalid_by(glance, best),
    )


def _invalid_by(glance: Glance, best: CellGlance) -> tuple[str, ...]:
    """The findings that make the shown cell invalid, evaluated only on the records of this cell."""
    header = glance.header
    cells = tuple(plan for plan in header.plan.cells if plan.cell == best.cell)
    # The records of procedures are already those that their reports use, so the rules need not choose among rounds.
    stop = Plan.model_fields["stop"].default if header.plan.procedures else header.plan.stop
    plan = header.plan.model_copy(update={"cells": cells, "turns": (), "stop": stop})
    records = tuple(CellRecord.model_validate_json(each) for each in best.records)
    run = RunRecord(header=header.model_copy(update={"plan": plan}), cells=records, finished=glance.finished)
    return invalid_by(find(Case.of(RunAnalysis(run)), in_rounds=bool(header.plan.procedures)), best.cell)


def in_order(runs: Sequence[ListedRun], order: ListOrder) -> list[ListedRun]:
    """The sorted runs. Runs without a value come last; runs with equal values are sorted by path."""
    return sorted(sorted(runs, key=lambda run: run.path), key=_KEYS[order])


def render_runs(runs: Sequence[ListedRun]) -> RenderableType:
    """A line for each run, then a sentence for each run that is invalid, damaged or unreadable."""

    def texts(text: Callable[[ListedRun], str]) -> list[str]:
        return [printable(text(run)) for run in runs]

    moments, states = texts(lambda run: _local_time(run.started_at)), texts(_state_text)
    dates = [moment.split(" ")[0] for moment in moments]
    brief_states = [_BETWEEN_COUNTS.sub("/", state).replace(" trials", "") for state in states]
    styles = [_STYLES[run.state] for run in runs]
    columns = (
        Fitted("Run", texts(lambda run: run.run or NO_VALUE), worth=2),
        *(
            (Fitted("Label", texts(lambda run: run.label or NO_VALUE), worth=7, shrinks="end", least=SHRUNK_MIN),)
            if any(run.label for run in runs)
            else ()
        ),
        Fitted("Started", moments, worth=8, shorter=[Shorter(dates, 6.5)]),
        Fitted(
            "Target", texts(lambda run: ", ".join(run.targets) or NO_VALUE), worth=9, shrinks="apart", least=SHRUNK_MIN
        ),
        Fitted(
            "Device",
            texts(lambda run: ", ".join(run.device_models) or NO_VALUE),
            worth=3,
            shrinks="end",
            least=SHRUNK_MIN,
        ),
        Fitted("Profile", texts(lambda run: run.profile or NO_VALUE), worth=4, shrinks="end", least=SHRUNK_MIN),
        Fitted("State", states, styles=styles, shorter=[Shorter(brief_states, 6.5)]),
        Fitted("IOPS", texts(_iops), number=True, styles=["strike red" if run.invalid_by else "" for run in runs]),
        Fitted("Latency", texts(_latency), worth=7, number=True),
        Fitted("Workload", texts(_what), worth=1, shrinks="end", least=SHRUNK_MIN),
        Fitted("Duration", texts(_duration), worth=5, number=True),
        Fitted("Path", texts(lambda run: run.path), shrinks="apart", least=PATH_MIN),
    )
    parts: list[RenderableType] = [FittedTable(columns)]
    if any(run.best_is_small_read for run in runs):
        parts.append(
            Text(
                "IOPS: highest of the 4 KiB random-read cells, or of all cells if a run has none; "
                "latency: mean of that cell.",
                "dim",
            )
        )
    parts.extend(
        Text.assemble((f"{MARK} ", "bold red"), printable(f"{run.path}: {see(run.invalid_by)} ({run.best_cell})"))
        for run in runs
        if run.invalid_by
    )
    parts.extend(
        Text.assemble((f"{run.state} ", _STYLES[run.state]), printable(f"{run.path}: {run.reason}"))
        for run in runs
        if run.reason
    )
    return Group(*parts)


_STYLES: Final = {
    RunState.FINISHED: "green",
    RunState.RUNNING: "cyan",
    RunState.UNFINISHED: "yellow",
    RunState.NEWER: "yellow",
    RunState.DAMAGED: "bold red",
    RunState.UNREADABLE: "bold red",
}


def _state(glance: Glance) -> RunState:
    if glance.damage:
        return RunState.DAMAGED
    if glance.finished:
        return RunState.FINISHED
    return RunState.RUNNING if glance.running else RunState.UNFINISHED


def _state_text(run: ListedRun) -> str:
    words = [str(run.state)]
    if run.measured is not None and run.state is not RunState.FINISHED:
        words.append(trials_text(run.measured, run.planned or 0, is_fixed=not run.planned_is_least))
    elif run.measured is not None and run.planned is not None and run.measured < run.planned:
        words.append(f"({run.planned - run.measured} of {run.planned} failed)")
    marks = ((run.quick, "quick"), (run.simulated, "simulated"), (bool(run.invalid_by), MARK))
    return ", ".join([" ".join(words), *(word for holds, word in marks if holds)])


def _iops(run: ListedRun) -> str:
    return NO_VALUE if run.iops is None else format_iops(run.iops)


def _what(run: ListedRun) -> str:
    return "4 KiB random read" if run.best_is_small_read else run.best_cell or NO_VALUE


def _latency(run: ListedRun) -> str:
    return NO_VALUE if run.latency_ns_mean is None else format_latency(run.latency_ns_mean)


def _duration(run: ListedRun) -> str:
    return NO_VALUE if run.duration_ns is None else format_duration(run.duration_ns)


def _local_time(text: str) -> str:
    """A timestamp in local time."""
    try:
        return datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return text or NO_VALUE


def _seconds(text: str) -> float:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return 0.0
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def _target(target: TargetFacts) -> str:
    """The path that the user named: the folder, if iosonde created a file in it."""
    return str(Path(target.path).parent) if target.created and target.path else target.path or target.kind


def _models(header: RunHeader) -> tuple[str, ...]:
    devices = [target.device for target in header.targets if target.device is not None]
    drives = [target.simulation for target in header.targets if target.simulation is not None]
    names = (*(device.model or device.name for device in devices), *(f"simulated {drive.title}" for drive in drives))
    return tuple(dict.fromkeys(names))


def _is_small_read(cell: CellPlan, *, as_usual: bool = True) -> bool:
    asked = cell.workload
    return (
        asked.pattern is Access.RANDOM
        and asked.block_size_bytes == SMALL_BLOCK_BYTES
        and not asked.writes
        and asked.sync is Sync.NONE
        and (asked.is_usual or not as_usual)
    )


def _names_small_read(plan: Plan, best: CellGlance) -> bool:
    as_usual = not plan.procedures
    return any(cell.cell == best.cell and _is_small_read(cell, as_usual=as_usual) for cell in plan.cells)
