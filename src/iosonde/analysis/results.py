"""Results from any source: the cells of a run, or of a document that another tool printed.

Expected values are compared with ``Results``, regardless of their source. Cells are selected by name or workload, and
each figure is computed on request: a run has thousands, and a file of expected values needs a few.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from iosonde.analysis.distribution import NOT_PRINTED
from iosonde.analysis.sustained_figures import PartFigure
from iosonde.figures import Figure
from iosonde.records import Operation, Provenance, Workload
from iosonde.vocabulary import Quantity


class ResultsKind(StrEnum):
    """The source of results: a run of iosonde, or a document of another tool."""

    RUN = "run"
    DOCUMENT = "document"


class CellResults(Protocol):
    """The figures of one cell of a run, or of one line or table of a document.

    ``workload`` is None if the document does not describe it completely; missing parts are never guessed. ``subject``
    is the operation that the cell measures. ``invalid_by`` and ``unreliable_by`` are the ids of the findings that make
    the cell invalid or doubtful. ``is_sustained``: it is one long transfer without repeats.
    """

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def workload(self) -> Workload | None: ...  # noqa: D102

    @property
    def subject(self) -> Operation: ...  # noqa: D102

    @property
    def invalid_by(self) -> tuple[str, ...]: ...  # noqa: D102

    @property
    def unreliable_by(self) -> tuple[str, ...]: ...  # noqa: D102

    @property
    def is_sustained(self) -> bool: ...  # noqa: D102

    def figure(self, quantity: Quantity, operation: Operation) -> Figure | None:
        """A quantity of an operation; None if there are no results for that operation."""

    def parts(self, quantity: Quantity, operation: Operation) -> Sequence[PartFigure]:
        """The quantity in each plateau of a sustained transfer; empty for other cells and quantities."""


class WrittenState(StrEnum):
    """The state of a drive: fresh out of the box or purged, written once, or in steady state."""

    FRESH = "fresh"
    PRECONDITIONED = "preconditioned"
    STEADY = "steady"


@dataclass(frozen=True)
class MeasuredConditions:
    """What is known of the conditions of all cells: the size of the test region, and how it was written before."""

    span_bytes: int | None = None
    state: WrittenState | None = None


UNKNOWN_CONDITIONS: Final = MeasuredConditions()


@dataclass(frozen=True)
class Results:
    """The results of one run or document, in the order of its cells. ``name`` is that of the run or document."""

    kind: ResultsKind
    name: str
    cells: Sequence[CellResults]
    conditions: MeasuredConditions = UNKNOWN_CONDITIONS


@dataclass(frozen=True, kw_only=True)
class PrintedCell:
    """``CellResults`` for a document: the figures printed in it."""

    name: str
    subject: Operation
    figures: Sequence[Figure]
    workload: Workload | None = None
    invalid_by: tuple[str, ...] = ()
    unreliable_by: tuple[str, ...] = ()
    is_sustained: bool = False

    def figure(self, quantity: Quantity, operation: Operation) -> Figure | None:
        """The printed figure. A quantity that the document omits has no value but a reason."""
        printed = {each.quantity: each for each in self.figures if each.operation is operation}
        if not printed:
            return None
        missing = Figure(
            quantity=quantity,
            operation=operation,
            value=None,
            provenance=Provenance.PRINTED,
            place=self.name,
            why_none=NOT_PRINTED,
        )
        return printed.get(quantity, missing)

    def parts(self, quantity: Quantity, operation: Operation) -> Sequence[PartFigure]:  # noqa: ARG002 - see below
        """No document has the plateaus of a transfer."""
        return ()
