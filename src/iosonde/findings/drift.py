"""Rules about a target that changes over the run: throughput that drifts.

The trend is the seasonal Kendall test (Hirsch, Slack and Smith 1982): each cell is a season with its own level, and the
signs of all its pairs of repeats are added up over the cells.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import factorial, sqrt
from statistics import median
from typing import Final

from iosonde.analysis.totals import count_all
from iosonde.findings.case import Case, count_of
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import CellRecord, Experiment, Outcome
from iosonde.units import SECOND_NS, format_percent

REPEATS_MIN: Final = 3
CELLS_MIN: Final = 5
"""With fewer cells, three repeats in a row are not evidence enough."""

ERRORS_MIN: Final = 3.29
"""A trend of a run without one is this many standard errors large in 0.1 % of runs."""

CHANGE_MIN: Final = 0.05
EVIDENCE_MAX: Final = 10


@dataclass(frozen=True)
class _Series:
    """A cell with the IOPS of its repeats in run order."""

    cell: str
    iops: tuple[float, ...]

    @property
    def score(self) -> int:
        """The pairs of repeats that rise, less those that fall."""
        return sum((later > earlier) - (later < earlier) for earlier, later in combinations(self.iops, 2))

    @property
    def variance(self) -> float:
        """The variance of the score without a trend."""
        number = len(self.iops)
        return number * (number - 1) * (2 * number + 5) / 18

    @property
    def ratio(self) -> float:
        """The last repeat relative to the first."""
        return self.iops[-1] / self.iops[0]

    def is_monotonic(self, sign: int) -> bool:
        """Whether each repeat continues in the direction of the sign."""
        return self.score * sign == len(self.iops) * (len(self.iops) - 1) // 2


def drift(case: Case) -> Iterator[Finding]:
    """Throughput rises or falls over the run, in more cells than by chance."""
    series = _series_of(case.run.cells)
    if len(series) < CELLS_MIN:
        return
    score, error = sum(each.score for each in series), sqrt(sum(each.variance for each in series))
    # Continuity correction: the score changes in steps of 2.
    errors = (abs(score) - 1) / error
    sign, word = (1, "rose") if score > 0 else (-1, "fell")
    change = median(each.ratio for each in series) - 1
    if errors < ERRORS_MIN or change * sign < CHANGE_MIN:
        return
    same = [each for each in series if each.is_monotonic(sign)]
    expected = sum(1 / factorial(len(each.iops)) for each in series)
    far = sorted(same or series, key=lambda each: each.ratio, reverse=sign > 0)
    yield Finding(
        id="drift",
        severity=Severity.DOUBTFUL,
        confidence=Confidence.LIKELY,
        statement=(
            f"Throughput {word} over the run: in {len(same)} of {count_of(len(series), 'cell')}, each repeat is "
            f"{'higher' if sign > 0 else 'lower'} than the one before; by chance, it would be about {expected:.1f}. "
            f"The median change from the first repeat to the last is {format_percent(change, signed=True)}."
        ),
        evidence=tuple(
            (each.cell, f"{format_percent(each.ratio - 1, signed=True)} in {len(each.iops)} repeats")
            for each in far[:EVIDENCE_MAX]
        ),
        advice=(
            "The means are averages over a target that changed, and the intervals do not cover its later state. "
            "Precondition with the same workload until throughput no longer changes, or cool the drive, then run again."
        ),
        deciding_test=(
            'An experiment with kind = "sustained" shows where throughput ends, and whether idle time restores it.'
        ),
        cells=tuple(each.cell for each in same),
    )


def _series_of(records: Sequence[CellRecord]) -> list[_Series]:
    """Cells with enough repeats. In an open loop, the number of arrivals says nothing about the target."""
    held: dict[str, list[float]] = {}
    for record in sorted(records, key=lambda each: each.order):
        if record.outcome is Outcome.FINISHED and not record.workload.is_open_loop and not is_sustained(record):
            rate = count_all(record.operations) * SECOND_NS / record.measured_ns if record.measured_ns else 0.0
            held.setdefault(record.cell, []).append(rate)
    found = (_Series(cell, tuple(rates)) for cell, rates in held.items())
    return [each for each in found if len(each.iops) >= REPEATS_MIN and min(each.iops) > 0]


def is_sustained(record: CellRecord) -> bool:
    """In a sustained transfer, changes are the result."""
    return Experiment.SUSTAINED in record.experiments
