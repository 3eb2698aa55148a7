"""Checks whether the results of a run or of a document meet the expected values."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from pydantic import TypeAdapter

from iosonde.analysis.results import CellResults, Results, ResultsKind
from iosonde.analysis.sustained_figures import PartFigure
from iosonde.errors import UsageError
from iosonde.expectations.conditions import differences
from iosonde.expectations.file import NO_ORIGIN, Choose, ExpectationsTable, ExpectationTable, Origin
from iosonde.expectations.read_expectations import line_of_expectation
from iosonde.expectations.verdict import SEVEREST_FIRST, Verdict, decided_by_another_percentile, verdict_on
from iosonde.figures import Figure
from iosonde.records import Data, Operation, Workload
from iosonde.records.pattern import BlockSizes
from iosonde.vocabulary import Quantity

if TYPE_CHECKING:
    from iosonde.expectations.purpose import PurposeOutcome

# More names than this make a hint unreadable.
CELLS_NAMED_MAX: Final = 10


@dataclass(frozen=True)
class Checked:
    """One expected value, checked for one cell.

    ``bound``, ``value`` and the 95 % interval ``low`` to ``high`` are in the base unit of the metric: nanoseconds,
    bytes per second or operations per second. The interval of a printed number is its rounding. ``margin_share`` is
    the distance of the value from the bound as a share of the bound, negative if the value misses it. ``cell`` and the
    values are None if nothing was measured. ``why`` is the reason for an undecided verdict, or the other
    percentile that decides the verdict; else empty.
    ``doubted_by`` lists the findings that make the cell doubtful or invalid. ``origin`` is the source of the expected
    value, and ``differs`` has the conditions of the source that the cell does not share. ``chosen_of`` is the number of
    matching cells from which this one was selected for its best value; 1 without a selection. ``part`` is the plateau
    of a sustained transfer that determines the verdict; empty for other cells.
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
    origin: Origin = NO_ORIGIN
    differs: tuple[str, ...] = ()
    chosen_of: int = 1
    part: str = ""


