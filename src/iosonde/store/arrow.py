"""Columns in Arrow's format, for Parquet and CSV files, and for Polars, pandas and DuckDB.

A type never depends on the values: a text column without rows is still text, and a missing value is null.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from arro3.core import Array, DataType, RecordBatch, RecordBatchReader, Schema, Table
    from numpy.typing import NDArray

# A column is a NumPy array or a list.
Columns = Mapping[str, Any]

ROWS_A_BATCH: Final = 1 << 17
"""The number of rows converted at once. A run has millions of rows, and converting text needs ten times its memory."""


def arrow_table(columns: Columns) -> "Table":
    """A whole table."""
    from arro3.core import Table

    return Table.from_batches([*_batches(columns)], schema=_schema(columns))


def arrow_reader(columns: Columns, fail: Callable[[BaseException], None]) -> "RecordBatchReader":
    """A table in batches, each made on request. If that fails, the table ends early and ``fail`` gets the error."""
    from arro3.core import RecordBatchReader

    def batches() -> Iterator["RecordBatch"]:
        try:
            yield from _batches(columns)
        except Exception as error:  # noqa: BLE001 - the Arrow library would turn it into text
            fail(error)
        except KeyboardInterrupt as error:
            fail(error)

    return RecordBatchReader.from_batches(_schema(columns), batches())


def plain_values(column: Any) -> list[Any]:  # noqa: ANN401 - an array or a list
    """A column as Python values, with None for missing ones."""
    values: list[Any] = _masked(column).tolist()
    return values


def _batches(columns: Columns) -> Iterator["RecordBatch"]:
    from arro3.core import RecordBatch

    schema = _schema(columns)
    rows = len(next(iter(columns.values())))
    for start in range(0, rows, ROWS_A_BATCH):
        arrays = [_array(column[start : start + ROWS_A_BATCH]) for column in columns.values()]
        yield RecordBatch.from_arrays(arrays, schema=schema)


def _schema(columns: Columns) -> "Schema":
    from arro3.core import Field, Schema

    return Schema([Field(name, _type(column), nullable=True) for name, column in columns.items()])


def _type(column: Any) -> "DataType":  # noqa: ANN401 - as above
    import numpy as np
    from arro3.core import DataType

    types = {"i": DataType.int64, "u": DataType.uint64, "f": DataType.float64}
    return types.get(np.asarray(column).dtype.kind, DataType.string)()


def _array(column: Any) -> "Array":  # noqa: ANN401 - as above
    import numpy as np
    from arro3.core import Array

    values = _masked(column)
    if values.dtype.kind in "iuf" and not np.ma.getmaskarray(values).any():
        return Array(np.ascontiguousarray(np.ma.getdata(values), dtype=f"{values.dtype.kind}8"))
    return Array(values.tolist(), _type(values))


def _masked(column: Any) -> "NDArray[Any]":  # noqa: ANN401 - as above
    """A masked array: NaN and None are masked."""
    import numpy as np

    values = column if isinstance(column, np.ma.MaskedArray) else np.asarray(column)
    return np.ma.masked_where(np.isnan(values), values) if values.dtype.kind == "f" else values
