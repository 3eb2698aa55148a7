"""Every mechanism, and what a run shows of it: it is named, not seen, left open, or the run has nothing to show it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from iosonde.analysis.contrasts import Multiple, Property, multiple_of
from iosonde.analysis.drive_counters import changes_of
from iosonde.charts.quantities import operations_label
from iosonde.explanations.limits import FLAT, is_level
from iosonde.explanations.mechanism import Explanation, Mechanism
from iosonde.explanations.observed import NOTABLE, Observed, named, surely_below, times
from iosonde.explanations.reads import MODES_BYTES_MAX, READ_AHEAD_BYTES_MAX, is_random_read
from iosonde.explanations.slc_cache import has_long_writes
from iosonde.explanations.writes import DURABLE_MIN, buffered_pairs
from iosonde.findings.case import Case
from iosonde.findings.finding import Finding
from iosonde.records import Operation


class Outcome(StrEnum):
    """What a run shows of a mechanism.

    ``named``: its marks, so that it is among the explanations. ``not seen``: the comparison that would show it, without
    an effect. ``undecided``: that comparison, with an interval that neither shows nor excludes a notable effect. ``not
    tested``: the run has no cells for the comparison.
    """

    NAMED = "named"
    NOT_SEEN = "not seen"
    UNDECIDED = "undecided"
    NOT_TESTED = "not tested"


@dataclass(frozen=True)
class Examined:
    """A mechanism, the outcome, and a sentence: the comparison that was made, or the cells that it needs."""

    mechanism: Mechanism
    outcome: Outcome
    text: str


@dataclass(frozen=True)
class _Compared:
    """A comparison whose ratio would exceed ``factor`` if the mechanism were at work."""

    multiple: Multiple
    text: str
    factor: float = NOTABLE


NEEDS: Final[Mapping[Mechanism, str]] = {
    Mechanism.THROTTLING: "a drive whose counter of throttling can be read.",
    Mechanism.SLC_CACHE: "sequential writes of many GB, by preconditioning, bursts or a sustained experiment.",
    Mechanism.COLLECTION: "random and sequential writes of the same size and depth, or a counter of media writes.",
    Mechanism.FLUSH: "durable and plain writes of the same size and depth.",
    Mechanism.WRITE_BUFFER: "random reads and plain random writes at depth 1, a mix of both, or bursts of writes.",
    Mechanism.READ_CACHE: "random reads at depth 1, or test regions of several sizes.",
    Mechanism.READ_AHEAD: "random and sequential reads of at most 64 KiB at the same depth.",
    Mechanism.DIE_CONFLICTS: "random reads at depth 1 and at least two other depths.",
    Mechanism.LINK_LIMIT: "reads of at least two block sizes.",
    Mechanism.COMMAND_LIMIT: "random reads at three depths or more, and reads of a larger block size.",
    Mechanism.SCHEDULER: "the request counters of a block device.",
    Mechanism.CPU_BOUND: "a real drive: no host takes part in a simulation.",
}
"""The cells or facts without which a run cannot show a mechanism."""


def examine(case: Case, findings: Sequence[Finding], explanations: Sequence[Explanation]) -> tuple[Examined, ...]:
    """All mechanisms in the order of ``Mechanism``. ``explanations`` are those that ``explain`` found."""
    observed = Observed(case, tuple(findings))
    seen = {each.mechanism: each for each in explanations}
    return tuple(_examined(mechanism, observed, seen.get(mechanism)) for mechanism in Mechanism)


def _examined(mechanism: Mechanism, observed: Observed, explanation: Explanation | None) -> Examined:
    if explanation is not None:
        return Examined(mechanism, Outcome.NAMED, f"See above ({explanation.confidence}).")
    found = _LOOKS[mechanism](observed)
    if found is None:
        return Examined(mechanism, Outcome.NOT_TESTED, f"This needs {NEEDS[mechanism]}")
    if isinstance(found, str):
        return Examined(mechanism, Outcome.NOT_SEEN, found)
    excluded = surely_below(found.multiple, found.factor)
    return Examined(mechanism, Outcome.NOT_SEEN if excluded else Outcome.UNDECIDED, found.text)


def _widest(compared: Sequence[_Compared]) -> _Compared | None:
    """The comparison with the largest ratio."""
    return max(compared, key=lambda each: each.multiple.value, default=None)


def _throttling(observed: Observed) -> str | None:
    changes = [
        change for _, change in changes_of(observed.case.run) if change is not None and change.throttled_ns is not None
    ]
    return "By its own counter, the drive throttled for less than 1 % of each measurement." if changes else None


def _slc_cache(observed: Observed) -> str | None:
    if not has_long_writes(observed):
        return None
    return "No long sequential write of this run drops to a lower level while it lasts."


def _collection(observed: Observed) -> _Compared | None:
    return _widest(
        [
            _Compared(
                each.latency_mean, f"{named(each.one)} take {times(each.latency_mean)} as long as {named(each.other)}."
            )
            for each in observed.contrasts(Property.PATTERN)
            if each.one.direction is Operation.WRITE
        ]
    )


def _flush(observed: Observed) -> _Compared | None:
    return _widest(
        [
            _Compared(
                each.latency_mean,
                f"{named(each.one)} take {times(each.latency_mean)} as long as the same writes without it.",
                DURABLE_MIN,
            )
            for each in observed.contrasts(Property.DURABILITY)
        ]
    )


def _write_buffer(observed: Observed) -> _Compared | None:
    return _widest([_Compared(pair.latency, pair.sentence) for pair in buffered_pairs(observed)])


def _read_cache(observed: Observed) -> str | None:
    if any(is_random_read(cells[0]) for cells in observed.span_sweeps):
        return "Random reads of a small test region are not faster than those of the whole one."
    small = [
        cell
        for cell in observed.cells
        if is_random_read(cell) and cell.queue_depth_asked == 1 and cell.workload.bytes_per_operation <= MODES_BYTES_MAX
    ]
    return f"{named(small[0])} do not have two separate latencies." if small else None


def _read_ahead(observed: Observed) -> _Compared | None:
    """The smallest reads at the lowest depth: they have the most to gain."""
    found = (
        each
        for each in observed.contrasts(Property.PATTERN)
        if each.one.direction is Operation.READ and each.one.workload.block_size_bytes <= READ_AHEAD_BYTES_MAX
    )
    first = next(found, None)
    if first is None:
        return None
    text = f"{named(first.one)} take {times(first.latency_mean)} as long as {named(first.other)}."
    return _Compared(first.latency_mean, text)


def _die_conflicts(observed: Observed) -> str | None:
    swept = [
        sweep
        for sweep in observed.depth_sweeps
        if is_random_read(sweep.cells[0]) and sweep.cells[0].queue_depth_asked == 1
    ]
    if not swept or observed.is_rotational:
        return None
    return f"The throughput of {named(swept[0].cells[0])} and above stays near its limits."


def _link_limit(observed: Observed) -> _Compared | None:
    """The bandwidth of the second largest block size as a share of that of the largest: near 1 at a limit."""
    compared = []
    for sweep in observed.size_sweeps:
        previous, largest = sweep.cells[-2:]
        if largest.direction is not Operation.READ or previous.subject is None or largest.subject is None:
            continue
        ratio = multiple_of(previous.subject.bytes_per_s, largest.subject.bytes_per_s)
        text = f"{named(previous)} deliver {times(ratio)} the bandwidth of {named(largest)}."
        compared.append(_Compared(ratio, text, 1 - FLAT))
    return _widest(compared)


def _command_limit(observed: Observed) -> str | None:
    sweeps = [sweep for sweep in observed.depth_sweeps if is_random_read(sweep.cells[0])]
    sizes = {cell.workload.bytes_per_operation for cell in observed.cells if cell.direction is Operation.READ}
    if not sweeps or len(sizes) == 1:
        return None
    level = [sweep for sweep in sweeps if is_level(sweep)]
    if not level:
        return "IOPS of random reads are not certainly level at the two largest depths."
    return f"{operations_label(level[0].cells[0].workload)} are level, but larger reads reach no more bandwidth."


def _scheduler(observed: Observed) -> str | None:
    counted = any(record.devices for cell in observed.cells for record in observed.records(cell))
    return "The kernel merged hardly any requests." if counted else None


def _cpu_bound(observed: Observed) -> str | None:
    has_host = any(target.is_storage for target in observed.case.run.header.targets)
    return "No thread of the engine was busy nearly all the time." if has_host else None


_LOOKS: Final[Mapping[Mechanism, Callable[[Observed], str | _Compared | None]]] = {
    Mechanism.THROTTLING: _throttling,
    Mechanism.SLC_CACHE: _slc_cache,
    Mechanism.COLLECTION: _collection,
    Mechanism.FLUSH: _flush,
    Mechanism.WRITE_BUFFER: _write_buffer,
    Mechanism.READ_CACHE: _read_cache,
    Mechanism.READ_AHEAD: _read_ahead,
    Mechanism.DIE_CONFLICTS: _die_conflicts,
    Mechanism.LINK_LIMIT: _link_limit,
    Mechanism.COMMAND_LIMIT: _command_limit,
    Mechanism.SCHEDULER: _scheduler,
    Mechanism.CPU_BOUND: _cpu_bound,
}
