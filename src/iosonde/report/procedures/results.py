"""The tables of reported figures, by the kind of a procedure."""

from collections.abc import Sequence
from typing import Final

from iosonde.analysis.procedures import ReportedCell
from iosonde.report.procedures.tables import cell_table, is_matrix, latency_tables, mean_table
from iosonde.report.tables import ResultTable
from iosonde.report.validity import Doubtful, Invalid
from iosonde.vocabulary import ProcedureKind, Quantity

QUANTITY_OF: Final = {
    ProcedureKind.IOPS: Quantity.IOPS,
    ProcedureKind.THROUGHPUT: Quantity.BYTES_PER_S,
    ProcedureKind.LATENCY: Quantity.LATENCY_NS_MEAN,
}
"""The quantity that a kind of procedure reports first."""

MEANS: Final = (Quantity.IOPS, Quantity.BYTES_PER_S, Quantity.LATENCY_NS_MEAN)


def result_tables(
    kind: ProcedureKind, cells: Sequence[ReportedCell], invalid: Invalid, doubtful: Doubtful
) -> tuple[ResultTable, ...]:
    """The tables that a kind of procedure reports first. Doubtful figures of a matrix have a sign."""
    if len(cells) == 1 or not is_matrix(cells):
        return (cell_table(cells, invalid, doubtful),)
    if kind is ProcedureKind.LATENCY:
        return (*latency_tables(cells, invalid, doubtful), mean_table(cells, Quantity.IOPS, invalid, doubtful))
    return (mean_table(cells, QUANTITY_OF.get(kind, Quantity.IOPS), invalid, doubtful),)


def more_tables(
    kind: ProcedureKind, cells: Sequence[ReportedCell], invalid: Invalid, doubtful: Doubtful
) -> tuple[ResultTable, ...]:
    """Their other quantities."""
    if len(cells) == 1 or not is_matrix(cells) or kind is ProcedureKind.LATENCY:
        return ()
    first = QUANTITY_OF.get(kind, Quantity.IOPS)
    others = tuple(mean_table(cells, each, invalid, doubtful) for each in MEANS if each is not first)
    return (*others, cell_table(cells, invalid, doubtful)) if kind is ProcedureKind.ROUNDS else others
