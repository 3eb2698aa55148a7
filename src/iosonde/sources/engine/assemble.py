"""A cell's record from the engine's events: totals are its intervals added up, and nothing else."""

from collections.abc import Sequence
from typing import Any, Final

from pydantic import ValidationError

from iosonde.analysis.totals import sums_of
from iosonde.errors import EngineError
from iosonde.records import (
    CellPlan,
    CellRecord,
    CellTurn,
    Engine,
    IntervalRecord,
)

_ALWAYS_GIVEN: Final = ("censored", "clock_start", "clock_end", "engine")


def assemble_cell(
    cell: CellPlan, turn: CellTurn, intervals: Sequence[IntervalRecord], result: dict[str, Any]
) -> CellRecord:
    """The record of one measurement. Raises EngineError when the engine's words are not those of the record."""
    facts = {
        **result,
        "cell": cell.cell,
        "experiments": cell.experiments,
        "repeat": turn.repeat,
        "order": turn.order,
        "seed": turn.seed,
        "workload": cell.workload,
        "timing": cell.timing,
        **sums_of(intervals),
        "intervals": tuple(intervals),
    }
    # Other sources may not know these; our engine does. Virtual time costs no CPU, and its drives have states.
    engine = facts.get("engine")
    is_simulated = isinstance(engine, dict) and engine.get("engine") == Engine.SIMULATION
    given = (*_ALWAYS_GIVEN, "drives" if is_simulated else "cpu")
    lacking = [name for name in given if facts.get(name) is None]
    if lacking:
        raise _unfit(f"{lacking[0]} is missing")
    try:
        return CellRecord.model_validate(facts)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise _unfit(f"{place}: {first['msg']}") from error


def _unfit(what: str) -> EngineError:
    return EngineError(
        f"the engine's result does not fit the record: {what}",
        "front and engine must come from one build: install iosonde again",
    )
