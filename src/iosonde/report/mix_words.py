"""Interference between the reads and the writes of mixes, in words and as a table."""

from collections.abc import Callable, Sequence
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.contrasts import Multiple
from iosonde.analysis.interference import (
    DirectionInMix,
    Interference,
    interference_of,
    is_mix,
    reads_of_writes,
)
from iosonde.charts.quantities import cell_depth_label, plural
from iosonde.charts.ratio_texts import multiple_text, ratio_ends, times_text
from iosonde.report.dashes import Dash
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.units import format_percent

NOT_EVALUATED: Final = (
    "Interference was not evaluated: this requires the same workload with 100 % reads and with 0 % reads."
)
TOLD_MAX: Final = 3
"""The most mixes whose reads are compared with their writes in a sentence."""

NO_PERCENTILE: Final = "the mix or the pure workload has too few samples"
SINGLE_REPEAT: Final = "at least one of the cells has a single repeat"


def interference_sentences(mixes: Sequence[CellEstimate], cells: Sequence[CellEstimate]) -> list[str]:
    """The largest effects of mixing, or why they are unknown; nothing without a mix."""
    if not any(is_mix(cell) for cell in mixes):
        return []
    found = interference_of(mixes, cells)
    within = within_mix_sentences(mixes)
    if not found:
        return [*within, NOT_EVALUATED]
    slowest = [
        sentence
        for of in (lambda each: each.reads, lambda each: each.writes)
        if (sentence := _tail(found, of)) is not None
    ]
    return [*within, *slowest, _excess(found)]


def within_mix_sentences(mixes: Sequence[CellEstimate]) -> list[str]:
    """The mean latency of reads compared with that of writes, within each of a few mixes or in the extreme ones."""
    known = [(cell, multiple) for cell in mixes if (multiple := reads_of_writes(cell)) is not None]
    if not known:
        return []
    among = [cell for cell, _ in known]
    between = ""
    if len(known) > TOLD_MAX:
        least, *_, most = sorted(known, key=lambda each: each[1].value)
        known, between = [least, most], f"between these values in the other {len(known) - 2} mixes"
    told = [
        f"{times_text(multiple)} as long in the mix with {_mix_name(cell, among)}{_interval(multiple)}"
        for cell, multiple in known
    ]
    return [f"Compared with the writes of the same mix, reads take {', '.join(filter(None, [*told, between]))}."]


def _tail(found: Sequence[Interference], of: Callable[[Interference], DirectionInMix]) -> str | None:
    """The mix in which p99 of one direction changes most, compared with its pure workload."""
    known = [(each, tail) for each in found if (tail := of(each).latency_p99) is not None]
    if not known:
        return None
    worst, tail = max(known, key=lambda pair: pair[1].value)
    name = plural(of(worst).operation)
    if not _is_significant(tail):
        return f"No mix raises p99 of {name} significantly above that of pure {name}."
    if tail.value < 1 and tail.ratio is None:
        return (
            f"p99 of {name} is highest in the mix with {_named(worst, found)}: {times_text(tail)} that of pure {name} "
            "(no confidence interval)."
        )
    if tail.value < 1:
        highest = f"at most {times_text(tail)} that, in the mix with {_named(worst, found)}{_interval(tail)}"
        return f"p99 of {name} is below that of pure {name} in every mix: {highest}."
    return (
        f"Compared with pure {name}, p99 of {name} rises most in the mix with {_named(worst, found)}: "
        f"{times_text(tail)}{_interval(tail)}."
    )


def _excess(found: Sequence[Interference]) -> str:
    """The mix whose mean latency is furthest above the weighted mean of the pure workloads."""
    worst = max(found, key=lambda each: each.latency_of_weighted.value)
    multiple = worst.latency_of_weighted
    basis = "the weighted mean of pure reads and pure writes"
    if multiple.ratio is None:
        change = format_percent(multiple.value - 1, signed=True)
        return (
            f"Mean latency of the mix with {_named(worst, found)} differs from {basis} by {change} (no confidence "
            "interval: a cell has a single repeat)."
        )
    if multiple.ratio.is_undecided:
        return (
            f"The data do not decide whether a mix has a mean latency above {basis}: for {_named(worst, found)}, the "
            f"ratio is between {ratio_ends(multiple.ratio).replace(' to ', ' and ')} (95 % CI)."
        )
    if not multiple.ratio.differs or multiple.value < 1:
        return f"No mix has a mean latency significantly above {basis}."
    low, high = (format_percent(each - 1) for each in (multiple.ratio.low, multiple.ratio.high))
    return (
        f"Mean latency of the mix with {_named(worst, found)} is {format_percent(multiple.value - 1)} above {basis} "
        f"(95 % CI {low} to {high})."
    )


def _is_significant(multiple: Multiple) -> bool:
    return multiple.ratio is None or multiple.ratio.differs


def _interval(multiple: Multiple) -> str:
    if multiple.ratio is None:
        return " (no confidence interval)"
    return f" (95 % CI {ratio_ends(multiple.ratio)})"


def _named(each: Interference, among: Sequence[Interference]) -> str:
    return _mix_name(each.cell, [other.cell for other in among])


def _mix_name(cell: CellEstimate, among: Sequence[CellEstimate]) -> str:
    """``70 % reads``, followed by block size and depth if the mixes differ in them."""
    asked = cell.workload
    name = f"{asked.read_percent} % reads"
    if len({other.workload.size_text for other in among}) > 1:
        name += f" of {asked.size_text} blocks"
    if len({other.queue_depth_asked for other in among}) > 1:
        name += f" at {cell_depth_label(cell)}"
    return name


def interference_table(mixes: Sequence[CellEstimate], cells: Sequence[CellEstimate]) -> ResultTable | None:
    """Each mix compared with its pure workloads; None if no mix has both of them."""
    found = interference_of(mixes, cells)
    if not found:
        return None
    return ResultTable(
        caption="Mixes compared with their pure workloads. Weighted: the mean latency of all operations, divided by "
        "that of pure reads and pure writes weighted by their shares.",
        heads=(
            Head("Cell", number=False),
            *(Head(f"{name} {figure}", "ratio") for name in ("Read", "Write") for figure in ("mean", "p95", "p99")),
            Head("Weighted", "ratio"),
            Head("95 % CI", number=False),
        ),
        lines=tuple(
            Line(
                (each.cell.cell, *_texts(each.reads), *_texts(each.writes), *_weighted(each.latency_of_weighted)),
                rests_on=tuple(pure.cell for pure in each.pure),
            )
            for each in found
        ),
        notes=(),
    )


def _texts(found: DirectionInMix) -> tuple[str, str, str]:
    p95, p99 = (
        Dash(NO_PERCENTILE) if each is None else multiple_text(each) for each in (found.latency_p95, found.latency_p99)
    )
    return multiple_text(found.latency_mean), p95, p99


def _weighted(multiple: Multiple) -> tuple[str, str]:
    value = multiple_text(multiple)
    if multiple.ratio is None:
        return value, Dash(SINGLE_REPEAT)
    return value, ratio_ends(multiple.ratio)
