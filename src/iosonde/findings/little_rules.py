"""A rule about the identity of rate, latency and what was in flight."""

from collections.abc import Iterator
from typing import Final

from iosonde.analysis.littles_law import LittlesLaw, littles_law
from iosonde.findings.case import Case, count_of, distinct
from iosonde.findings.model import Confidence, Finding, Severity
from iosonde.records import CellRecord

RESIDUAL_SHARE_MAX: Final = 0.02
"""Beyond what the window's edges explain. The engine looks at the clock once for each batch of completions, and on
sound hosts the rest is below half a percent; two are far from that, and small against any conclusion."""


def littles_law_off(case: Case) -> Iterator[Finding]:
    """Rate times latency is not what was in flight, and the edges of the window do not explain it."""
    if case.run.header.target.kind == "null":
        return  # What completes at once is never in flight.
    off = [(record, law) for record in case.run.cells if (law := littles_law(record)) is not None and beyond_edges(law)]
    if not off:
        return
    worst, law = max(off, key=lambda each: beyond_edges(each[1]))
    yield Finding(
        id="littles-law-off",
        severity=Severity.INVALID,
        confidence=Confidence.CERTAIN,
        statement=(
            f"In {count_of(len(off), 'measurement')} rate, latency and depth can't all be right: in {worst.cell}, "
            f"repeat {worst.repeat}, rate times mean latency is {law.queue_depth_by_latency:.2f}, and "
            f"{law.queue_depth_achieved:.2f} were in flight ({law.residual_share:+.1%}). Operations that the window "
            f"cuts explain {law.edge_share_low:+.1%} to {law.edge_share_high:+.1%}."
        ),
        evidence=tuple(_evidence(record, law) for record, law in off[:10]),
        advice="Believe none of the three in these cells; look for a clock that jumps, and report it.",
        deciding_test="The same cell on another host, or with --engine fio.",
        cells=distinct(record.cell for record, _ in off),
    )


def beyond_edges(law: LittlesLaw) -> float:
    """By how much the residual lies beyond what the edges and the clock explain; 0 where it does not."""
    above = law.residual_share - law.edge_share_high
    below = law.edge_share_low - law.residual_share
    return max(above - RESIDUAL_SHARE_MAX, below - RESIDUAL_SHARE_MAX, 0.0)


def _evidence(record: CellRecord, law: LittlesLaw) -> tuple[str, str]:
    return record.cell, f"{law.queue_depth_by_latency:.2f} by latency, {law.queue_depth_achieved:.2f} in flight"


LITTLE_RULES = (littles_law_off,)
