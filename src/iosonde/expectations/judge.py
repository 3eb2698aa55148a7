"""Whether the results of a run, or of a document, meet what was expected of them."""

import difflib
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from pydantic import TypeAdapter

from iosonde.analysis.results import CellResults, Results, ResultsKind
from iosonde.errors import UsageError
from iosonde.expectations.file import ExpectationsTable, ExpectationTable
from iosonde.expectations.read_expectations import line_of_expectation
from iosonde.figures import Figure
from iosonde.records import Data, Operation, Workload
from iosonde.records.pattern import BlockSizes
from iosonde.vocabulary import Quantity

# More names than this make a hint unreadable.
CELLS_NAMED_MAX: Final = 10


class Verdict(StrEnum):
    """What the interval of a figure says of its bound."""

    PASS = "pass"  # noqa: S105 - a verdict, no word that opens anything
    FAIL = "fail"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Checked:
    """One expectation of one cell.

    ``bound``, ``value`` and the 95 % interval ``low`` to ``high`` are in the unit of the metric: nanoseconds, bytes a
    second or operations a second; the interval of a printed number is what its digits leave. ``margin_share`` is how
    far the value lies on the good side of the bound, as a share of it; below 0 on the bad side. ``cell`` is where the
    figure stands; it and the figures are None where nothing was measured. ``why`` says why nothing is decided, and is
    empty where it is. ``doubted_by`` are the findings that call the cell's figures doubtful or invalid.
    """

    name: str
    cell: str | None
    operation: Operation | None
    metric: Quantity
    is_at_most: bool
    bound: float
    value: float | None
    low: float | None
    high: float | None
    margin_share: float | None
    verdict: Verdict
    why: str
    doubted_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class CheckedResults:
    """All expectations of the file with this ``name``, over a run or a document."""

    results: Results
    name: str
    checks: tuple[Checked, ...]

    def count(self, verdict: Verdict) -> int:
        """How many ended so."""
        return sum(each.verdict is verdict for each in self.checks)

    def to_json(self) -> str:
        """Every check in base units. What was checked stands under ``run`` or ``document``."""
        found: dict[str, str | tuple[Checked, ...]] = {
            str(self.results.kind): self.results.name,
            "name": self.name,
            "checks": self.checks,
        }
        return TypeAdapter(dict[str, str | tuple[Checked, ...]]).dump_json(found, indent=1).decode()


def check_results(results: Results, expected: ExpectationsTable, where: tuple[str, str]) -> CheckedResults:
    """Judges every expectation of a file. ``where`` is the file's name and its text, for mistakes in it.

    Raises UsageError where a cell is named that is not among the results.
    """
    checks: list[Checked] = []
    for number, expectation in enumerate(expected.expect):
        cells = [cell for cell in results.cells if _fits(cell, expectation)]
        if not cells and expectation.cell is not None:
            raise _unknown_cell(expectation.cell, results, number, where)
        checks.extend(_checked(expectation, cell) for cell in cells)
        if not cells:
            checks.append(_unmeasured(expectation, None, _why_not_found(results)))
    return CheckedResults(results, expected.name, tuple(checks))


def _why_not_found(results: Results) -> str:
    if any(cell.workload is None for cell in results.cells):
        return f"no cell of the {results.kind} is known to have this workload; expect it of one by its name"
    return f"no cell of the {results.kind} has this workload"


def _unknown_cell(name: str, results: Results, number: int, where: tuple[str, str]) -> UsageError:
    file, text = where
    near = difflib.get_close_matches(name, [cell.name for cell in results.cells], n=CELLS_NAMED_MAX, cutoff=0.0)
    # No command lists the cells of a document.
    every = "`iosonde show RUN` lists all" if results.kind is ResultsKind.RUN else f"the nearest: {', '.join(near)}"
    return UsageError(
        f'{file}:{line_of_expectation(text, number, "cell")}: cell = "{name}" is no cell of this {results.kind}',
        f'did you mean "{near[0]}"? {every}' if near else f"the {results.kind} has no cells",
    )


