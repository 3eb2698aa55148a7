"""The table of the run order: each trial with its seed and its outcome."""

from collections.abc import Sequence
from typing import Final

from iosonde.analysis.experiments import RunEstimates
from iosonde.records import CellRecord, CellTurn, Outcome, RunRecord
from iosonde.report.blocks import Listing
from iosonde.report.states import discard_reason_text
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.report.titles import PLAN
from iosonde.vocabulary import DiscardReason

_HEADS: Final = (
    Head("Order"),
    Head("Cell", number=False),
    Head("Repeat"),
    Head("Seed"),
    Head("Outcome", number=False),
)
_PHASE: Final = Head("Phase", number=False)
_NAMED_BY: Final = 1


def plan_listing(rows: Sequence[tuple[str, ...]]) -> Listing:
    """The table of the trials, whose rows are those of ``measurements``. Its heading has their number."""
    has_phases = bool(rows) and len(rows[0]) > len(_HEADS)
    table = ResultTable(
        caption="All trials in run order, with their seeds.",
        heads=(*_HEADS[:-1], _PHASE, _HEADS[-1]) if has_phases else _HEADS,
        lines=tuple(map(Line, rows)),
        notes=(),
        named_by=_NAMED_BY,
    )
    return Listing(PLAN, f"{len(rows)} trials with their seeds", table)


def measurements(run: RunRecord, estimates: RunEstimates) -> tuple[tuple[str, ...], ...]:
    """A row for each planned trial with its outcome, in run order. Without a planned order, the recorded trials.

    For a repeat that is not used, the outcome includes the reason. In a run of standard procedures, the phase and
    the round stand before the outcome.
    """
    fates = {(cell.cell, order): fate for cell in estimates.cells for order, fate in cell.repeats.fates.items()}
    ended = {
        (record.cell, record.repeat): _ending(record, fates.get((record.cell, record.order))) for record in run.cells
    }
    turns: Sequence[CellTurn | CellRecord] = run.turns or run.cells
    procedures = run.header.plan.procedures
    return tuple(
        (
            str(each.order),
            each.cell,
            str(each.repeat),
            str(each.seed),
            *((_phase_text(each, several=len(procedures) > 1),) if procedures and isinstance(each, CellTurn) else ()),
            ended.get((each.cell, each.repeat), "not measured"),
        )
        for each in sorted(turns, key=lambda each: each.order)
    )


def _ending(record: CellRecord, fate: DiscardReason | None) -> str:
    if fate is DiscardReason.USED and record.is_silent:
        return "no completions, used"
    if fate is None or record.outcome is not Outcome.FINISHED:
        return str(record.outcome)
    return f"{record.outcome}, {discard_reason_text(fate)}"


def _phase_text(turn: CellTurn, *, several: bool) -> str:
    """The phase and the round of a trial, with its procedure if there are several, and with a second attempt."""
    name = f"{turn.procedure}, {turn.phase}" if several else f"{turn.phase}"
    attempt = f", attempt {turn.attempt}" if turn.attempt > 1 else ""
    return f"{name}, round {turn.round}{attempt}"
