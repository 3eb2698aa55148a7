"""A table that pandas, Polars, DuckDB and NumPy take without a copy of its meaning: names, types, missing values."""

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
        """The first rows and columns, as Arrow draws them: as many as the terminal is wide."""
        _, *drawn = repr(self._arrow(ROWS_SHOWN)).splitlines()
        corners = [place for place, sign in enumerate(drawn[0]) if sign == "+"]
        shown = max(sum(place < get_terminal_size().columns for place in corners) - 1, 1)
        lines = [line[: corners[shown] + 1] for line in drawn]
        return "\n".join([*lines, f"{self._rows_shown}, {shown} of {len(self.columns)} columns"])

    def _repr_html_(self) -> str:
        """For notebooks: the first rows, which scroll sideways."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        rows = self._values(ROWS_SHOWN)
        cells = ("".join(f"<td>{'' if value is None else escape(str(value))}</td>" for value in row) for row in rows)
        body = "".join(f"<tr>{row}</tr>" for row in cells)
        more = f"<p>{self._rows_shown}, {len(self.columns)} columns</p>"
        return f'<div style="overflow-x: auto"><table><tr>{head}</tr>{body}</table></div>{more}'

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """The table as an Arrow stream, which lives on by itself."""
        return self._arrow().__arrow_c_stream__(requested_schema)

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
        return [dict(zip(self._columns, row, strict=True)) for row in self._values()]

    @property
    def _rows_shown(self) -> str:
        return f"{min(len(self), ROWS_SHOWN)} of {len(self)} rows"

    def _arrow(self, rows: int | None = None) -> Table:
        """The first rows in Arrow's form, or all of them."""
        from iosonde.store import arrow_table

        return arrow_table({name: column[:rows] for name, column in self._columns.items()})

    def _values(self, rows: int | None = None) -> Iterator[tuple[Any, ...]]:
        """The first rows as plain values, or all of them."""
        from iosonde.store import plain_values

        return zip(*(plain_values(column[:rows]) for column in self._columns.values()), strict=True)


def _series(column: NDArray[Any]) -> pd.Series[Any]:
    """A column in pandas. A type of its own for integers with gaps, and for text even without a row."""
    import pandas as pd
    from numpy.ma import MaskedArray, getmaskarray

    if isinstance(column, MaskedArray):
        return pd.Series(pd.arrays.IntegerArray(column.data.copy(), getmaskarray(column).copy()))
    return pd.Series(column, copy=True, dtype="str" if column.dtype == object else column.dtype)


def _missing(package: str) -> UsageError:
    return UsageError(f"{package} is not installed", f"pip install {package}, or take the columns from to_numpy()")