def _is_usual_data(asked: Workload) -> bool:
    """Whether what is written is random bytes, which no drive compresses or finds twice; reads write nothing."""
    unusual = (asked.compressible_percent, asked.duplicates_percent, asked.verify)
    return not asked.writes or (asked.data is Data.RANDOM and not any(unusual))


def _fits(cell: CellResults, expectation: ExpectationTable) -> bool:
    if expectation.cell is not None:
        return cell.name == expectation.cell
    return cell.workload is not None and _has_workload(cell.workload, expectation)


def _has_workload(asked: Workload, expectation: ExpectationTable) -> bool:
    sizes = expectation.block_size
    is_sized = asked.block_sizes == sizes if isinstance(sizes, BlockSizes) else asked.block_sizes is None
    pairs = (
        (expectation.pattern, asked.pattern),
        (expectation.read, asked.read_percent),
        (None if isinstance(sizes, BlockSizes) else sizes, asked.block_size_bytes),
        (expectation.queue_depth, asked.queue_depth),
    )
    always = (expectation.jobs, expectation.sync, expectation.rate) == (asked.jobs, asked.sync, asked.rate_per_s)
    usual = asked.is_usual or (isinstance(sizes, BlockSizes) and is_sized)
    return (
        always
        and usual
        and _is_usual_data(asked)
        and is_sized
        and all(wanted is None or wanted == found for wanted, found in pairs)
    )


def _checked(expectation: ExpectationTable, cell: CellResults) -> Checked:
    figure = cell.figure(expectation.metric, expectation.operation or cell.subject)
    if figure is None:
        return _unmeasured(expectation, cell.name, "the cell has no such figures")
    checked = _judged(expectation, cell.name, figure)
    invalid = cell.invalid_by
    if invalid:
        why = f"invalid, see {', '.join(invalid)}: its figures are not what they seem"
        checked = replace(checked, verdict=Verdict.UNDECIDED, why=why)
    return replace(checked, doubted_by=tuple(dict.fromkeys((*invalid, *cell.unreliable_by))))


def _judged(expectation: ExpectationTable, cell: str, figure: Figure) -> Checked:
    """Holds one figure against its bound."""
    is_at_most = expectation.at_most is not None
    verdict, why = _verdict(figure, expectation.bound, is_at_most=is_at_most)
    share = None if figure.value is None else figure.value / expectation.bound - 1
    low, high = figure.ends or (figure.low, figure.high)
    return Checked(
        name=_name(expectation),
        cell=cell,
        operation=figure.operation,
        metric=expectation.metric,
        is_at_most=is_at_most,
        bound=expectation.bound,
        value=figure.value,
        low=low,
        high=high,
        margin_share=None if share is None else (-share if is_at_most else share),
        verdict=verdict,
        why=why,
    )


def _verdict(figure: Figure, bound: float, *, is_at_most: bool) -> tuple[Verdict, str]:
    if figure.value is None:
        return Verdict.UNDECIDED, f"it has no value: {figure.why_none}"
    if figure.ends is None:
        return Verdict.UNDECIDED, f"it has no interval: {figure.why_none}"
    low, high = figure.ends
    good, bad = (high <= bound, low > bound) if is_at_most else (low >= bound, high < bound)
    if good or bad:
        return (Verdict.PASS if good else Verdict.FAIL), ""
    return Verdict.UNDECIDED, "the interval holds the bound"


def _unmeasured(expectation: ExpectationTable, cell: str | None, why: str) -> Checked:
    return Checked(
        name=_name(expectation),
        cell=cell,
        operation=expectation.operation,
        metric=expectation.metric,
        is_at_most=expectation.at_most is not None,
        bound=expectation.bound,
        value=None,
        low=None,
        high=None,
        margin_share=None,
        verdict=Verdict.UNDECIDED,
        why=why,
    )


def _name(expectation: ExpectationTable) -> str:
    return expectation.name or f"{expectation.metric} {'at most' if expectation.at_most is not None else 'at least'}"
