"""Expected values and their verdicts in words, for the terminal and for reports."""

from collections.abc import Iterable, Sequence
from typing import Final

from iosonde.analysis.histogram import percent_label
from iosonde.analysis.results import ResultsKind
from iosonde.charts.quantities import NO_VALUE
from iosonde.expectations import Checked, CheckedResults, Verdict
from iosonde.expectations.conditions import STATES, ConditionsTable, size_name
from iosonde.units import format_bandwidth, format_iops, format_latency, format_size
from iosonde.vocabulary import Quantity

# A document has rounded numbers. Their interval is the rounding error, not a confidence interval.
INTERVAL_NAMES: Final = {ResultsKind.RUN: "95 % CI", ResultsKind.DOCUMENT: "Interval"}


NAMED_MAX: Final = 3
"""The most expected values that one sentence names."""


def reason_text(each: Checked) -> str:
    """Why a check is undecided or unreliable, or which other percentile decides it; empty for other checks."""
    doubts = f"unreliable, see {', '.join(each.doubted_by)}" if each.doubted_by else ""
    if each.verdict is Verdict.UNDECIDED:
        return each.why or doubts
    return "; ".join(filter(None, (each.why, doubts)))


def reasoned(checked: CheckedResults) -> tuple[Checked, ...]:
    """The checks whose reasons follow the table. The verdict for a purpose has those of undecided requirements."""
    if checked.purpose is None:
        return checked.checks
    return tuple(each for each in checked.checks if each.verdict is not Verdict.UNDECIDED)


def bound_text(each: Checked) -> str:
    """The expected value: ``p99 ≤ 60.0 µs``."""
    percent = each.metric.percent
    names = {Quantity.IOPS: "IOPS", Quantity.BYTES_PER_S: "bandwidth"}
    name = names.get(each.metric, "mean") if percent is None else percent_label(percent)
    return f"{name} {'≤' if each.is_at_most else '≥'} {value_text(each.metric, each.bound)}"


def unlike_texts(checks: Iterable[Checked]) -> list[str]:
    """Where the run's conditions differ from those of the sources: a sentence for each set of differences."""
    names: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for each in checks:
        if each.cell is not None and (each.differs or each.origin.conditions.other):
            names.setdefault((each.differs, each.origin.conditions.other), []).append(each.name)
    return [
        f"{'Not the conditions' if differs else 'Conditions'} of the source: "
        f"{'; '.join(filter(None, [*differs, other and f'not compared: {other}']))} ({_some(found)})"
        for (differs, other), found in names.items()
    ]


def part_texts(checks: Iterable[Checked]) -> list[str]:
    """Which plateau of a sustained transfer determines a verdict: a sentence for each."""
    return [f"Sustained transfer {each.cell}: {each.name} is checked in {each.part}" for each in checks if each.part]


def conditions_text(conditions: ConditionsTable) -> str:
    """The conditions of a source: ``random, 100 % reads, 4 KiB, queue depth 32 x 4 jobs``; empty if it states none."""
    each = conditions
    depth = None if each.queue_depth is None else f"queue depth {each.queue_depth}"
    jobs = None if each.jobs is None else f"{each.jobs} {'job' if each.jobs == 1 else 'jobs'}"
    found = (
        None if each.pattern is None else str(each.pattern),
        None if each.read is None else f"{each.read} % reads",
        size_name(each.block_size),
        " x ".join(filter(None, [depth, jobs])),
        None if each.sync is None else f"sync {each.sync}",
        None if each.span is None else f"test region {format_size(each.span)}",
        None if each.state is None else STATES[each.state],
        each.other,
    )
    return ", ".join(filter(None, found))


def _some(names: Sequence[str]) -> str:
    first = list(dict.fromkeys(names))
    return f"{', '.join(first[:NAMED_MAX])}{f' and {len(first) - NAMED_MAX} more' if len(first) > NAMED_MAX else ''}"


def interval_text(each: Checked) -> str:
    """The interval of the measured value."""
    if each.low is None or each.high is None:
        return NO_VALUE
    return f"{value_text(each.metric, each.low)} to {value_text(each.metric, each.high)}"


def margin_text(each: Checked) -> str:
    """The distance of the value from its bound, negative if it misses it."""
    return NO_VALUE if each.margin_share is None else f"{100 * each.margin_share:+,.1f} %"


def value_text(metric: Quantity, value: float | None) -> str:
    """A value in the unit of its metric."""
    if value is None:
        return NO_VALUE
    if metric is Quantity.IOPS:
        return f"{format_iops(value)}/s"
    return format_bandwidth(value) if metric is Quantity.BYTES_PER_S else format_latency(value)
