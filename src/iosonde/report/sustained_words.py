"""Sustained transfers in words: their plateaus, the cause of a burst, and the recovery after idle times."""

from collections.abc import Iterator, Sequence
from typing import Final

from iosonde.analysis.burst_causes import DropCause, LimitUnit, cause_of, limit_unit
from iosonde.analysis.bursts import Burst, Range
from iosonde.analysis.stretches import Stretch
from iosonde.analysis.sustained import Recovery, Refill, Sustained, valid_sustained
from iosonde.charts.quantities import operations_label
from iosonde.findings.case import distinct, name_some
from iosonde.printing import capital
from iosonde.records import Workload
from iosonde.report.plateau_words import end_text, plateau_sentence
from iosonde.report.validity import Invalid, left_out_text
from iosonde.units import SECOND_NS, format_amount, format_bandwidth, format_duration, format_iops, format_size

BRIEF_MAX: Final = 2
"""The most workloads in the summary of a run."""

NONE: Final[Invalid] = {}
"""No cell is invalid."""

TOO_FEW: Final = "too few intervals for plateaus"
NOT_DECIDED: Final = (
    "The data do not show the cause: a write cache, burst credits, throttling and garbage collection can all reduce "
    "the throughput of a long transfer."
)
UNITS: Final = {
    LimitUnit.IOS: "The limit counts operations: the base IOPS are the same at another block size.",
    LimitUnit.BYTES: "The limit counts bytes: the base bandwidth is the same at another block size.",
    LimitUnit.UNKNOWN: (
        "Whether the limit counts operations or bytes is not known: that takes base rates of two block sizes."
    ),
}


def workload_name(found: Sustained) -> str:
    """The workload as the subject of a sentence: ``4 KiB random reads at depth 32``."""
    asked = found.workload
    each = "" if asked.operations_in_flight == asked.queue_depth else f" ({_workers(asked)})"
    return f"{operations_label(asked)} at depth {asked.operations_in_flight}{each}"


def _workers(asked: Workload) -> str:
    """What shares the queue depth: ``2 jobs``, ``2 jobs on each of 3 targets``."""
    jobs = f"{asked.jobs} {'job' if asked.jobs == 1 else 'jobs'}"
    return jobs if asked.targets == 1 else f"{jobs} on each of {asked.targets} targets"


def stretch_name(stretch: Stretch) -> str:
    """The idle time before a stretch: ``after 60.0 s idle``."""
    return f"after {format_duration(stretch.idle_ns)} idle" if stretch.idle_ns else "without idle time"


def _stretch_sentence(stretch: Stretch) -> str:
    transfer = stretch.transfer
    name = f"the stretch {stretch_name(stretch)}"
    whole = (
        f"mean {format_bandwidth(transfer.mean_bytes_per_s)} over {format_amount(transfer.bytes)} in "
        f"{format_duration(transfer.time_ns)}"
    )
    if not transfer.bytes:
        return f"{name}: {TOO_FEW}."
    if not transfer.plateaus:
        return f"{name}: {whole}; {TOO_FEW}."
    if len(transfer.plateaus) == 1 and transfer.plateaus[0].alternates is None:
        level = "a constant level" if transfer.plateaus[0].is_flat else "no plateaus that differ significantly"
        return f"{name} had {level}: {whole}."
    return f"{plateau_sentence(transfer, name, with_iops=True)[:-1]} ({whole})."


def _cause_sentences(found: Sustained, others: Sequence[Sustained]) -> Iterator[str]:
    cause = cause_of(found, others)
    if cause is DropCause.CREDITS:
        yield from _credit_sentences(found, others)
    elif cause is DropCause.WRITE_CACHE:
        yield from _cache_sentences(found)
    elif cause is DropCause.THROTTLING:
        yield (
            f"The drive's counters report {format_duration(found.throttled_ns)} of throttling in these stretches. It "
            "reduces the throughput. These data cannot distinguish it from a write cache or from burst credits."
        )
    elif cause is DropCause.UNKNOWN:
        yield NOT_DECIDED
        if found.has_marks:
            yield (
                "A flat burst with one sharp drop fits burst credits and a write cache. Sustained reads, or an idle "
                "time before a second stretch, would decide between them."
            )


def _credit_sentences(found: Sustained, others: Sequence[Sustained]) -> Iterator[str]:
    burst = found.first_burst
    if burst is None:
        yield "Other workloads of this run show burst credits."
        return
    each = format_size(round(burst.burst.bytes_per_s / burst.burst.iops))
    doubt = "" if found.refilled_as_expected else ", but may also be throttling"
    yield (
        f"This fits burst credits{doubt}: a flat burst at {format_iops(burst.burst.iops)} IOPS, one sharp drop, "
        f"and a flat base rate of {format_iops(burst.base.iops)} IOPS ({format_bandwidth(burst.burst.bytes_per_s)} and "
        f"{format_bandwidth(burst.base.bytes_per_s)})."
    )
    yield UNITS[limit_unit(found, others)]
    yield _bucket_sentence(found, burst, each)
    yield from map(_recovery_sentence, found.recoveries)
    yield _refill_sentence(found, burst)


def _bucket_sentence(found: Sustained, burst: Burst, each: str) -> str:
    bucket, least = found.bucket_ios, found.least_ios
    assert least is not None
    if bucket is not None:
        return (
            f"The full bucket holds {_range_text(bucket)} operations of {each}. From full, a burst lasts "
            f"{_burst_length(bucket.value, burst)}."
        )
    return (
        f"The longest burst used {_range_text(least)} operations of {each} above the base rate, in "
        f"{_burst_length(least.value, burst)}. The bucket holds at least that much. Whether it was full is not known: "
        "that takes an idle time that fills it."
    )


