"""The rule about bandwidth that the link of a drive cannot carry."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from iosonde.findings.case import Case, count_of
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import CellRecord, Operation, Outcome, RunRecord
from iosonde.units import SECOND_NS, format_bandwidth

EXCESS_SHARE_MIN: Final = 0.02
"""Operations that are in flight at the start or the end of a long measurement add less than this."""

EVIDENCE_MAX: Final = 10
_PCIE: Final = re.compile(r"([\d.]+) GT/s.* x(\d+)")
_SERIAL: Final = re.compile(r"([\d.]+) Gb(?:ps|it)")
_OLD_PCIE_GT_PER_S: Final = 5.0
"""Up to this speed, a byte takes 10 bits on PCI Express; above it, 128 bits take 130. A byte on SATA takes 10 bits."""

_Link = tuple[float, bool]
"""Bytes per second in one direction, and whether both directions share them."""


def faster_than_link(case: Case) -> Iterator[Finding]:
    """More data was transferred than the link of the drive can carry in that time."""
    link, target = _link_of(case.run), case.run.header.target
    if link is None or (target.is_storage and not target.direct):
        return
    most, is_shared = link
    rates = _rates(case.run.cells, is_shared=is_shared)
    above = [each for each in rates if each[1] > (1 + EXCESS_SHARE_MIN) * most]
    found = dict(sorted(above, key=lambda each: -each[1]))
    if not found:
        return
    worst = next(iter(found))
    yield Finding(
        id="faster-than-link",
        severity=Severity.DOUBTFUL,
        confidence=Confidence.CERTAIN,
        statement=(
            f"In {count_of(len(found), 'cell')}, more data was transferred than the link of the drive can carry. "
            f"{worst} has {format_bandwidth(found[worst])}, and the link {format_bandwidth(most)}. Operations that "
            "began before the measurement are a large part of it, or a cache before the drive answered."
        ),
        evidence=tuple((cell, format_bandwidth(rate)) for cell, rate in [*found.items()][:EVIDENCE_MAX]),
        advice="Do not use the bandwidth of these cells. Measure them for longer.",
        deciding_test="Run these cells again for ten times as long: a part at the start then hardly counts.",
        cells=tuple(found),
    )


def _link_of(run: RunRecord) -> _Link | None:
    """The link of the only drive of a run; None if there are several, or if it is unknown."""
    if len(run.header.targets) > 1:
        return None
    drive = run.header.target.simulation
    if drive is not None:
        table = drive.table.get("link")
        return (table["bytes_per_s"], table.get("duplex") != "full") if isinstance(table, dict) else None
    links = [each.health.link for each in run.header.drives]
    return link_rate(links[0]) if len(links) == 1 and links[0] else None


def link_rate(link: str) -> _Link | None:
    """The bytes per second of a link, by the kernel's words: ``16.0 GT/s PCIe x4``, ``6.0 Gbps``."""
    if match := _PCIE.search(link):
        speed = float(match.group(1))
        bits = 10.0 if speed <= _OLD_PCIE_GT_PER_S else 8 * 130 / 128
        return speed * 1e9 * int(match.group(2)) / bits, False
    match = _SERIAL.search(link)
    return (float(match.group(1)) * 1e9 / 10, True) if match else None


def _rates(records: tuple[CellRecord, ...], *, is_shared: bool) -> Iterator[tuple[str, float]]:
    """The bytes per second of each cell: of both directions if they share the link, else of the busier one."""
    reads: dict[str, int] = defaultdict(int)
    writes: dict[str, int] = defaultdict(int)
    time_ns: dict[str, int] = defaultdict(int)
    for each in records:
        if each.outcome is Outcome.FINISHED and each.measured_ns:
            time_ns[each.cell] += each.measured_ns
            for kind, to in ((Operation.READ, reads), (Operation.WRITE, writes)):
                to[each.cell] += each.operations[kind].bytes if kind in each.operations else 0
    for cell, lasted in time_ns.items():
        both = (reads[cell], writes[cell])
        yield cell, (sum(both) if is_shared else max(both)) * SECOND_NS / lasted
