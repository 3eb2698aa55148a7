"""Rules about several targets that were measured at the same time."""

from collections import Counter
from collections.abc import Iterator

from iosonde.findings.case import Case, count_of, distinct, name_some
from iosonde.findings.model import Confidence, Finding, Severity
from iosonde.records import CellRecord, Outcome

# Targets of one kind differ by a few percent among themselves; a fifth is one that holds the others' sum down.
SHARE_OF_FASTEST_MIN = 0.80


def targets_share_device(case: Case) -> Iterator[Finding]:
    """Several targets lie on one device."""
    targets = case.run.header.targets
    counts = Counter(target.device.name for target in targets if target.device is not None)
    for name, number in counts.items():
        if number > 1:
            yield Finding(
                id="targets-share-device",
                severity=Severity.NOTE,
                confidence=Confidence.CERTAIN,
                statement=(
                    f"{number} of the {len(targets)} targets lie on {name}: what they reach together is that device's "
                    "and not the sum of several."
                ),
                evidence=tuple((target.path, target.device.name) for target in targets if target.device and number > 1),
                advice="Take the sums for several files on one device; name targets on devices of their own for more.",
                deciding_test="",
            )


def targets_uneven(case: Case) -> Iterator[Finding]:
    """One target did much less than another in the same cell."""
    uneven = [
        (record, _lowest_share(record))
        for record in case.run.cells
        if record.outcome is Outcome.FINISHED and _lowest_share(record)[1] < SHARE_OF_FASTEST_MIN
    ]
    if not uneven:
        return
    cells = distinct(record.cell for record, _ in uneven)
    worst, (slowest, share) = min(uneven, key=lambda each: each[1][1])
    paths = [target.path for target in case.run.targets]
    yield Finding(
        id="targets-uneven",
        severity=Severity.NOTE,
        confidence=Confidence.CERTAIN,
        statement=(
            f"The targets were not equally fast in {count_of(len(uneven), 'measurement')} ({name_some(cells)}): in "
            f"{worst.cell}, {paths[slowest]} did {share:.0%} of the operations of the fastest. Latencies are of all "
            "targets together, so a slow one shows as a tail."
        ),
        evidence=tuple(
            (f"{record.cell} repeat {record.repeat}", f"{paths[target]} {share:.0%}")
            for record, (target, share) in uneven[:10]
        ),
        advice="Read the share of each target before the sums.",
        deciding_test="A run on each target alone: one that stays slow is slow by itself.",
        cells=cells,
    )


def _lowest_share(record: CellRecord) -> tuple[int, float]:
    """Which target did least, and how much of what the one did that did most."""
    counts = [sum(totals.count for totals in share.operations.values()) for share in record.targets]
    if len(counts) < 2 or not max(counts):  # noqa: PLR2004 - there has to be another one
        return 0, 1.0
    slowest = min(range(len(counts)), key=counts.__getitem__)
    return slowest, counts[slowest] / max(counts)


TOGETHER_RULES = (targets_share_device, targets_uneven)
