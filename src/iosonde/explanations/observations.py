"""Observations that call for a cause, with the mechanisms that could be it, and what the run shows of each of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.contrasts import Property
from iosonde.analysis.histogram import percent_label
from iosonde.analysis.interference import interference_of
from iosonde.analysis.tail_causes import Cause, tail_causes
from iosonde.explanations.examined import Examined
from iosonde.explanations.mechanism import OF_HOST, Mechanism
from iosonde.explanations.observed import Observed, named, surely_above, surely_below, times
from iosonde.findings.case import Case
from iosonde.findings.finding import Finding
from iosonde.records import Operation
from iosonde.units import format_latency

TAIL_MIN: Final = 5.0
"""A percentile that is so many times the median is a tail that asks for a cause."""

TAIL_PERCENTS: Final = (99.9, 99.0)
TAILS_MAX: Final = 3
"""The most cells of reads, and of writes, whose tail is an observation."""

MEDIAN: Final = 50.0

TAIL_OF_READS: Final = (
    Mechanism.COLLECTION,
    Mechanism.DIE_CONFLICTS,
    Mechanism.READ_CACHE,
    Mechanism.SCHEDULER,
    Mechanism.CPU_BOUND,
)
TAIL_OF_WRITES: Final = (
    Mechanism.COLLECTION,
    Mechanism.SLC_CACHE,
    Mechanism.FLUSH,
    Mechanism.WRITE_BUFFER,
    Mechanism.THROTTLING,
    Mechanism.SCHEDULER,
    Mechanism.CPU_BOUND,
)
READS_IN_MIX: Final = (
    Mechanism.COLLECTION,
    Mechanism.WRITE_BUFFER,
    Mechanism.DIE_CONFLICTS,
    Mechanism.FLUSH,
    Mechanism.THROTTLING,
)
ORDER_OF_READS: Final = (Mechanism.READ_AHEAD, Mechanism.DIE_CONFLICTS, Mechanism.READ_CACHE, Mechanism.SCHEDULER)
ORDER_OF_WRITES: Final = (Mechanism.COLLECTION, Mechanism.SCHEDULER)
SAME_DIE: Final = (Mechanism.DIE_CONFLICTS, Mechanism.READ_CACHE, Mechanism.SCHEDULER)
"""Neighbouring blocks share a page, and so a die: at depth, small sequential requests wait for each other."""


@dataclass(frozen=True)
class Observation:
    """What the run shows for certain, and the mechanisms that could cause it, with what the run shows of each.

    ``shares`` says how many of the slowest operations the host and the device delayed; empty if that is not known.
    """

    text: str
    causes: tuple[Examined, ...]
    shares: str = ""


def observations(case: Case, findings: Sequence[Finding], examined: Sequence[Examined]) -> tuple[Observation, ...]:
    """The observations of a run: reads that mixes slow down, tails at depth 1, and effects of the order of access."""
    observed = Observed(case, tuple(findings))
    known = {each.mechanism: each for each in examined}
    return tuple(
        Observation(text, _causes(mechanisms, observed, known), shares)
        for text, mechanisms, shares in (*_mixes(observed), *_tails(observed), *_orders(observed))
    )


_Told = tuple[str, tuple[Mechanism, ...], str]


def _causes(
    mechanisms: Sequence[Mechanism], observed: Observed, known: Mapping[Mechanism, Examined]
) -> tuple[Examined, ...]:
    """The mechanisms that the target can have: a simulated drive has no host, and a disk collects no garbage."""
    absent = set() if any(target.is_storage for target in observed.case.run.header.targets) else OF_HOST
    of_flash = {Mechanism.COLLECTION, Mechanism.SLC_CACHE, Mechanism.DIE_CONFLICTS} if observed.is_rotational else set()
    return tuple(known[each] for each in mechanisms if each not in absent | of_flash)


def _mixes(observed: Observed) -> Iterator[_Told]:
    """The mix that raises p99 of its reads most; without percentiles, the one that raises their mean."""
    compared = [(each.cell, each.reads) for each in interference_of(observed.cells, observed.cells)]
    for name, found in (
        ("p99", [(each.latency_p99, cell) for cell, each in compared]),
        ("mean latency", [(each.latency_mean, cell) for cell, each in compared]),
    ):
        raised = [(multiple, cell) for multiple, cell in found if multiple is not None and surely_above(multiple)]
        if raised:
            multiple, cell = max(raised, key=lambda each: each[0].value)
            text = f"In {named(cell)}, {name} of reads is {times(multiple)} that of pure reads."
            yield text, READS_IN_MIX, _shares(cell)
            return


def _tails(observed: Observed) -> Iterator[_Told]:
    """The longest tails of reads and of writes with one operation in flight, as multiples of the median."""
    single = [cell for cell in observed.cells if cell.queue_depth_asked == 1 and not cell.workload.has_pauses]
    for operation, causes in ((Operation.READ, TAIL_OF_READS), (Operation.WRITE, TAIL_OF_WRITES)):
        tails = [tail for cell in single if cell.direction is operation and (tail := _tail(cell)) is not None]
        for factor, percent, value_ns, cell in sorted(tails, key=lambda each: -each[0])[:TAILS_MAX]:
            text = (
                f"In {named(cell)}, {percent_label(percent)} is {factor:.0f} times the median "
                f"({format_latency(value_ns)}), although no other operation is in flight."
            )
            yield text, causes, _shares(cell)


def _tail(cell: CellEstimate) -> tuple[float, float, int, CellEstimate] | None:
    figures = cell.subject
    assert figures is not None, "only cells with results are observed"
    median_ns = figures.percentile(MEDIAN).value_ns
    for percent in TAIL_PERCENTS:
        value_ns = figures.percentile(percent).value_ns
        if value_ns is not None and median_ns:
            factor = value_ns / median_ns
            return (factor, percent, value_ns, cell) if factor >= TAIL_MIN else None
    return None


def _shares(cell: CellEstimate) -> str:
    """How many of the slowest operations of a cell on a real target the host and the device delayed."""
    found = tail_causes(cell.repeats.used)
    if found is None or found.simulated:
        return ""
    host, device = (found.by_cause[each] for each in (Cause.HOST, Cause.DEVICE))
    return f"The host delayed {host} of its {found.slowest} slowest operations, the device {device}."


def _orders(observed: Observed) -> Iterator[_Told]:
    """The largest effects of the order of access on reads and on writes, in either direction."""
    for operation, causes in ((Operation.READ, ORDER_OF_READS), (Operation.WRITE, ORDER_OF_WRITES)):
        pairs = [each for each in observed.contrasts(Property.PATTERN) if each.one.direction is operation]
        slower = [each for each in pairs if surely_above(each.latency_mean)]
        faster = [each for each in pairs if surely_below(each.latency_mean)]
        for found, pick, possible in ((slower, max, causes), (faster, min, SAME_DIE)):
            if found:
                most = pick(found, key=lambda each: each.latency_mean.value)
                text = f"{named(most.one)} take {times(most.latency_mean)} as long as {named(most.other)}."
                yield text, possible, ""
