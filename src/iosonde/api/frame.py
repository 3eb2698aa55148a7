"""A table that pandas, Polars, DuckDB and NumPy take without a copy of its meaning: names, types, missing values."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, Final

from iosonde.errors import UsageError

if TYPE_CHECKING:
    import duckdb
    import numpy as np
    import pandas as pd
    import polars as pl
    from numpy.typing import NDArray


ROWS_SHOWN: Final = 10


class Frame:
    """A table of a run. It can't be changed.

    Whatever speaks the Arrow PyCapsule interface takes it as it is: ``polars.DataFrame(frame)``, or
    ``duckdb.sql("select * from frame")``. Columns have the names, units and values of the CSV files. A value that does
    not exist is null; the type of a column never depends on its values.
    """

    def __init__(self, columns: dict[str, NDArray[Any]]) -> None:
        """From arrays of one length: integers, floats (NaN is null), masked integers (masked is null), or text."""
        self._columns = columns
        for column in columns.values():
            column.flags.writeable = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The names, in order."""
        return tuple(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def __repr__(self) -> str:
        return str(self._relation())

    def _repr_html_(self) -> str:
        """For notebooks: the first rows, which scroll sideways."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        rows = self._relation().limit(ROWS_SHOWN).fetchall()
        cells = ("".join(f"<td>{'' if value is None else escape(str(value))}</td>" for value in row) for row in rows)
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        more = f"<p>{len(rows)} of {len(self)} rows, {len(self.columns)} columns</p>"
        return f'<div style="overflow-x: auto"><table><tr>{head}</tr>{body}</table></div>{more}'

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table as an Arrow stream, which lives on by itself."""
        stream: object = self._relation().__arrow_c_stream__(requested_schema)
        return stream

    def to_numpy(self) -> dict[str, NDArray[Any]]:
        """The columns as arrays that can't be written: int64, uint64, float64, masked int64, or objects (text)."""
        return dict(self._columns)

    def to_pandas(self) -> pd.DataFrame:
        """A pandas data frame; integers that may be missing are ``Int64``. Raises UsageError without pandas."""
        try:
            import pandas as pd
        except ImportError as error:
            raise _missing("pandas") from error
        return pd.DataFrame({name: _series(column) for name, column in self._columns.items()})

    def to_polars(self) -> pl.DataFrame:
        """A Polars data frame. Raises UsageError without Polars."""
        try:
            import polars as pl
        except ImportError as error:
            raise _missing("polars") from error
        return pl.DataFrame(self)

    def rows(self) -> list[dict[str, Any]]:
        """The rows as dictionaries of plain Python values, None where there is none: for a few, not for millions."""
        relation = self._relation()
        return [dict(zip(self._columns, row, strict=True)) for row in relation.fetchall()]

    def _relation(self) -> duckdb.DuckDBPyRelation:
        """The table on a connection of its own, so that any thread and any query can read it."""
        import duckdb

        connection = duckdb.connect()
        connection.register("columns", self._columns)
        return connection.sql(f"SELECT {', '.join(map(_selected, self._columns.items()))} FROM columns")  # noqa: S608 - names are ours


def _selected(named: tuple[str, np.ndarray[Any, Any]]) -> str:
    """A column in SQL. Text without a row would have no type, so it is said."""
    name, column = named
    return f'"{name}"::VARCHAR AS "{name}"' if column.dtype == object else f'"{name}"'


def _series(column: NDArray[Any]) -> pd.Series[Any]:
    """A column in pandas. A type of its own for integers with gaps, and for text even without a row."""
    import pandas as pd
    from numpy.ma import MaskedArray, getmaskarray

    if isinstance(column, MaskedArray):
        return pd.Series(pd.arrays.IntegerArray(column.data.copy(), getmaskarray(column).copy()))
    return pd.Series(column, copy=True, dtype="str" if column.dtype == object else column.dtype)


def _missing(package: str) -> UsageError:
    return UsageError(f"{package} is not installed", f"pip install {package}, or take the columns from to_numpy()")
