"""A cell's record from the engine's events: totals are its intervals added up, and nothing else."""

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from iosonde.analysis.totals import merge_totals
from iosonde.errors import EngineError
from iosonde.records import (
    CellPlan,
    CellRecord,
    CellTurn,
    IntervalRecord,
    Operation,
    OperationTotals,
    Phase,
)


def assemble_cell(
    cell: CellPlan, turn: CellTurn, intervals: Sequence[IntervalRecord], result: dict[str, Any]
) -> CellRecord:
    """The record of one measurement. Raises EngineError when the engine's words are not those of the record."""
    measured = [interval for interval in intervals if interval.phase is Phase.MEASURE]
    warmup = [interval for interval in intervals if interval.phase is Phase.WARMUP]
    facts = {
        **result,
        "cell": cell.cell,
        "experiments": cell.experiments,
        "repeat": turn.repeat,
        "order": turn.order,
        "seed": turn.seed,
        "workload": cell.workload,
        "timing": cell.timing,
        "in_flight_ns": sum(interval.in_flight_ns for interval in measured),
        "operations": add_operations(measured),
        "warmup": add_operations(warmup),
        "intervals": tuple(intervals),
    }
    try:
        return CellRecord.model_validate(facts)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise EngineError(
            f"the engine's result does not fit the record: {place}: {first['msg']}",
            "front and engine must come from one build: install iosonde again",
        ) from error


def add_operations(intervals: Sequence[IntervalRecord]) -> dict[Operation, OperationTotals]:
    """The operations of several intervals, added up by class; a class that completed nothing is left out."""
    classes = sorted({operation for interval in intervals for operation in interval.operations})
    merged = {
        operation: merge_totals([each.operations[operation] for each in intervals if operation in each.operations])
        for operation in classes
    }
    return {operation: totals for operation, totals in merged.items() if totals is not None}
