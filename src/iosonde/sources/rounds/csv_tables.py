"""Reads rounds from tables: one row per round and cell, or one row per round and block size with a column per mix."""

import csv
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from iosonde.errors import UsageError
from iosonde.sources.rounds.csv_columns import HINT, Columns
from iosonde.sources.rounds.csv_series import check_matrix, check_one_series
from iosonde.sources.rounds.csv_values import check_binary_units
from iosonde.sources.rounds.measured import NOTHING_GIVEN, GivenCell, Measured

SEPARATORS: Final = ",;\t"

_DECIMAL: Final = re.compile(r"^\s*(\d+),(\d+)\s*$")
"""A number with a decimal comma, which a table can have whose fields are separated in another way."""

_THOUSANDS: Final = re.compile(r"^[1-9]\d{0,2}(?:[.,]\d{3})+$")
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0e-\x1f]")


_OTHER_FORMS: Final = {
    "\x1f\ufffd": ("is compressed", "unpack it first"),
    "PK\x03\x04": ("is a spreadsheet or an archive", "save the table as CSV"),
    **dict.fromkeys("{[", ("is JSON, but not that of fio", "use files written by fio --output-format=json")),
}
"""How files of other forms begin, as decoded text."""


_ROW_HINT: Final = "correct or remove that row; a value that was not measured is an empty field"

_TERSE: Final = re.compile(r"\d;fio-\d")


@dataclass(frozen=True)
class RoundsTable:
    """The cells of a table, with their rounds, the names of its columns that are not used, and other parts left out."""

    measured: tuple[Measured, ...]
    unused: tuple[str, ...]
    left: tuple[str, ...] = ()


def read_csv(text: str, source: str, given: GivenCell = NOTHING_GIVEN) -> RoundsTable:
    """The cells of a table; ``given`` is what the user says of all of them.

    Raises UsageError for a table without the columns that it takes.
    """
    rows, has_comma = _rows(text, source)
    columns = Columns.of(rows[0], source, given).with_pattern(rows[0], rows[1:])
    if has_comma:
        _check_points(source, rows[1:], (*columns.values, *columns.mixes))
    check_one_series(columns, rows[0], rows[1:], source)
    found: list[Measured] = []
    unjudged: dict[str, None] = {}
    whole = [row for row in rows[1:] if len(row) == len(rows[0])]
    screened = columns.screened(whole)
    for number, row in enumerate(rows[1:], 2):
        try:
            if len(row) > len(rows[0]):
                raise ValueError(f"it has {len(row)} fields, and the header {len(rows[0])}")  # noqa: TRY301
            fields = [_DECIMAL.sub(r"\1.\2", each) if has_comma else each for each in row]
            if columns.tracked is not None or not columns.is_after(fields, screened):
                found += columns.measured(fields)
            unjudged |= dict.fromkeys(filter(None, (columns.unjudged_role(fields),)))
        except IndexError as error:
            raise UsageError(f"{source}: row {number} has {len(row)} of {len(rows[0])} fields", _ROW_HINT) from error
        except (ValueError, OverflowError) as error:
            raise UsageError(f"{source}: row {number} cannot be read: {error}", _ROW_HINT) from error
        except UsageError as error:
            raise UsageError(f"{source}: row {number} cannot be read: {error.message}", error.hint) from error
    _check(source, found, unjudged)
    check_matrix(columns, rows[0], found, source)
    check_binary_units([(each.value, each.workload.bytes_per_operation) for each in found], source)
    if columns.size is not None and columns.size_scale == 1:
        _check_sizes(source, {row[columns.size].strip() for row in whole})
    # A table that iosonde wrote has phases that are not judged by rounds, such as the matrix of a short form.
    judged = {each.test for each in found if each.tracked}
    left = {each.test: "tracks nothing" for each in found if judged and each.test not in judged}
    if columns.role is not None:
        left |= dict.fromkeys(_at_operating_points(found), "has operating points, which are not judged by rounds")
    return RoundsTable(
        tuple(each for each in found if each.test not in left),
        tuple(columns.unused(rows[0])),
        tuple(f"{test} {why}" for test, why in left.items()),
    )


def _at_operating_points(found: Sequence[Measured]) -> set[str]:
    """The tests of a table that iosonde wrote that have a cell several times in a round: two points can be one demand.

    None if all tests do, or one that is tracked: then the rows are not those of one run.
    """
    counts = Counter((each.test, each.round, each.cell) for each in found)
    repeating = {test for (test, _, _), count in counts.items() if count > 1}
    is_of_one_run = not any(each.tracked for each in found if each.test in repeating)
    return repeating if is_of_one_run and repeating < {each.test for each in found} else set()


def _rows(text: str, source: str) -> tuple[list[list[str]], bool]:
    """The rows of a table, and whether commas can be decimal separators. Raises UsageError."""
    other = next((words for begin, words in _OTHER_FORMS.items() if text.startswith(begin)), None)
    if _TERSE.match(text):
        other = ("is the terse output of fio", "use files written by fio --output-format=json")
    if other is not None:
        raise UsageError(f"{source} {other[0]}", other[1])
    if _CONTROLS.search(text):
        raise UsageError(f"{source} is not a table of text", HINT)
    if "\ufffd" in text:
        raise UsageError(f"{source} is text in another encoding than UTF-8", "save it as UTF-8")
    try:
        lines = _lines(text)
        dialect = _dialect("\n".join(lines))
        rows = [row for row in csv.reader(lines, dialect) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise UsageError(f"{source} is not a table of text", HINT) from error
    if not rows:
        raise UsageError(f"{source} is empty", HINT)
    return rows, dialect.delimiter != ","


def _lines(text: str) -> list[str]:
    """The lines without comments. The last comment before them is the header if there is no other."""
    every = [line for line in text.splitlines() if line.strip() and not line.lower().startswith("sep=")]
    lines = [line for line in every if not line.lstrip().startswith("#")]
    comments = list(takewhile(lambda line: line.lstrip().startswith("#"), every))
    if lines and comments and lines[0].lstrip()[:1].isdigit():
        header = comments[-1].strip().lstrip("#").lstrip(" ")
        # A sign alone is the header of the rounds.
        header = f"round{header}" if header[:1] in SEPARATORS else header
        if any(lines[0].count(sign) == header.count(sign) > 0 for sign in SEPARATORS):
            return [header, *lines]
    return lines


def _check_sizes(source: str, texts: AbstractSet[str]) -> None:
    """Raises UsageError for block sizes of 512 and 1024 without a unit: these can be bytes or KiB."""
    if texts and texts <= {"512", "1024"}:
        raise UsageError(
            f"{source} has a block size of {min(texts)}: that can be bytes or KiB", "write the unit, such as 1024KiB"
        )


def _check_points(source: str, rows: Sequence[Sequence[str]], columns: Iterable[int]) -> None:
    """Raises UsageError for values such as 1.012 and 47,960, whose separators are ambiguous."""
    for column in columns:
        texts = [row[column].strip() for row in rows if column < len(row)]
        separated = [each for each in texts if "." in each or "," in each]
        if separated and all(map(_THOUSANDS.match, separated)):
            sign = "point" if "." in separated[0] else "comma"
            raise UsageError(
                f"{source} has values such as {separated[0]}, whose {sign} can separate thousands",
                "write numbers without separators of thousands, or with another number of decimals",
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
        return csv.Sniffer().sniff(text[:4096], delimiters=SEPARATORS)
    except csv.Error:
        return csv.excel
