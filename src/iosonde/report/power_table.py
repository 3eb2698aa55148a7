"""The table of electric power: the mean power of each source while a cell was measured, and IOPS per watt."""

from collections.abc import Sequence
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.missing_reasons import NO_POWER
from iosonde.analysis.power import PowerEstimate
from iosonde.charts.quantities import with_interval
from iosonde.records import PowerSource
from iosonde.report.dashes import Dash
from iosonde.report.tables import Head, Line, ResultTable

CAPTION: Final = "Mean power over the measurement time, and the operations per second of all classes for each watt."

POWER_HEADS: Final = {
    PowerSource.DRIVE: "Drive power",
    PowerSource.CPU: "CPU power",
    PowerSource.COMMAND: "Command power",
}
POWER_NOTES: Final = {
    PowerSource.DRIVE: "Drive power is that of the drives below the targets, by their own sensors.",
    PowerSource.CPU: (
        "CPU power is that of the CPU packages of the host (RAPL), for everything that runs on it. It is not that of "
        "the drive."
    ),
    PowerSource.COMMAND: "Command power is what the command of --power-command measures.",
}


def power_table(cells: Sequence[CellEstimate]) -> ResultTable | None:
    """A row for each cell with a sampled power, and columns for each source; None if there is none."""
    shown = [cell for cell in cells if cell.power]
    sources = [source for source in PowerSource if any(_of(cell, source) is not None for cell in shown)]
    if not shown:
        return None
    heads = [Head("Cell", number=False)]
    for source in sources:
        heads += [Head(POWER_HEADS[source], "W"), Head(POWER_HEADS[source], "IOPS per W")]
        heads.append(Head(POWER_HEADS[source], "samples"))
    lines = [Line((cell.cell, *(text for source in sources for text in _texts(_of(cell, source))))) for cell in shown]
    notes = tuple(POWER_NOTES[source] for source in sources)
    return ResultTable(caption=CAPTION, heads=tuple(heads), lines=tuple(lines), notes=notes)


def _of(cell: CellEstimate, source: PowerSource) -> PowerEstimate | None:
    return next((each for each in cell.power if each.source is source), None)


def _texts(power: PowerEstimate | None) -> tuple[str, str, str]:
    if power is None:
        return (Dash(NO_POWER), Dash(NO_POWER), Dash(NO_POWER))
    efficiency = Dash(NO_POWER) if power.iops_per_w is None else with_interval(power.iops_per_w)
    return (with_interval(power.power_w), efficiency, f"{power.samples:,}")
