"""The figures of a headline, as data."""

from dataclasses import dataclass
from typing import Final

from iosonde.analysis.experiments import DepthSweep
from iosonde.analysis.knee import Knee
from iosonde.figures import Figure
from iosonde.report.dashes import no_figures_text
from iosonde.vocabulary import Quantity

NAMED_MAX: Final = 4
BEST: Final = "best"
IMPLIED_NAMES: Final = frozenset({BEST, "rate"})
"""Names that the group's own says already."""


@dataclass(frozen=True, kw_only=True)
class HeadlineFigure(Figure):
    """One number of a headline, under the name that it has there.

    ``lowest`` and ``highest`` are the extremes of the repeats' own percentiles; None where samples do not support them,
    and for means. ``remark`` says by how much it is known less exactly than was asked.
    """

    name: str
    lowest: float | None = None
    highest: float | None = None
    remark: str = ""

    @property
    def is_implied(self) -> bool:
        """Whether its name says no more than that of its group."""
        return self.name in IMPLIED_NAMES

    @property
    def is_aimed_at(self) -> bool:
        """Whether a precision asks for it: throughput, mean latency and p99."""
        return self.is_mean or self.is_tail

    @property
    def is_tail(self) -> bool:
        """Whether it is a p99, of all operations or of one kind of a mix (``p99 of reads``)."""
        return self.quantity is Quantity.LATENCY_NS_P99


@dataclass(frozen=True)
class HeadlineGroup:
    """The figures that belong together, and the one cell that they come from.

    ``missing`` says why there are no figures; it is empty when there are. ``doubted_by`` are the ids of the findings
    that name the cell and call its figures doubtful, ``invalid_by`` those that make them invalid. ``of`` is what
    sentences call the operations.
    """

    id: str
    name: str
    where: str
    cell: str
    figures: tuple[HeadlineFigure, ...]
    missing: str = ""
    doubted_by: tuple[str, ...] = ()
    invalid_by: tuple[str, ...] = ()
    of: str = ""

    @property
    def where_text(self) -> str:
        """Where the figures were measured; of the best ones it says that they are."""
        return f"highest measured, at {self.where}" if self.is_best else self.where

    @property
    def is_best(self) -> bool:
        """Whether the figures are those of the cell with the highest throughput."""
        return bool(self.figures) and self.figures[0].name == BEST

    @property
    def missing_text(self) -> str:
        """Why there are no figures, as a sentence; empty when there are."""
        return no_figures_text(self.missing)


@dataclass(frozen=True)
class SweptKnee:
    """A sweep of queue depths and its knee; of a mix it is that of all of its operations.

    ``name`` is what charts call the sweep beside the others (``read``, ``70/30 mix``), ``operations`` what sentences
    call it (``4 KiB random reads``).
    """

    name: str
    operations: str
    sweep: DepthSweep

    @property
    def knee(self) -> Knee:
        """The knee, or why there is none to be told."""
        return self.sweep.knee


@dataclass(frozen=True)
class Headline:
    """The headline of a run: groups of figures, and the knee of each workload whose depths were swept.

    ``knees_invalid`` is a sentence on the cells of these sweeps that are invalid, empty where none is. ``untold`` names
    the kinds of workload that the tables alone have, because there are too many for a headline.
    """

    groups: tuple[HeadlineGroup, ...]
    knees: tuple[SweptKnee, ...]
    knees_invalid: str = ""
    untold: tuple[str, ...] = ()

    @property
    def untold_text(self) -> str:
        """The same as a sentence; empty where all kinds are told."""
        number = len(self.untold)
        if not number:
            return ""
        named = "; ".join(self.untold[:NAMED_MAX])
        more = f" and {number - NAMED_MAX} more" if number > NAMED_MAX else ""
        return f"The tables contain {number} more {'workload' if number == 1 else 'workloads'}: {named}{more}."
