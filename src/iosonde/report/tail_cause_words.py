"""The share of the slowest operations that the host or the device delayed, in words and as a table."""

from collections.abc import Sequence
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.tail_causes import Cause, TailCauses, tail_causes
from iosonde.charts.quantities import cell_depth_label, load_label, more_in_table, operations_label
from iosonde.report.dashes import Dash
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.units import format_latency, format_percent

TOLD_MAX: Final = 4
"""The most cells with a sentence. The table has all of them."""

NO_COUNTERS: Final = "the counters of the host were not recorded"
SIMULATED: Final = "the drive is simulated, and no host takes part"


def tail_cause_sentences(cells: Sequence[CellEstimate]) -> list[str]:
    """For each cell on a real target, how many of its slowest operations the host or the device delayed."""
    found = [(cell, causes) for cell, causes in _found(cells) if not causes.simulated]
    rest = more_in_table(len(found) - TOLD_MAX, "cell", "cells")
    return [*(_sentence(cell, causes) for cell, causes in found[:TOLD_MAX]), *rest]


def _found(cells: Sequence[CellEstimate]) -> list[tuple[CellEstimate, TailCauses]]:
    return [(cell, causes) for cell in cells if (causes := tail_causes(cell.repeats.used)) is not None]


def _sentence(cell: CellEstimate, causes: TailCauses) -> str:
    load = load_label(cell.workload) if cell.workload.is_open_loop else cell_depth_label(cell)
    slowest = f"the {causes.slowest:,} slowest {operations_label(cell.workload)} at {load}"
    if causes.run_delay_ns_max is None:
        return f"It is unknown whether the host or the device delayed {slowest}: {NO_COUNTERS}."
    host, device, unknown = (format_percent(causes.share(cause)) for cause in (Cause.HOST, Cause.DEVICE, Cause.UNKNOWN))
    return (
        f"Of {slowest}, {host} were delayed by the host and {device} by the device; for {unknown}, it is "
        f"unknown. The longest wait for a CPU around one of them was {_wait(causes.run_delay_ns_max)}."
    )


def _wait(run_delay_ns: int) -> str:
    return format_latency(run_delay_ns) if run_delay_ns else "0"


def tail_cause_table(cells: Sequence[CellEstimate]) -> ResultTable | None:
    """The shares of the causes for each cell; None if no slow operations were recorded."""
    found = _found(cells)
    if not found:
        return None
    return ResultTable(
        caption="Causes of the slowest operations, at most 64 per repeat. Host: the host explains at least half of "
        "their delay over the median. Device: the host cannot explain half of it.",
        heads=(
            Head("Cell", number=False),
            Head("Slowest"),
            *(Head(str(cause).capitalize(), "%") for cause in Cause),
            Head("Wait for CPU", "max"),
            Head("Involuntary switches", "max"),
        ),
        lines=tuple(_line(cell, causes) for cell, causes in found),
        notes=(),
    )


def _line(cell: CellEstimate, causes: TailCauses) -> Line:
    shares = (f"{100 * causes.share(cause):.0f}" for cause in Cause)
    why = SIMULATED if causes.simulated else NO_COUNTERS
    delay_ns, switches = causes.run_delay_ns_max, causes.switches_involuntary_max
    return Line(
        (
            cell.cell,
            f"{causes.slowest:,}",
            *shares,
            Dash(why) if delay_ns is None else _wait(delay_ns),
            Dash(why) if switches is None else f"{switches:,}",
        )
    )
