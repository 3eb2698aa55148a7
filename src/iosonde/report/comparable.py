"""Groups of comparable cells, and the wording of comparisons.

A ranking compares only cells that differ in the varied parameters and in nothing else. The cells of a line in a chart
differ in a single parameter; ``analysis.families`` selects them.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.estimate import Estimate
from iosonde.analysis.families import with_pure_reads
from iosonde.analysis.ratios import Extreme, Ratio, extreme_of
from iosonde.charts.quantities import (
    NEAR_DEPTH,
    SYNC_LABELS,
    cell_depth_label,
    depth_label,
    load_label,
    significant,
    timing_label,
    workload_label,
)
from iosonde.charts.ratio_texts import ratio_ends, ratio_text
from iosonde.records import Workload
from iosonde.report.parentheses import with_note

Pair = tuple[CellEstimate, OperationEstimate]

_ALIKE: Final[dict[str, dict[str, int | None]]] = {
    "size": {"block_size_bytes": 0, "block_sizes": None},
    "share": {"read_percent": 0, "trim_percent": 0},
    "depth": {"queue_depth": 0, "jobs": 1, "targets": 1},
    "rate": {"rate_per_s": None, "arrivals": None},
}
"""For each varied parameter, the values that hide it: workloads that differ only in it become equal."""

TWICE: Final = 2.0
"""From this ratio on, a factor is easier to read than a percentage."""

RIVALS_NAMED_MAX: Final = 2


@dataclass(frozen=True)
class Comparables:
    """Cells that differ only in ``varied``: any of ``size``, ``share``, ``depth`` and ``rate``.

    ``note`` distinguishes them from other cells of the same workloads that lasted longer or shorter.
    """

    pairs: tuple[Pair, ...]
    varied: frozenset[str]
    note: str = ""

    @property
    def label(self) -> str:
        """The parameters that all cells share: ``4 KiB random read at depth 8``."""
        first = self.pairs[0][0]
        words = workload_label(first.workload)
        if self._differs(lambda cell: cell.workload.size_text):
            words = words.removeprefix(f"{first.workload.size_text} ")
        if "share" in self.varied and len(self.pairs) > 1:
            size = "" if self._differs(lambda cell: cell.workload.size_text) else f"{first.workload.size_text} "
            writing = next((cell.workload for cell, _ in self.pairs if cell.workload.writes), first.workload)
            words = f"{size}{first.workload.pattern} read/write mixes{SYNC_LABELS[writing.sync]}"
        load = "" if self._differs(_asked_load) else f" at {_load_of_all([cell for cell, _ in self.pairs])}"
        return f"{words}{load}{self.note}"

    def name(self, cell: CellEstimate) -> str:
        """The parameters in which a cell differs from the others: ``4 KiB at depth 16``."""
        parts = []
        if self._differs(lambda each: each.workload.size_text):
            parts.append(cell.workload.size_text)
        if self._differs(lambda each: (each.workload.read_percent, each.workload.trim_percent)):
            trim = f" and {cell.workload.trim_percent} % trims" if cell.workload.trim_percent else ""
            parts.append(f"{cell.workload.read_percent} % reads{trim}")
        if self._differs(_asked_load):
            parts.append(_load(cell) if not parts else f"at {_load(cell)}")
        return " ".join(parts) or cell.cell

    def _differs(self, of: Callable[[CellEstimate], object]) -> bool:
        return len({of(cell) for cell, _ in self.pairs}) > 1


def comparables_of(pairs: Sequence[Pair], *varied: str) -> tuple[Comparables, ...]:
    """Groups of cells that differ only in ``varied``, ordered by their first cell."""
    found: dict[tuple[bool, Workload], list[Pair]] = {}
    for pair in pairs:
        asked = pair[0].workload
        alike = asked.model_copy(update={name: value for each in varied for name, value in _ALIKE[each].items()})
        found.setdefault((asked.is_open_loop, alike), []).append(pair)
    if "share" in varied:
        found = with_pure_reads(found, lambda pair: pair[0].workload, lambda key: (key[0], key[1].pure_reads))
    return tuple(group for each in found.values() for group in _by_duration(each, frozenset(varied)))


def _by_duration(pairs: Sequence[Pair], varied: frozenset[str]) -> list[Comparables]:
    """One group, or several if some cells have the same workload and differ only in how long they last."""
    seen: Counter[Workload] = Counter()
    groups: dict[int, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(seen[pair[0].workload], []).append(pair)
        seen[pair[0].workload] += 1
    many = len(groups) > 1
    return [
        Comparables(tuple(each), varied, f", {timing_label(each[0][0].timing)}" if many else "")
        for each in groups.values()
    ]


@dataclass(frozen=True)
class Ranked:
    """The cell with the highest (or lowest) value of a group, compared with the others."""

    group: Comparables
    found: Extreme

    @property
    def pair(self) -> Pair:
        """The cell and its figures."""
        return self.group.pairs[self.found.place]

    @property
    def name(self) -> str:
        """The parameters in which it differs from the other cells."""
        return self.group.name(self.pair[0])

    @property
    def against_others(self) -> str:
        """A clause on whether its difference from the others is significant; empty if the group has no other cell."""
        if not self.found.others:
            return ""
        rivals = self.found.rivals
        if not rivals:
            place, ratio = self.found.others[0]
            assert ratio is not None
            return difference_text(ratio, self._name(place))
        known = [(place, ratio) for place, ratio in rivals if ratio is not None]
        if not known:
            return "not compared with the others because it has no confidence interval"
        named = ", ".join(
            f"{self._name(place)} (ratio {ratio_ends(ratio)})" for place, ratio in known[:RIVALS_NAMED_MAX]
        )
        more = len(rivals) - min(len(known), RIVALS_NAMED_MAX)
        wide = any(ratio.is_undecided for _, ratio in known)
        words = "too uncertain to compare with" if wide else "not distinguishable from"
        return f"{words} {named}{f' and {more} more' if more else ''}"

    def _name(self, place: int) -> str:
        return self.group.name(self.group.pairs[place][0])


def ranked(group: Comparables, estimate_of: Callable[[OperationEstimate], Estimate], *, lowest: bool = False) -> Ranked:
    """The cell of a group with the highest (or lowest) estimate."""
    return Ranked(group, extreme_of([estimate_of(figures) for _, figures in group.pairs], lowest=lowest))


def difference_text(ratio: Ratio, other: str) -> str:
    """The size of a significant difference, for example ``2.1 % above 8 KiB (95 % CI 1.2 to 3.0 %)``."""
    corrected = f", corrected for {ratio.comparisons} comparisons" if ratio.comparisons > 1 else ""
    if not 1 / TWICE < ratio.value < TWICE:
        return f"{ratio_text(ratio.value, ratio)} times {other} (95 % CI {ratio_ends(ratio)}{corrected})"
    above = ratio.value >= 1
    ends = (ratio.low - 1, ratio.high - 1) if above else (1 - ratio.high, 1 - ratio.low)
    low, high = (_percent(each) for each in ends)
    share = _percent(abs(ratio.value - 1))
    return f"{share} % {'above' if above else 'below'} {other} (95 % CI {low} to {high} %{corrected})"


def _percent(share: float) -> str:
    return significant(share * 100, 2)


def _asked_load(cell: CellEstimate) -> str:
    """The requested load per queue, with the number of targets."""
    asked = cell.workload
    load = load_label(asked) if asked.is_open_loop else depth_label(cell.queue_depth_asked, None)
    return f"{load}{_on_targets(cell)}"


def _load(cell: CellEstimate) -> str:
    """The requested load with the achieved depth, if it differs."""
    load = load_label(cell.workload) if cell.workload.is_open_loop else cell_depth_label(cell)
    return f"{load}{_on_targets(cell)}"


def _load_of_all(cells: Sequence[CellEstimate]) -> str:
    """The load of cells with the same requested load; the range of achieved depths if one is far below it."""
    loads = {_load(cell) for cell in cells}
    if len(loads) == 1:
        return loads.pop()
    if cells[0].workload.is_open_loop:
        return _asked_load(cells[0])
    kept = [cell.queue_depth_kept for cell in cells if cell.queue_depth_kept is not None]
    asked = _asked_load(cells[0])
    if not kept or min(kept) >= (1 - NEAR_DEPTH) * cells[0].queue_depth_asked:
        return asked
    low, high = (significant(each, 3) for each in (min(kept), max(kept)))
    return with_note(asked, f"{low if low == high else f'{low} to {high}'} achieved")


def _on_targets(cell: CellEstimate) -> str:
    """A depth is that of all targets together, an arrival rate that of each."""
    targets = cell.workload.targets
    if targets == 1:
        return ""
    return f" on each of {targets} targets" if cell.workload.is_open_loop else f" on {targets} targets"
