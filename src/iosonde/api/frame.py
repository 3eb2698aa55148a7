"""A table for pandas, Polars, DuckDB and NumPy that keeps names, types and missing values."""

from __future__ import annotations

from html import escape
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, Final

from iosonde.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    import polars as pl
    from arro3.core import Table
    from numpy.typing import NDArray


ROWS_SHOWN: Final = 10


class Frame:
    """A table of a run. It is read-only.

    Every library with the Arrow PyCapsule interface accepts it directly: ``polars.DataFrame(frame)``, or
    ``duckdb.sql("select * from frame")``. Columns have the names, units and values of the CSV files. A missing value
    is null. The type of a column never depends on its values.
    """

    def __init__(self, columns: dict[str, NDArray[Any]]) -> None:
        """From arrays of equal length: integers, floats (NaN is null), masked integers (masked is null), or text."""
        self._columns = columns
        for column in columns.values():
            column.flags.writeable = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The column names, in order."""
        return tuple(self._columns)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def __repr__(self) -> str:
        """The first rows and columns, as Arrow prints them, as many as fit the terminal."""
        _, *drawn = repr(self._arrow(ROWS_SHOWN)).splitlines()
        corners = [place for place, sign in enumerate(drawn[0]) if sign == "+"]
        shown = max(sum(place < get_terminal_size().columns for place in corners) - 1, 1)
        lines = [line[: corners[shown] + 1] for line in drawn]
        return "\n".join([*lines, f"{self._rows_shown}, {shown} of {len(self.columns)} columns"])

    def _repr_html_(self) -> str:
        """For notebooks: the first rows, with horizontal scrolling."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        rows = self._values(ROWS_SHOWN)
        cells = ("".join(f"<td>{'' if value is None else escape(str(value))}</td>" for value in row) for row in rows)
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        more = f"<p>{self._rows_shown}, {len(self.columns)} columns</p>"
        return f'<div style="overflow-x: auto"><table><tr>{head}</tr>{body}</table></div>{more}'

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table as an independent Arrow stream."""
        return self._arrow().__arrow_c_stream__(requested_schema)

    def to_numpy(self) -> dict[str, NDArray[Any]]:
        """The columns as read-only arrays: int64, uint64, float64, masked int64, or objects (text)."""
        return dict(self._columns)

    def to_pandas(self) -> pd.DataFrame:
        """A pandas data frame; integers with missing values are ``Int64``. Raises UsageError without pandas."""
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
        """The rows as dictionaries of plain Python values, with None for null: for a few rows, not for millions."""
        return [dict(zip(self._columns, row, strict=True)) for row in self._values()]

    @property
    def _rows_shown(self) -> str:
        return f"{min(len(self), ROWS_SHOWN)} of {len(self)} rows"

    def _arrow(self, rows: int | None = None) -> Table:
        """The first rows, or all of them, as an Arrow table."""
        from iosonde.store import arrow_table

        return arrow_table({name: column[:rows] for name, column in self._columns.items()})

    def _values(self, rows: int | None = None) -> Iterator[tuple[Any, ...]]:
        """The first rows, or all of them, as plain values."""
        from iosonde.store import plain_values

        return zip(*(plain_values(column[:rows]) for column in self._columns.values()), strict=True)


def _series(column: NDArray[Any]) -> pd.Series[Any]:
    """A column in pandas: the nullable type for integers with missing values, and str for text even without rows."""
    import pandas as pd
    from numpy.ma import MaskedArray, getmaskarray

    if isinstance(column, MaskedArray):
        return pd.Series(pd.arrays.IntegerArray(column.data.copy(), getmaskarray(column).copy()))
    return pd.Series(column, copy=True, dtype="str" if column.dtype == object else column.dtype)


def _missing(package: str) -> UsageError:
    return UsageError(f"{package} is not installed", f"install it with `pip install {package}`, or use to_numpy()")
