"""Parquet files for queries, derived from the journal, and the same tables as CSV."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

from iosonde.errors import OutputError
from iosonde.printing import without_formula
from iosonde.safe_files import atomic_outputs
from iosonde.store.arrow import Columns, arrow_reader

COMPRESSION: Final = "zstd(3)"


def write_parquet(directory: Path, tables: Mapping[str, Columns]) -> tuple[Path, ...]:
    """Writes each table to ``<name>.parquet``: all of them, or none. Raises OutputError."""
    from arro3.io import write_parquet as write

    return _write(directory, tables, "parquet", partial(write, compression=COMPRESSION))


def write_csv(directory: Path, tables: Mapping[str, Columns]) -> tuple[Path, ...]:
    """Writes each table to ``<name>.csv``, with column names in the first line. A missing value is an empty field."""
    from arro3.io import write_csv as write

    tables = {name: {key: _as_text(column) for key, column in columns.items()} for name, columns in tables.items()}

    def written(reader: Any, sink: Any) -> None:  # noqa: ANN401 - they are passed to the library
        names = reader.schema.names
        write(reader, sink)
        if not sink.has_content:
            # The library writes no names above a table without rows.
            sink.write((",".join(names) + "\n").encode())

    return _write(directory, tables, "csv", written)


def _as_text(column: Any) -> Any:  # noqa: ANN401 - the store does not care what a column is
    """A column in which a quote precedes texts that a spreadsheet would run as formulas."""
    import numpy as np

    texts = np.asarray(column)
    if texts.dtype.kind not in "OU":
        return column
    safe = {each: without_formula(each) for each in set(texts) if isinstance(each, str)}
    if all(each == kept for each, kept in safe.items()):
        return column
    return np.array([safe.get(each, each) for each in texts], dtype=object)


def _write(
    directory: Path,
    tables: Mapping[str, Columns],
    suffix: str,
    write: Callable[..., None],
) -> tuple[Path, ...]:
    paths = {name: directory / f"{name}.{suffix}" for name in tables}
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with atomic_outputs() as beside:
            for name, columns in tables.items():
                with beside(paths[name]).open("wb") as file:
                    sink = _Sink(file)
                    write(arrow_reader(columns, sink.fail), sink)
                    sink.check()
    except OSError as error:
        raise OutputError(
            f"cannot write tables to {directory}: {error.strerror}", "free some space, or use another directory"
        ) from error
    return tuple(paths.values())


class _Sink:
    """A file for a library that panics if a write fails. The first error is kept for ``check``."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._error: BaseException | None = None
        self.has_content = False

    def write(self, content: bytes) -> int:
        """Writes ``content`` and never raises. Returns its length even after an error."""
        self.has_content = self.has_content or bool(content)
        try:
            if self._error is None:
                self._file.write(content)
        except BaseException as error:  # noqa: BLE001 - an interruption would be a panic as well
            self.fail(error)
        return len(content)

    def fail(self, error: BaseException) -> None:
        """Keeps an error if it is the first."""
        self._error = self._error or error

    def flush(self) -> None:
        """Does nothing: the file is flushed when it is closed."""

    def seek(self, offset: int, whence: int = 0) -> int:
        """Required by the library, but never called: tables are written sequentially."""
        raise AssertionError(offset, whence)

    def check(self) -> None:
        """Raises the first error."""
        if self._error is not None:
            raise self._error