@dataclass(frozen=True)
class CheckedResults:
    """All checks of a file of expected values against a run or a document. ``name`` is that of the file.

    ``purpose`` is the verdict for all of them together, if the file has the requirements of a purpose.
    """

    results: Results
    name: str
    checks: tuple[Checked, ...]
    purpose: "PurposeOutcome | None" = None

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all checks: ``fail`` before ``undecided`` before ``pass``."""
        return min((each.verdict for each in self.checks), key=SEVEREST_FIRST.index)

    @property
    def is_unmeasured(self) -> bool:
        """Whether none of the expected values applies to a cell."""
        return all(each.cell is None for each in self.checks)

    def count(self, verdict: Verdict) -> int:
        """The number of checks with this verdict."""
        return sum(each.verdict is verdict for each in self.checks)

    def to_json(self) -> str:
        """Every check in base units. The key ``run`` or ``document`` has the name of what was checked."""
        found: dict[str, str | tuple[Checked, ...]] = {
            str(self.results.kind): self.results.name,
            "name": self.name,
            "verdict": str(self.verdict),
            "checks": self.checks,
        }
        return TypeAdapter(dict[str, str | tuple[Checked, ...]]).dump_json(found, indent=1).decode()


def check_results(results: Results, expected: ExpectationsTable, where: tuple[str, str]) -> CheckedResults:
    """Checks every expected value of a file. ``where`` is the file's name and text, for error messages.

    Raises UsageError if the file names a cell that the results do not have.
    """
    checks: list[Checked] = []
    for number, expectation in enumerate(expected.expect):
        cells = [cell for cell in results.cells if _fits(cell, expectation)]
        if not cells and expectation.cell is not None:
            raise _unknown_cell(expectation.cell, results, number, where)
        origin = expected.origin(expectation)
        chosen = _chosen(expectation, cells)
        found = [
            replace(
                _checked(expectation, cell),
                differs=differences(origin.conditions, cell.workload, results.conditions),
                chosen_of=1 if len(chosen) == len(cells) else len(cells),
            )
            for cell in chosen
        ] or [_unmeasured(expectation, None, _why_not_found(results))]
        checks.extend(replace(each, origin=origin) for each in found)
    return CheckedResults(results, expected.name, tuple(checks))


def _chosen(expectation: ExpectationTable, cells: Sequence[CellResults]) -> Sequence[CellResults]:
    """The cells to check: all, or the one with the best value. Invalid cells are chosen only if there are no others."""
    if expectation.choose is Choose.ALL or len(cells) <= 1:
        return cells
    values = [
        (not cell.invalid_by, value if expectation.at_most is None else -value, cell)
        for cell in cells
        if (value := _best_value(cell, expectation)) is not None
    ]
    return [max(values, key=lambda each: each[:2])[2]] if values else cells[:1]


def _best_value(cell: CellResults, expectation: ExpectationTable) -> float | None:
    """The value of a cell; of a sustained transfer, that of its best plateau."""
    operation = expectation.operation or cell.subject
    figures = [each.figure for each in cell.parts(expectation.metric, operation)]
    whole = cell.figure(expectation.metric, operation)
    if not figures and whole is not None:
        figures = [whole]
    known = [each.value for each in figures if each.value is not None]
    return (max if expectation.at_most is None else min)(known, default=None)


def _why_not_found(results: Results) -> str:
    if any(cell.workload is None for cell in results.cells):
        return (
            f"no cell in the {results.kind} has this workload, but some workloads are unknown; select the cell by name"
        )
    return f"no cell in the {results.kind} has this workload"


def _unknown_cell(name: str, results: Results, number: int, where: tuple[str, str]) -> UsageError:
    file, text = where
    near = difflib.get_close_matches(name, [cell.name for cell in results.cells], n=CELLS_NAMED_MAX, cutoff=0.0)
    # No command lists the cells of a document.
    every = (
        "`iosonde show RUN` lists all cells" if results.kind is ResultsKind.RUN else f"nearest names: {', '.join(near)}"
    )
    return UsageError(
        f'{file}:{line_of_expectation(text, number, "cell")}: this {results.kind} has no cell "{name}"',
        f'did you mean "{near[0]}"? {every}' if near else f"the {results.kind} has no cells",
    )


def _is_usual_data(asked: Workload) -> bool:
    """Whether the workload writes plain random bytes, which no drive compresses or deduplicates, or nothing at all."""
    unusual = (asked.compressible_percent, asked.duplicates_percent, asked.verify)
    return not asked.writes or (asked.data is Data.RANDOM and not any(unusual))


def _fits(cell: CellResults, expectation: ExpectationTable) -> bool:
    if expectation.cell is not None:
        return cell.name == expectation.cell
    return cell.workload is not None and _has_workload(cell.workload, expectation)


def _has_workload(asked: Workload, expectation: ExpectationTable) -> bool:
    sizes = expectation.block_size
    jobs = expectation.jobs or (None if expectation.choose is Choose.BEST else 1)
    is_sized = asked.block_sizes == sizes if isinstance(sizes, BlockSizes) else asked.block_sizes is None
    pairs = (
        (expectation.pattern, asked.pattern),
        (expectation.read, asked.read_percent),
        (None if isinstance(sizes, BlockSizes) else sizes, asked.block_size_bytes),
        (expectation.queue_depth, asked.queue_depth),
        (jobs, asked.jobs),
    )
    always = (expectation.sync, expectation.rate) == (asked.sync, asked.rate_per_s)
    usual = asked.is_usual or (isinstance(sizes, BlockSizes) and is_sized)
    return (
        always
        and usual
        and _is_usual_data(asked)
        and is_sized
        and all(wanted is None or wanted == found for wanted, found in pairs)
    )


def _checked(expectation: ExpectationTable, cell: CellResults) -> Checked:
    operation = expectation.operation or cell.subject
    figure = cell.figure(expectation.metric, operation)
    if figure is None:
        return _unmeasured(expectation, cell.name, "the cell has no results for this operation")
    parts = cell.parts(expectation.metric, operation)
    checked = _of_parts(expectation, cell.name, parts) if parts else _judged(expectation, cell.name, figure)
    if checked.verdict is Verdict.UNDECIDED and not parts:
        checked = _by_another_percentile(checked, cell, operation)
    invalid = cell.invalid_by
    if invalid:
        why = f"the cell is invalid, see {', '.join(invalid)}"
        checked = replace(checked, verdict=Verdict.UNDECIDED, why=why)
    return replace(checked, doubted_by=tuple(dict.fromkeys((*invalid, *cell.unreliable_by))))


def _by_another_percentile(checked: Checked, cell: CellResults, operation: Operation) -> Checked:
    others = [each for quantity in Quantity if (each := cell.figure(quantity, operation)) is not None]
    decided = decided_by_another_percentile(checked.metric, others, checked.bound, is_at_most=checked.is_at_most)
    return checked if decided is None else replace(checked, verdict=decided[0], why=decided[1])


def _of_parts(expectation: ExpectationTable, cell: str, parts: Sequence[PartFigure]) -> Checked:
    """The worst plateau of a sustained transfer, or the best one if the best value is wanted."""
    checks = [replace(_judged(expectation, cell, each.figure), part=each.part) for each in parts]
    if expectation.choose is Choose.BEST:
        return max(checks, key=lambda each: each.margin_share or 0.0)
    return min(checks, key=lambda each: (SEVEREST_FIRST.index(each.verdict), each.margin_share or 0.0))


def _judged(expectation: ExpectationTable, cell: str, figure: Figure) -> Checked:
    """Compares one value with its bound."""
    is_at_most = expectation.at_most is not None
    verdict, why = verdict_on(figure, expectation.bound, is_at_most=is_at_most)
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
