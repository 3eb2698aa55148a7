"""Reads rounds from tables: one row per round and cell, or one row per round and block size with a column per mix."""

import csv
import re
from collections.abc import Iterable, Sequence
from typing import Final

from iosonde.errors import UsageError
from iosonde.sources.rounds.csv_columns import HINT, Columns
from iosonde.sources.rounds.measured import Measured

_DECIMAL: Final = re.compile(r"^\s*(\d+),(\d+)\s*$")
"""A number with a decimal comma, which a table can have whose fields are separated in another way."""

_THOUSANDS: Final = re.compile(r"^[1-9]\d{0,2}(?:\.\d{3})+$")
_HUNDREDS: Final = re.compile(r"^[1-9]\d{2,}$")
_BINARY: Final = re.compile(r"[\x00-\x08\x0e-\x1f\ufffd]")


def read_csv(text: str, source: str) -> list[Measured]:
    """The cells of a table, with their rounds. Raises UsageError for a table without the columns that it takes."""
    if _BINARY.search(text):
        raise UsageError(f"{source} is not a table of text", HINT)
    try:
        lines = [line for line in text.splitlines() if not line.lstrip().lower().startswith(("#", "sep="))]
        dialect = _dialect("\n".join(lines))
        rows = [row for row in csv.reader(lines, dialect) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise UsageError(f"{source} is not a table of text", HINT) from error
    if not rows:
        raise UsageError(f"{source} is empty", HINT)
    columns = Columns.of(rows[0], source)
    has_comma = dialect.delimiter != ","
    if has_comma:
        _check_points(source, rows[1:], (*columns.values, *columns.mixes))
    found: list[Measured] = []
    unjudged: dict[str, None] = {}
    for number, row in enumerate(rows[1:], 2):
        try:
            if len(row) > len(rows[0]):
                raise ValueError(f"it has {len(row)} fields, and the header {len(rows[0])}")  # noqa: TRY301
            fields = [_DECIMAL.sub(r"\1.\2", each) if has_comma else each for each in row]
            found += columns.measured(fields)
            unjudged |= dict.fromkeys(filter(None, (columns.unjudged_role(fields),)))
        except IndexError as error:
            raise UsageError(f"{source}: row {number} has {len(row)} of {len(rows[0])} fields", HINT) from error
        except (ValueError, OverflowError) as error:
            raise UsageError(f"{source}: row {number} cannot be read: {error}", HINT) from error
        except UsageError as error:
            raise UsageError(f"{source}: row {number} cannot be read: {error.message}", error.hint) from error
    _check(source, found, unjudged)
    return found


def _check_points(source: str, rows: Sequence[Sequence[str]], columns: Iterable[int]) -> None:
    """Raises UsageError for values such as 1.012 beside 987: the point can separate thousands or decimals."""
    for column in columns:
        texts = [row[column].strip() for row in rows if column < len(row)]
        pointed = [each for each in texts if "." in each]
        if pointed and all(map(_THOUSANDS.match, pointed)) and any(_HUNDREDS.match(each) for each in texts):
            raise UsageError(
                f"{source} has values such as {pointed[0]}, whose point can separate thousands",
                "write numbers without separators of thousands",
            )


def _check(source: str, found: Sequence[Measured], unjudged: Iterable[str]) -> None:
    """Raises UsageError for a table of long trials only, and for reads that can be a percentage or a share."""
    if not found and (roles := ", ".join(role.replace("_", " ") for role in unjudged)):
        raise UsageError(
            f"{source} has no rounds, only {roles}",
            "long trials are judged by their samples: `iosonde show RUN` has the result",
        )
    if {each.workload.read_percent for each in found} in ({0, 1}, {1}):
        raise UsageError(
            f"{source} has reads of 1: that can be 1 % or all operations", "write 100 for reads only, or 100/0"
        )


def _dialect(text: str) -> type[csv.Dialect]:
    try:
        return csv.Sniffer().sniff(text[:4096], delimiters=",;\t")
    except csv.Error:
        return csv.excel
