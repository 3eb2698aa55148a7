"""A rule about the frequency of the CPUs: whether cells were measured at different ones."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from iosonde.analysis.frequencies import Frequencies, frequencies_of
from iosonde.analysis.ratios import Ratio
from iosonde.findings.case import Case, HostCase
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import CellRecord
from iosonde.units import format_frequency, format_percent

DIFFERENCE_MIN: Final = 0.10
"""The CPU time of an operation is a part of its latency, so a smaller difference changes few results noticeably."""

EVIDENCE_MAX: Final = 10


def frequency_differs(case: Case) -> Iterator[Finding]:
    """Cells were measured at different CPU frequencies, or the frequency changed over the run."""
    by_host: dict[int, list[CellRecord]] = defaultdict(list)
    for record in case.used:
        by_host[record.host].append(record)
    for number, records in by_host.items():
        found = frequencies_of(records)
        apart, drift = _is_large(found.highest_of_lowest), _is_large(found.late_of_early)
        if apart or drift:
            yield _differs(case.hosts[number], found, apart=apart, drift=drift)


def _is_large(ratio: Ratio | None) -> bool:
    return ratio is not None and ratio.differs and max(ratio.value, 1 / ratio.value) > 1 + DIFFERENCE_MIN


def _differs(host: HostCase, found: Frequencies, *, apart: bool, drift: bool) -> Finding:
    sentences = []
    highest, lowest = found.cells[0], found.cells[-1]
    if apart and found.highest_of_lowest is not None:
        ratio = found.highest_of_lowest
        sentences.append(
            f"With busy workers, the CPU frequency was {format_frequency(highest.frequency_hz.mean)} in {highest.cell} "
            f"and {format_frequency(lowest.frequency_hz.mean)} in {lowest.cell}: {ratio.value:.2f} times as high "
            f"(95 % confidence interval {ratio.low:.2f} to {ratio.high:.2f})."
        )
    if drift and found.late_of_early is not None:
        ratio = found.late_of_early
        verb = "fell" if ratio.value < 1 else "rose"
        sentences.append(
            f"The CPU frequency {verb} by {format_percent(abs(ratio.value - 1))} from the first half of the repeats to "
            "the second half."
        )
    where = f" on {host.name}" if host.name else ""
    facts = (("governor", host.facts.governor), ("turbo", host.facts.turbo), ("driver", host.facts.frequency_driver))
    return Finding(
        id="frequency-differs",
        severity=Severity.NOTE,
        confidence=Confidence.LIKELY,
        statement=(
            f"{' '.join(sentences)} Part of the difference between results{where} may be due to the CPU and not to the "
            "target."
        ),
        evidence=(
            *((each.cell, format_frequency(each.frequency_hz.mean)) for each in found.cells[:EVIDENCE_MAX]),
            *((name, value) for name, value in facts if value),
        ),
        advice=(
            "Before you compare these cells, set the frequency governor to performance and turn turbo off, or limit "
            "the highest frequency to one that the CPU can sustain."
        ),
        deciding_test="Run again at a fixed CPU frequency. A difference that remains is not due to the frequency.",
        cells=(highest.cell, lowest.cell) if apart else tuple(each.cell for each in found.cells),
    )
