"""Rules about the repeats of a cell: how far they differ, and which were discarded."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.means import means_over
from iosonde.analysis.states import Repeats
from iosonde.findings.case import Case, count_of
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import CellRecord, Workload
from iosonde.units import format_iops
from iosonde.vocabulary import Fate

# Half the 95 % interval against the mean: beyond this, two runs may rank two drives the other way round.
SPREAD_MAX = 0.10
EVIDENCE_MAX: Final = 10
DISCARDED_SHARE_MAX: Final = 1 / 3
"""If more of a cell's finished repeats than this are discarded on the evidence of their own figures, the selection may
shape the result."""

FROM_OUTSIDE: Final = frozenset({Fate.CONTAMINATED, Fate.STEAL})
"""Decided by evidence from outside the repeat: discarding these does not select results."""

WHY_DISCARDED: Final = {
    Fate.CONTAMINATED: "another run was at work on the device",
    Fate.STEAL: "the hypervisor gave CPU time to others",
    Fate.INITIAL_STATE: "the target was in its initial state",
    Fate.WARMING_UP: "the warm-up was too short",
}
"""Why a finished repeat is in no figure."""


def repeats_differ(case: Case) -> Iterator[Finding]:
    """The repeats of a cell differ so much that its mean is known to no better than a tenth."""
    if case.run.header.plan.aim is not None and case.run.finished:
        return  # What was asked for is told instead, by another rule.
    wide: list[tuple[CellEstimate, float]] = []
    for cell in case.estimates.cells:
        # How many operations come of those that are wanted at random is chance, and nothing of the target's.
        if cell.subject is not None and not cell.workload.is_open_loop:
            half = cell.subject.iops.half_width
            if half is not None and half / cell.subject.iops.mean > SPREAD_MAX:
                wide.append((cell, half / cell.subject.iops.mean))
    if wide:
        wide.sort(key=lambda each: -each[1])
        cell, spread = wide[0]
        how = "without --quick " if case.run.header.plan.quick else ""
        yield Finding(
            id="repeats-differ",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement=(
                f"{count_of(len(wide), 'cell')} of {len(case.estimates.cells)} can't be told within ±{SPREAD_MAX:.0%} "
                f"from their repeats; the widest is {cell.cell} with ±{spread:.0%} of its throughput."
            ),
            evidence=tuple((each.cell, f"±{part:.0%}") for each, part in wide[:10]),
            advice="Use these figures with their intervals, which hold; to narrow them, "
            f"{'' if case.is_simulated else 'let nothing else run and '}measure longer.",
            deciding_test=f"The same run {how}{'with longer cells' if case.is_simulated else 'on an idle host'}.",
            cells=tuple(each.cell for each, _ in wide),
        )


@dataclass(frozen=True)
class _Discards:
    """A cell that discarded repeats, with its mean operations a second by those used and by all; None without any."""

    cell: str
    repeats: Repeats
    mean: float | None
    mean_of_all: float | None

    @property
    def finished(self) -> int:
        return len(self.repeats.used) + len(self.repeats.discarded)

    @property
    def share(self) -> float:
        return len(self.repeats.discarded) / self.finished

    @property
    def many(self) -> bool:
        chosen = [each for each in self.repeats.discarded if self.repeats.fates[each.order] not in FROM_OUTSIDE]
        return len(chosen) / self.finished > DISCARDED_SHARE_MAX

    @property
    def told(self) -> str:
        """How many were discarded and why, and what they would change."""
        fates = Counter(self.repeats.fates[record.order] for record in self.repeats.discarded)
        whys = ", ".join(f"{number} because {WHY_DISCARDED[fate]}" for fate, number in fates.items())
        return f"{len(self.repeats.discarded)} of {self.finished} repeats ({whys}){self._means}"

    @property
    def _means(self) -> str:
        if self.mean is None or self.mean_of_all is None:
            return ""
        return f"; {format_iops(self.mean)} IOPS without them, {format_iops(self.mean_of_all)} with all"


def repeats_discarded(case: Case) -> Iterator[Finding]:
    """Finished repeats of a cell are in none of its figures."""
    found = [
        _discards_of(cell.cell, cell.workload, cell.repeats) for cell in case.estimates.cells if cell.repeats.discarded
    ]
    if not found:
        return
    found.sort(key=lambda each: -each.share)
    worst, number = found[0], sum(len(each.repeats.discarded) for each in found)
    others = "" if len(found) == 1 else f"; {number} repeats of {len(found)} cells in all"
    grave = [each for each in found if each.many]
    yield Finding(
        id="repeats-discarded",
        severity=Severity.DOUBTFUL if grave else Severity.NOTE,
        confidence=Confidence.LIKELY,
        statement=f"{worst.cell} discarded {worst.told}{others}.",
        evidence=tuple((each.cell, each.told) for each in found[:EVIDENCE_MAX]),
        advice=(
            "Compare both means: where they differ by more than you can bear, do not rely on the figures of the cell. "
            "`iosonde show RUN CELL` and the plan on the page have the fate of each repeat."
        ),
        deciding_test=f"{count_of(len(found), 'cell')} once more, with the device for yourself and a longer warm-up.",
        # Of a cell that lost few, the figures stand.
        cells=tuple(each.cell for each in grave or found),
    )


def _discards_of(cell: str, workload: Workload, repeats: Repeats) -> _Discards:
    finished = sorted((*repeats.used, *repeats.discarded), key=lambda record: record.order)
    return _Discards(cell, repeats, _mean(workload, repeats.used), _mean(workload, finished))


def _mean(workload: Workload, records: Sequence[CellRecord]) -> float | None:
    found = means_over(workload, records)
    return None if found is None else found.iops
