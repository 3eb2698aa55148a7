"""Writes synthetic runs to run directories, as a real run does."""

from collections.abc import Sequence
from pathlib import Path

from iosonde.records import RunRecord, Session, SessionEnd
from iosonde.store import RunDirectory


def write_run(run: RunRecord, path: Path, *, finished: bool = True, sessions: Sequence[Session] = ()) -> Path:
    """Writes the run directory, with ``sessions`` after half of the cells. Run orders start at 1, as in real runs."""
    run = _from_one(run)
    with RunDirectory.create(path).start_journal(run.header) as journal:
        for start in run.procedure_starts:
            journal.procedure(start)
        for turn in run.turns_chosen:
            journal.turn(turn)
        half = len(run.cells) // 2 if sessions else 0
        for index, cell in enumerate(run.cells):
            if index == half:
                for session in sessions:
                    journal.session(session)
            for interval in cell.intervals:
                journal.interval(cell.order, interval, 0.0)
            journal.cell(cell)
        if finished:
            journal.end(SessionEnd(finished=True))
    return path


def _from_one(run: RunRecord) -> RunRecord:
    cells = tuple(cell.model_copy(update={"order": cell.order + 1}) for cell in run.cells)
    turns = tuple(turn.model_copy(update={"order": turn.order + 1}) for turn in run.header.plan.turns)
    chosen = tuple(turn.model_copy(update={"order": turn.order + 1}) for turn in run.turns_chosen)
    plan = run.header.plan.model_copy(update={"turns": turns})
    header = run.header.model_copy(update={"plan": plan})
    return run.model_copy(update={"cells": cells, "header": header, "turns_chosen": chosen})
