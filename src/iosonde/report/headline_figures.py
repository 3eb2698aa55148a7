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
"""Names of figures that add nothing to the name of their group."""


@dataclass(frozen=True, kw_only=True)
class HeadlineFigure(Figure):
    """One number of a headline, with its name there.

    ``lowest`` and ``highest`` are the extremes of the percentile over the repeats; None for means, and if there are
    too few samples. ``remark`` says by how much the figure missed the requested precision.
    """

    name: str
    lowest: float | None = None
    highest: float | None = None
    remark: str = ""

    @property
    def is_implied(self) -> bool:
        """Whether its name adds nothing to the name of its group."""
        return self.name in IMPLIED_NAMES

    @property
    def is_aimed_at(self) -> bool:
        """Whether a requested precision applies to it: to throughput, mean latency and p99."""
        return self.is_mean or self.is_tail

    @property
    def is_tail(self) -> bool:
        """Whether it is a p99, of all operations or of one kind of a mix (``p99 of reads``)."""
        return self.quantity is Quantity.LATENCY_NS_P99


@dataclass(frozen=True)
class HeadlineGroup:
    """Figures that belong together, all from one cell.

    ``missing`` says why there are no figures; it is empty if there are some. ``doubted_by`` and ``invalid_by`` are the
    ids of the findings that make the cell's figures doubtful or invalid. ``of`` is the name of the operations in
    sentences.
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
        """The depth or rate of the cell. For the highest throughput it says so."""
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
    """A queue-depth sweep and its knee. The knee of a mix is that of all operations together.

    ``name`` is the name of the sweep in charts (``read``, ``70/30 mix``), ``operations`` that in sentences (``4 KiB
    random reads``).
    """

    name: str
    operations: str
    sweep: DepthSweep

    @property
    def knee(self) -> Knee:
        """The knee, or the reason why it is not identifiable."""
        return self.sweep.knee


@dataclass(frozen=True)
class Headline:
    """The headline of a run: groups of figures, and the knee of each queue-depth sweep.

    ``knees_invalid`` is a sentence on invalid cells in these sweeps, empty if there are none. ``untold`` names the
    kinds of workload for which the headline has no room; the tables have them.
    """

    groups: tuple[HeadlineGroup, ...]
    knees: tuple[SweptKnee, ...]
    knees_invalid: str = ""
    untold: tuple[str, ...] = ()

    @property
    def untold_text(self) -> str:
        """``untold`` as a sentence; empty if the headline has all kinds."""
        number = len(self.untold)
        if not number:
            return ""
        named = "; ".join(dict.fromkeys(self.untold[:NAMED_MAX]))
        more = f" and {number - NAMED_MAX} more" if number > NAMED_MAX else ""
        return f"The tables contain {number} more {'workload' if number == 1 else 'workloads'}: {named}{more}."
