"""Runs with sampled power."""

from collections.abc import Sequence

from iosonde.records import CellRecord, Experiment, Power, PowerSource, RunRecord
from tests.builders import cell_plan, cell_record, run_record, totals_of, workload

PLAN = cell_plan(workload(), Experiment.MATRIX)
SENSORS = {PowerSource.DRIVE: ("nvme0n1",), PowerSource.CPU: ("package-0",), PowerSource.COMMAND: ()}


def power(source: PowerSource, watts: float, samples: int = 5) -> Power:
    """The power of a source."""
    return Power(source=source, sensors=SENSORS[source], power_uw=round(watts * 1e6), samples=samples)


def powered_repeat(repeat: int, *powers: Power, operations: int = 500) -> CellRecord:
    """A repeat of five seconds with so many reads."""
    operation = PLAN.workload.subject
    record = cell_record(PLAN, {operation: totals_of([1000] * operations)}, repeat=repeat)
    return record.model_copy(update={"power": powers})


def powered_run(sources: Sequence[PowerSource] = tuple(PowerSource)) -> RunRecord:
    """Two repeats of a cell, in which these sources have 8 W and 12 W."""
    records = [
        powered_repeat(number, *(power(source, watts) for source in sources))
        for number, watts in enumerate((8.0, 12.0), 1)
    ]
    return run_record([PLAN], records)
