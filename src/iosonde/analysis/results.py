"""Whatever gives figures: the cells of a run, or those of a document that another tool printed.

Expected values are held against ``Results``, so that nobody asks where a figure comes from. Cells are looked for by
name and workload, and a figure is made when it is asked for: a run has thousands, and a file of expectations asks for
a few.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from iosonde.analysis.distribution import NOT_PRINTED
from iosonde.figures import Figure
from iosonde.records import Operation, Provenance, Workload
from iosonde.vocabulary import Quantity


class ResultsKind(StrEnum):
    """Where results stand: in a run of iosonde, or in a document of another tool."""

    RUN = "run"
    DOCUMENT = "document"


class CellResults(Protocol):
    """The figures of one cell: of a run, or of what a line or a table of a document is about.

    ``workload`` is None where the document does not say all of it; nobody fills in what it leaves out. ``subject`` is
    the class of operations that the cell is about. ``invalid_by`` and ``unreliable_by`` are the ids of the findings
    that call its figures invalid, or doubtful.
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

    def figure(self, quantity: Quantity, operation: Operation) -> Figure | None:
        """A quantity of a class of operations; None where nothing is known of that class."""


@dataclass(frozen=True)
class Results:
    """The results of one run or one document, cell by cell in its order. ``name`` is the run's, or the document's."""

    kind: ResultsKind
    name: str
    cells: Sequence[CellResults]


@dataclass(frozen=True, kw_only=True)
class PrintedCell:
    """The ``CellResults`` of a document: the figures that stand in it."""

    name: str
    subject: Operation
    figures: Sequence[Figure]
    workload: Workload | None = None
    invalid_by: tuple[str, ...] = ()
    unreliable_by: tuple[str, ...] = ()

    def figure(self, quantity: Quantity, operation: Operation) -> Figure | None:
        """What was printed. A quantity that was left out has no value, and says why."""
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
