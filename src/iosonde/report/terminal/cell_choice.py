"""Finds the cell of a run that the user named."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.cells import plan_of
from iosonde.analysis.states import Repeats, sort_repeats, sort_rounds
from iosonde.errors import UsageError
from iosonde.printing import printable
from iosonde.records import CellPlan, CellRecord, RunRecord

NAMES_SHOWN_MAX: Final = 4
# Cell names are similar to each other. A suggestion below this similarity does not help.
LIKENESS_MIN: Final = 0.3


@dataclass(frozen=True)
class ChosenCell:
    """A planned cell and its chosen records, ordered by repeat. ``repeat`` is None for all repeats.

    ``repeats`` has all repeats of the cell, used or discarded, also those that were not chosen.
    """

    plan: CellPlan
    records: tuple[CellRecord, ...]
    superseded: tuple[CellRecord, ...]
    repeat: int | None
    repeats: Repeats


def chosen_cell(run: RunRecord, words: str, repeat: int | None) -> ChosenCell:
    """The cell named ``words``, or the only one whose name contains it. Raises UsageError with similar names."""
    cells = {plan.cell: plan for plan in run.header.plan.cells}
    plans = {step.cell.cell: step.cell for step in run.header.plan.writes_first} | cells
    # A preconditioning step can have the name of a cell. The name then means the cell.
    measured = [*run.cells, *(record for record in run.preparation if record.cell not in cells)]
    for record in measured:
        plans.setdefault(record.cell, plan_of(record))
    plan = plans[_name(list(plans), words)]
    records = sorted((record for record in measured if record.cell == plan.cell), key=lambda record: record.repeat)
    superseded = tuple(record for record in run.superseded if record.cell == plan.cell)
    repeats = _sorted(run, records)
    if repeat is not None:
        records = _of_repeat(records, plan.cell, repeat)
        superseded = tuple(record for record in superseded if record.repeat == repeat)
    return ChosenCell(plan, tuple(records), superseded, repeat, repeats)


def _sorted(run: RunRecord, records: Sequence[CellRecord]) -> Repeats:
    if not run.header.plan.procedures:
        return sort_repeats(records)
    # Imported here: few runs have procedures, and it imports NumPy.
    from iosonde.analysis.procedures import window_orders

    return sort_rounds(records, window_orders(run))


def _name(names: Sequence[str], words: str) -> str:
    if words in names:
        return words
    lower = words.lower()
    holding = [name for name in names if lower in name.lower()]
    # Match whole words first: qd1 must not match qd16.
    for found in ([name for name in holding if f"-{lower}-" in f"-{name.lower()}-"], holding):
        if len(found) == 1:
            return found[0]
    shown = printable(words)
    if holding:
        raise UsageError(f"'{shown}' matches {len(holding)} cells", f"use a longer part of the name: {_some(holding)}")
    near = difflib.get_close_matches(lower, names, n=NAMES_SHOWN_MAX, cutoff=LIKENESS_MIN)
    hint = f"closest names: {_some(near)}" if near else f"cells of this run: {_some(names)}"
    raise UsageError(f"the run has no cell '{shown}'", hint)


def _of_repeat(records: Sequence[CellRecord], cell: str, repeat: int) -> list[CellRecord]:
    found = [record for record in records if record.repeat == repeat]
    if not found:
        known = ", ".join(str(record.repeat) for record in records)
        raise UsageError(
            f"{printable(cell)} has no repeat {repeat}",
            f"available repeats: {known}"
            if known
            else "the cell has no repeats yet; continue the run with `iosonde resume`",
        )
    return found


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(printable(name) for name in names[:NAMES_SHOWN_MAX])
    more = len(names) - NAMES_SHOWN_MAX
    return f"{shown} and {more} more" if more > 0 else shown
