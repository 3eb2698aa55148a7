"""Makes a cell's record from the engine's events. Totals are the sums of its intervals."""

from collections.abc import Sequence
from typing import Any, Final

from pydantic import ValidationError

from iosonde.analysis.totals import sums_of
from iosonde.errors import HINT_ONE_BUILD, EngineError
from iosonde.records import (
    CellPlan,
    CellRecord,
    CellTurn,
    Engine,
    IntervalRecord,
    SourceKind,
    check_histograms,
)
from iosonde.records.base import first_error

_ALWAYS_GIVEN: Final = ("censored", "clock_start", "clock_end", "engine")


def assemble_cell(
    cell: CellPlan, turn: CellTurn, intervals: Sequence[IntervalRecord], result: dict[str, Any]
) -> CellRecord:
    """The record of one measurement. Raises EngineError if the engine's result does not fit the record."""
    facts = {
        **result,
        "cell": cell.cell,
        "experiments": cell.experiments,
        "repeat": turn.repeat,
        "order": turn.order,
        "round": turn.round,
        "phase": turn.phase,
        "seed": turn.seed,
        "workload": cell.workload,
        "timing": cell.timing,
        **sums_of(intervals),
        "intervals": tuple(intervals),
    }
    # Other sources may lack these fields; the engine always sends them. Simulated drives have states and no CPU time.
    engine = facts.get("engine")
    is_simulated = False
    if isinstance(engine, dict):
        is_simulated = engine.get("engine") == Engine.SIMULATION
        facts["engine"] = {**engine, "source": SourceKind.IOSONDE}
    given = (*_ALWAYS_GIVEN, "drives" if is_simulated else "cpu")
    lacking = [name for name in given if facts.get(name) is None]
    if lacking:
        raise _unfit(f"{lacking[0]} is missing")
    try:
        record = CellRecord.model_validate(facts)
        check_histograms(record)
    except ValidationError as error:
        raise _unfit(first_error(error)) from error
    except ValueError as error:
        raise _unfit(str(error)) from error
    return record


def _unfit(what: str) -> EngineError:
    return EngineError(f"the engine's result is invalid: {what}", HINT_ONE_BUILD)
