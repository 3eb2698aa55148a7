"""The SLC cache: writes that drop to a lower level after some amount, and bursts after a pause."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from iosonde.analysis.burst_causes import DropCause, cause_of
from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.contrasts import Multiple, multiple_of
from iosonde.analysis.plateaus import Transfer
from iosonde.analysis.regimes import Regime, regimes_of
from iosonde.explanations.mechanism import Explanation, Mechanism
from iosonde.explanations.observed import NOTABLE, Observed, named, surely_above, times
from iosonde.findings.finding import Confidence
from iosonde.records import Access, CellRecord, Operation, Workload
from iosonde.units import SECOND_NS, format_amount, format_bandwidth, format_duration, format_size

RECOVERY_UNKNOWN: Final = "The run does not show whether the first level returns after the drive was idle."
CACHE_BYTES_MIN: Final = 100 << 20
"""Write buffers in DRAM have some tens of MB, SLC caches at least some GB (or this much on a scaled model)."""


def slc_cache(observed: Observed) -> Explanation | None:
    """Sequential writes continue at a lower level after some amount, and start at the high level after a pause."""
    causes = [cause_of(each, observed.sustained) for each in observed.sustained]
    if observed.is_rotational or DropCause.CREDITS in causes:
        return None
    drops = [*_drops(observed), *_drops_of_fill(observed), *_drops_of_sustained(observed, causes)]
    rises = [each for each in slower_bursts(observed) if each.short_bytes >= CACHE_BYTES_MIN]
    if not drops and not rises:
        return None
    back, gone = _recoveries(observed)
    evidence = [*(text for text, _ in drops[:1]), *(each.sentence for each in rises[:1]), *back[:1]]
    against = gone[:1] if rises or back or gone else [RECOVERY_UNKNOWN]
    if DropCause.THROTTLING in causes:
        against.append("The drive throttled during the sustained transfers of this run.")
    factor = max([*(each for _, each in drops), *(each.latency.value for each in rises)])
    confidence = Confidence.POSSIBLE if against else Confidence.LIKELY
    return Explanation(Mechanism.SLC_CACHE, confidence, tuple(evidence), tuple(against), factor)


def has_long_writes(observed: Observed) -> bool:
    """Whether the run has sequential writes that an SLC cache would slow down: long ones, or bursts of two lengths."""
    amounts = [each.transfer.bytes for each in observed.case.estimates.fills]
    amounts += [
        stretch.transfer.bytes
        for each in observed.sustained
        if each.workload.only_operation is Operation.WRITE
        for stretch in each.stretches
    ]
    return max(amounts, default=0) >= CACHE_BYTES_MIN


def _recoveries(observed: Observed) -> tuple[list[str], list[str]]:
    """Sustained writes after an idle time that have the fast part again, and those that have not."""
    back: list[str] = []
    gone: list[str] = []
    for found in observed.sustained:
        if found.workload.only_operation is not Operation.WRITE:
            continue
        for stretch, is_back in found.cache_recoveries:
            start = f"After {format_duration(stretch.idle_ns)} idle, sustained writes started at"
            if is_back:
                fast = stretch.transfer.plateaus[0]
                back.append(f"{start} {format_bandwidth(fast.bytes_per_s)} again, for {format_amount(fast.end_bytes)}.")
            elif is_back is False:
                gone.append(f"{start} {format_bandwidth(stretch.transfer.plateaus[0].bytes_per_s)}.")
    return back, gone


@dataclass(frozen=True)
class SlowerBursts:
    """Writes in long bursts that take longer than in short ones, each burst after the same pause."""

    short: CellEstimate
    long: CellEstimate
    latency: Multiple

    @property
    def short_bytes(self) -> float:
        """The size of a short burst."""
        return _burst_bytes(self.short)

    @property
    def sentence(self) -> str:
        """What the bursts show."""
        return (
            f"After a pause of {format_duration(self.short.workload.think_ns or 0)}, writes in bursts of "
            f"{format_size(round(_burst_bytes(self.long)))} take {times(self.latency)} as long as in bursts of "
            f"{format_size(round(self.short_bytes))}: the fast part is larger than the short burst, fills up in the "
            "long one, and is emptied in the pause."
        )


def slower_bursts(observed: Observed) -> list[SlowerBursts]:
    """Pairs of neighbouring burst lengths of sequential writes between which latency rises notably."""
    groups: dict[Workload, list[CellEstimate]] = {}
    for cell in observed.cells:
        if cell.direction is Operation.WRITE and cell.workload.burst_operations is not None:
            groups.setdefault(cell.workload.model_copy(update={"burst_operations": 1}), []).append(cell)
    found = []
    for group in groups.values():
        for short, long in pairwise(sorted(group, key=_burst_bytes)):
            assert short.subject is not None, "only cells with results are observed"
            assert long.subject is not None, "only cells with results are observed"
            latency = multiple_of(long.subject.latency_ns_mean, short.subject.latency_ns_mean, len(group))
            if surely_above(latency):
                found.append(SlowerBursts(short, long, latency))
    return found


def _burst_bytes(cell: CellEstimate) -> float:
    """The bytes that all workers write between two pauses."""
    return (cell.workload.burst_operations or 0) * cell.workload.bytes_per_operation * cell.workload.jobs


def _drops(observed: Observed) -> list[tuple[str, float]]:
    """The repeats of sequential writes whose throughput dropped to a lower level, and by which factor."""
    found = []
    for cell in observed.cells:
        asked = cell.workload
        if cell.direction is not Operation.WRITE or asked.pattern is not Access.SEQUENTIAL or asked.burst_operations:
            continue
        for record in observed.records(cell):
            regimes = regimes_of(record)
            if len(regimes) > 1 and regimes[0].iops > NOTABLE * regimes[-1].iops:
                found.append((_drop(cell, record, regimes), regimes[0].iops / max(regimes[-1].iops, 1.0)))
    return found


def _drops_of_sustained(observed: Observed, causes: Sequence[DropCause | None]) -> list[tuple[str, float]]:
    """Where a sustained write dropped as with a write cache, and by which factor."""
    caused = zip(observed.sustained, causes, strict=True)
    return [
        _fall("Sustained writes ran at", each.changed[0].transfer)
        for each, cause in caused
        if cause is DropCause.WRITE_CACHE
    ]


def _fall(begins: str, transfer: Transfer) -> tuple[str, float]:
    """The first two plateaus of a transfer in a sentence, and the factor between them."""
    first, second, *_ = transfer.plateaus
    text = (
        f"{begins} {format_bandwidth(first.bytes_per_s)} for {format_amount(first.end_bytes)}, then "
        f"{format_bandwidth(second.bytes_per_s)}."
    )
    return text, first.bytes_per_s / second.bytes_per_s


def _drops_of_fill(observed: Observed) -> list[tuple[str, float]]:
    """Where the bandwidth of a preconditioning write dropped to a lower plateau, and by which factor."""
    found = []
    for each in observed.case.estimates.fills:
        plateaus = each.transfer.plateaus
        if len(plateaus) > 1 and plateaus[0].bytes_per_s > NOTABLE * plateaus[1].bytes_per_s:
            found.append(_fall("Preconditioning wrote", each.transfer))
    return found


def _drop(cell: CellEstimate, record: CellRecord, regimes: Sequence[Regime]) -> str:
    size = cell.workload.bytes_per_operation
    first, last = regimes[0], regimes[-1]
    written = first.iops * size * (first.end_ns - first.start_ns) / SECOND_NS
    return (
        f"{named(cell)}, repeat {record.repeat}: {format_bandwidth(first.iops * size)} for "
        f"{format_amount(written)} ({format_duration(first.end_ns - first.start_ns)}), then "
        f"{format_bandwidth(last.iops * size)}."
    )
