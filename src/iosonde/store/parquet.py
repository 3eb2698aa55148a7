"""Parquet files, derived from the journal for those who query."""

import errno
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from iosonde.errors import OutputError
from iosonde.printing import without_formula
from iosonde.safe_files import atomic_outputs

# A column is a NumPy array or a list; the store doesn't care which.
Columns = Mapping[str, Any]

_COMMON: Final = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EROFS, errno.EIO)


def write_parquet(directory: Path, tables: Mapping[str, Columns]) -> tuple[Path, ...]:
    """Writes each table to ``<name>.parquet``: all of them, or none. Raises OutputError."""
    return _write(directory, tables, "parquet", "FORMAT parquet, COMPRESSION zstd, USE_TMP_FILE false")


def write_csv(directory: Path, tables: Mapping[str, Columns]) -> tuple[Path, ...]:
    """The same as ``<name>.csv``, names of columns first; an unknown value is an empty field."""
    tables = {name: {key: _as_text(column) for key, column in columns.items()} for name, columns in tables.items()}
    return _write(directory, tables, "csv", "FORMAT csv, HEADER, USE_TMP_FILE false")


def _as_text(column: Any) -> Any:  # noqa: ANN401 - the store does not care what a column is
    """A column whose texts no spreadsheet takes for formulas: a sign before them, as people do by hand, keeps them."""
    import numpy as np

    texts = np.asarray(column)
    if texts.dtype.kind not in "OU":
        return column
    safe = {each: without_formula(each) for each in set(texts) if isinstance(each, str)}
    if all(each == kept for each, kept in safe.items()):
        return column
    return np.array([safe.get(each, each) for each in texts], dtype=object)


def _write(directory: Path, tables: Mapping[str, Columns], suffix: str, options: str) -> tuple[Path, ...]:
    # Imported here: it costs 0.1 s, and only exports need it.
    import duckdb

    paths = {name: directory / f"{name}.{suffix}" for name in tables}
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with atomic_outputs() as beside, duckdb.connect() as connection:
            for name, columns in tables.items():
                connection.register("columns", columns)
                connection.execute(f"COPY columns TO $path ({options})", {"path": str(beside(paths[name]))})
                connection.unregister("columns")
    except (duckdb.IOException, OSError) as error:
        raise OutputError(
            f"can't write tables to {directory}: {_reason(error)}", "free some space, or name another directory"
        ) from error
    return tuple(paths.values())


def _reason(error: Exception) -> str:
    """DuckDB's errors may be JSON with the text in it; the system's own words are enough."""
    text = str(error)
    return next((os.strerror(number) for number in _COMMON if os.strerror(number) in text), text.splitlines()[0])
