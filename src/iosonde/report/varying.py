"""The parameters in which the cells of an experiment differ: they are the first columns of its table."""

from collections.abc import Mapping, Sequence
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.charts.names import cell_parts
from iosonde.charts.quantities import load_label, workload_label
from iosonde.report.tables import Head

_NAMES: Final = {
    "pattern": "Pattern",
    "operations": "Workload",
    "sync": "Sync",
    "size": "Block size",
    "data": "Data",
    "load": "Depth",
    "jobs": "Jobs",
    "targets": "Targets",
}
"""Parameters in the order of their columns, with their heads. Other parameters follow, with their own names."""

_OPEN_LOOP: Final = "Rate or depth"
_DEPTH: Final = "depth "
_NUMBERS: Final = frozenset({"jobs", "targets"})


class Varying:
    """The parameters in which cells differ, each with its head and its text for a cell.

    If they do not distinguish all cells, the name of the cell is an additional column.
    """

    def __init__(self, cells: Sequence[CellEstimate]) -> None:
        parts = {cell.cell: cell_parts(cell.workload) for cell in cells}
        known = dict.fromkeys([*_NAMES, *(key for each in parts.values() for key in each)])
        self._keys = [key for key in known if len({each.get(key, "") for each in parts.values()}) > 1]
        self._is_open = any(cell.workload.is_open_loop for cell in cells)
        texts = [tuple(parts[cell.cell].get(key, "") for key in self._keys) for cell in cells]
        self._names = len(set(texts)) < len(cells)
        self._parts = parts
        self.axis = max(self._keys, key=lambda key: len({each.get(key, "") for each in parts.values()}), default="")

    @property
    def heads(self) -> tuple[Head, ...]:
        """The heads of the columns."""
        if not self._keys and not self._names:
            return (Head("Workload", number=False),)
        named = (Head("Cell", number=False),) if self._names else ()
        return (*(self._head(key) for key in self._keys), *named)

    def texts(self, cell: CellEstimate) -> tuple[str, ...]:
        """The texts of a cell under these heads."""
        if not self._keys and not self._names:
            return (f"{workload_label(cell.workload)}, {load_label(cell.workload)}",)
        parts = self._parts[cell.cell]
        return (*(self._text(key, parts) for key in self._keys), *((cell.cell,) if self._names else ()))

    def line_of(self, cell: CellEstimate) -> tuple[str, ...]:
        """The values that the cells of a line share: all parameters but the one with the most values."""
        parts = self._parts[cell.cell]
        return tuple(parts.get(key, "") for key in self._keys if key != self.axis)

    def _head(self, key: str) -> Head:
        if key == "load":
            return Head(_OPEN_LOOP, number=False) if self._is_open else Head("QD", "requested")
        return Head(_NAMES.get(key, key.capitalize()), number=key in _NUMBERS)

    def _text(self, key: str, parts: Mapping[str, str]) -> str:
        text = parts.get(key, "").lstrip(" ,+")
        if key == "load" and not self._is_open:
            return text.removeprefix(_DEPTH)
        return text.split(" ")[0] if key in _NUMBERS else text or "none"
