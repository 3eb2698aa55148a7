"""The names of the kinds of workload in a report."""

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.workload_kinds import Kind
from iosonde.charts.names import slug
from iosonde.charts.quantities import operations_label, workload_label
from iosonde.printing import capital


def kind_id(kind: Kind) -> str:
    """The kind as an id: ``random-read``, ``random-70-30-mix``."""
    return slug(kind_label(kind))


def kind_label(kind: Kind) -> str:
    """The kind without its sizes: ``random read``."""
    return workload_label(kind.workload).removeprefix(f"{kind.workload.size_text} ")


def name_at(kind: Kind, cell: CellEstimate) -> str:
    """The kind with the block size of a cell, as a heading; without the size for a sequential kind."""
    label = kind_label(kind)
    label = capital(label)
    return label if kind.is_stream else f"{label}, {cell.workload.size_text}"


def operations_at(kind: Kind, cell: CellEstimate) -> str:
    """The kind with its block size, within a sentence: ``4 KiB random reads``, ``sequential writes``."""
    label = operations_label(cell.workload)
    return label.removeprefix(f"{cell.workload.size_text} ") if kind.is_stream else label