def _burst_length(spent_ios: float, burst: Burst) -> str:
    return format_duration(spent_ios / (burst.burst.iops - burst.base.iops) * SECOND_NS)


def _range_text(value: Range) -> str:
    return f"{value.value:,.0f} ({value.low:,.0f} to {value.high:,.0f})"


def _recovery_sentence(recovery: Recovery) -> str:
    idle = format_duration(recovery.idle_ns)
    spent, expected = f"{recovery.spent_ios:,.0f}", f"{recovery.expected_ios:,.0f}"
    if recovery.refill is Refill.EQUAL:
        return (
            f"After {idle} idle, the burst used {spent} operations above the base rate. The base rate earns {expected}."
        )
    return (
        f"After {idle} idle, the burst used {spent} operations above the base rate, fewer than the {expected} that the "
        "base rate earns: the bucket was full."
    )


def _refill_sentence(found: Sustained, burst: Burst) -> str:
    if not found.refilled_as_expected:
        seen = "was not measured" if not found.recoveries else "was not measured before the bucket was full"
        return (
            f"The refill {seen}. Burst credits refill at the base rate ({format_iops(burst.base.iops)} operations/s), "
            "throttling does not. A stretch after an idle time shorter than a refill would decide."
        )
    rate = f"The bucket refills at the base rate of {format_iops(burst.base.iops)} operations/s"
    bucket = found.bucket_ios
    if bucket is None:
        return f"{rate}."
    return f"{rate}: from empty, it is full after {format_duration(bucket.value / burst.base.iops * SECOND_NS)} idle."


def _cache_sentences(found: Sustained) -> Iterator[str]:
    first = found.changed[0].transfer
    yield (
        f"This fits a write cache: the first drop is after {end_text(first.plateaus[0])}, and sustained reads on the "
        "same target do not show it."
    )
    if not found.cache_recoveries:
        yield "Recovery after idle time was not measured."
    for stretch, is_back in found.cache_recoveries:
        yield _cache_recovery(stretch, is_back=is_back)


def _cache_recovery(stretch: Stretch, *, is_back: bool | None) -> str:
    idle = format_duration(stretch.idle_ns)
    if is_back:
        return f"After {idle} idle, the cache took {end_text(stretch.transfer.plateaus[0])}."
    if is_back is False:
        return f"After {idle} idle, the cache had not recovered."
    return f"After {idle} idle, the data do not show whether the cache had recovered."


def sustained_answer(found: Sequence[Sustained], others: Sequence[Sustained], invalid: Invalid = NONE) -> list[str]:
    """Two paragraphs for each workload: its plateaus, and what caused them. Then which stretches are left out.

    ``others`` are all workloads of the run, with ``found`` among them.
    """
    answers = []
    others = valid_sustained(others, invalid)
    workloads = {each.workload for each in found}
    for each in (each for each in others if each.workload in workloads):
        stretches = " ".join(capital(_stretch_sentence(stretch)) for stretch in each.stretches)
        answers.append(f"{capital(workload_name(each))}. {stretches}")
        answers.append(" ".join(_cause_sentences(each, others)))
    answers.append(_left_out(found, invalid))
    return [answer for answer in answers if answer]


def _left_out(found: Sequence[Sustained], invalid: Invalid) -> str:
    """The invalid stretches, and the stretches after them."""
    told = {stretch.cell for each in valid_sustained(found, invalid) for stretch in each.stretches}
    rest = [stretch.cell for each in found for stretch in each.stretches if stretch.cell not in told]
    after = [cell for cell in rest if cell not in invalid]
    depends = f"Omitted because they follow an invalid stretch: {name_some(distinct(after))}." if after else ""
    return " ".join(filter(None, [left_out_text(rest, invalid), depends]))


def sustained_brief(found: Sequence[Sustained], invalid: Invalid = NONE) -> str:
    """The first drop of each sustained workload of a run; empty if it has none, or none that is valid."""
    told = [sentence for each in valid_sustained(found, invalid) if (sentence := sustained_short(each))]
    more = len(told) - BRIEF_MAX
    return " ".join(
        [*told[:BRIEF_MAX], *([f"{more} more in the chapter on sustained performance."] if more > 0 else [])]
    )


def sustained_short(found: Sustained) -> str:
    """The first drop of a workload in one sentence, or its level: for the summary of a run."""
    if found.changed:
        transfer = found.changed[0].transfer
        subject = f"Sustained {workload_name(found)} {stretch_name(found.changed[0])}"
        return plateau_sentence(transfer, subject, with_iops=True)
    restless = [each for each in found.stretches if any(level.alternates for level in each.transfer.plateaus)]
    if restless:
        subject = f"Sustained {workload_name(found)} {stretch_name(restless[0])}"
        return plateau_sentence(restless[0].transfer, subject, with_iops=True)
    rates = [each.transfer.mean_bytes_per_s for each in found.stretches if each.transfer.plateaus]
    if not rates:
        return ""
    low, high = format_bandwidth(min(rates)), format_bandwidth(max(rates))
    level = low if low == high else f"{low} to {high}"
    return f"Sustained {workload_name(found)} had no drop: {level}."
