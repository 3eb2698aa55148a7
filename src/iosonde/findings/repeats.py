"""Rules about the repeats of a cell: how much they differ, and which were discarded."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.means import means_over
from iosonde.analysis.states import Repeats
from iosonde.findings.case import Case, count_of
from iosonde.findings.drift import drift
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.findings.health import drive_throttled
from iosonde.records import CellRecord, Workload
from iosonde.units import format_iops, format_percent
from iosonde.vocabulary import DiscardReason

# Half the 95 % interval as a share of the mean. Above this, two runs may rank two drives in opposite order.
SPREAD_MAX = 0.10
EVIDENCE_MAX: Final = 10
DISCARDED_SHARE_MAX: Final = 1 / 3
"""If a larger share of a cell's finished repeats is discarded because of their own results, the selection may bias the
mean."""

FROM_OUTSIDE: Final = frozenset({DiscardReason.CONTAMINATED, DiscardReason.STEAL})
"""Discarded on evidence from outside the repeat: this does not select results."""

WHY_DISCARDED: Final = {
    DiscardReason.CONTAMINATED: "another run used the device",
    DiscardReason.STEAL: "the hypervisor gave CPU time to other guests",
    DiscardReason.INITIAL_STATE: "the first repeats differ from all later ones",
    DiscardReason.WARMING_UP: "the warm-up was too short",
}
"""Why a finished repeat was discarded."""


def repeats_differ(case: Case) -> Iterator[Finding]:
    """The repeats of a cell differ so much that the interval of its mean is wider than ±10 %."""
    if case.run.header.plan.aim is not None and case.run.finished:
        return  # precision-missed reports the requested precision instead.
    wide: list[tuple[CellEstimate, float]] = []
    without = 0
    # Longer measurements do not narrow the intervals of a target that changes: these cells have other findings.
    changing = {cell for finding in (*drift(case), *drive_throttled(case)) for cell in finding.cells}
    for cell in case.estimates.cells:
        # In an open loop the number of arrivals is random, and says nothing about the target.
        if cell.subject is not None and not cell.workload.is_open_loop and cell.cell not in changing:
            half = cell.subject.iops.half_width
            without += half is None and cell.subject.iops.repeats > 1
            if half is not None and half / cell.subject.iops.mean > SPREAD_MAX:
                wide.append((cell, half / cell.subject.iops.mean))
    if wide:
        wide.sort(key=lambda each: -each[1])
        cell, spread = wide[0]
        more = f" {count_of(without, 'other cell')} {'has' if without == 1 else 'have'} no interval." if without else ""
        others = [cell for cell in case.estimates.cells if cell.cell not in changing]
        rest = " that neither drifted nor throttled" if changing else ""
        how = "without --quick and " if case.run.header.plan.quick else ""
        yield Finding(
            id="repeats-differ",
            severity=Severity.NOTE,
            confidence=Confidence.CERTAIN,
            statement=(
                f"In {len(wide)} of {count_of(len(others), 'cell')}{rest}, the repeats vary so much that the "
                f"95 % confidence interval for throughput is wider than ±{format_percent(SPREAD_MAX)}. The "
                f"widest of these intervals, in {cell.cell}, is ±{format_percent(spread)}.{more}"
            ),
            evidence=tuple((each.cell, f"±{format_percent(part)}") for each, part in wide[:10]),
            advice="The confidence intervals are valid; report them with the results. To narrow the intervals, "
            f"{'' if case.is_simulated else 'stop other I/O and '}increase the measurement time.",
            deciding_test=(
                f"Run again {how}{'with a longer measurement time' if case.is_simulated else 'on an idle host'}."
            ),
            cells=tuple(each.cell for each, _ in wide),
        )


@dataclass(frozen=True)
class _Discards:
    """A cell with discarded repeats, and its mean IOPS over the used repeats and over all; None if there is none."""

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
        """How many repeats were discarded and why, and the mean with and without them."""
        fates = Counter(self.repeats.fates[record.order] for record in self.repeats.discarded)
        whys = ", ".join(f"{number} because {WHY_DISCARDED[fate]}" for fate, number in fates.items())
        return f"{len(self.repeats.discarded)} of {self.finished} repeats ({whys}){self._means}"

    @property
    def _means(self) -> str:
        if self.mean is None or self.mean_of_all is None:
            return ""
        return (
            f". The mean is {format_iops(self.mean)} IOPS without the discarded repeats and "
            f"{format_iops(self.mean_of_all)} IOPS with them"
        )


def repeats_discarded(case: Case) -> Iterator[Finding]:
    """Finished repeats of a cell were discarded."""
    found = [
        _discards_of(cell.cell, cell.workload, cell.repeats) for cell in case.estimates.cells if cell.repeats.discarded
    ]
    if not found:
        return
    found.sort(key=lambda each: -each.share)
    worst, number = found[0], sum(len(each.repeats.discarded) for each in found)
    others = "" if len(found) == 1 else f". In total, iosonde discarded {number} repeats of {len(found)} cells"
    grave = [each for each in found if each.many]
    yield Finding(
        id="repeats-discarded",
        severity=Severity.DOUBTFUL if grave else Severity.NOTE,
        confidence=Confidence.LIKELY,
        statement=f"In {worst.cell}, iosonde discarded {worst.told}{others}.",
        evidence=tuple((each.cell, each.told) for each in found[:EVIDENCE_MAX]),
        advice=(
            "Compare the two means. If they differ by more than you can accept, do not use the results of the cell. "
            "`iosonde show RUN CELL` and the plan in the report list the discarded repeats and the reasons."
        ),
        deciding_test="Run these cells again with no other I/O on the device and a longer warm-up.",
        # A cell that discarded few repeats keeps valid results.
        cells=tuple(each.cell for each in grave or found),
    )


def _discards_of(cell: str, workload: Workload, repeats: Repeats) -> _Discards:
    finished = sorted((*repeats.used, *repeats.discarded), key=lambda record: record.order)
    return _Discards(cell, repeats, _mean(workload, repeats.used), _mean(workload, finished))


def _mean(workload: Workload, records: Sequence[CellRecord]) -> float | None:
    found = means_over(workload, records)
    return None if found is None else found.iops
