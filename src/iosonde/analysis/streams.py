"""Splits cells with several streams into one cell per stream, so that no figure mixes two workloads."""

from collections.abc import Iterator, Sequence

from iosonde.records import CellPlan, CellRecord, CellTurn, RunRecord


def stream_cell(cell: str, stream: str) -> str:
    """The name of a stream in tables and charts: ``mixed/log``; the cell's own name if it is the only stream."""
    return f"{cell}/{stream}" if stream else cell


def by_stream(run: RunRecord) -> RunRecord:
    """The run with a cell for each stream; the run itself where no cell has several."""
    plan = run.header.plan
    several = {cell.cell: cell for cell in plan.cells if len(cell.streams) > 1}
    if not several:
        return run
    cells = tuple(each for cell in plan.cells for each in _cells_of(cell))
    parted = plan.model_copy(update={"cells": cells, "turns": tuple(_turns_of(plan.turns, several))})
    return run.model_copy(
        update={
            "header": run.header.model_copy(update={"plan": parted}),
            "cells": tuple(map(_named, run.cells)),
            "superseded": tuple(map(_named, run.superseded)),
            "turns_chosen": tuple(_turns_of(run.turns_chosen, several)),
        }
    )


def _cells_of(cell: CellPlan) -> Iterator[CellPlan]:
    for stream in cell.streams:
        alone = stream.model_copy(update={"name": ""})
        yield cell.model_copy(update={"cell": stream_cell(cell.cell, stream.name), "streams": (alone,)})


def _turns_of(turns: Sequence[CellTurn], several: dict[str, CellPlan]) -> Iterator[CellTurn]:
    for turn in turns:
        if turn.cell not in several:
            yield turn
            continue
        for stream in several[turn.cell].streams:
            yield turn.model_copy(update={"cell": stream_cell(turn.cell, stream.name)})


def _named(record: CellRecord) -> CellRecord:
    return record.model_copy(update={"cell": stream_cell(record.cell, record.stream)}) if record.stream else record
