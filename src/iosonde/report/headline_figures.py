"""The figures of a headline, as data."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from iosonde.analysis.estimate import Estimate
from iosonde.analysis.experiments import DepthSweep
from iosonde.analysis.histogram import TAIL_PERCENT, percent_label
from iosonde.analysis.knee import Knee

NAMED_MAX: Final = 4


class Quantity(StrEnum):
    """What kind of number a headline figure is; its value is in the base unit named here."""

    IOPS = "operations_per_s"
    COMMITS = "commits_per_s"
    BANDWIDTH = "bytes_per_s"
    LATENCY = "latency_ns"


@dataclass(frozen=True)
class HeadlineFigure:
    """One number in a base unit.

    ``estimate`` is there for means over repeats. A percentile has none: it is read from all repeats added up, ``low``
    and ``high`` bound it with 95 % confidence, and ``lowest`` and ``highest`` are the extremes of the repeats' own;
    either pair is None where samples do not support it.
    ``value`` is None when too few samples lie beyond the percentile. ``why_none`` says why it has no value or no
    interval; it is empty where it has both. ``remark`` says by how much it is known less exactly than was asked.
    """

    name: str
    quantity: Quantity
    value: float | None
    estimate: Estimate | None = None
    low: float | None = None
    high: float | None = None
    lowest: float | None = None
    highest: float | None = None
    why_none: str = ""
    remark: str = ""

    @property
    def is_aimed_at(self) -> bool:
        """Whether a precision asks for it: throughput, mean latency and p99."""
        return self.estimate is not None or self.is_tail

    @property
    def is_tail(self) -> bool:
        """Whether it is a p99, of all operations or of one kind of a mix (``p99 of reads``)."""
        return self.name.partition(" of ")[0] == percent_label(TAIL_PERCENT)


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
        return f"Further {'kind' if number == 1 else 'kinds'} of workload in the tables: {named}{more}."
