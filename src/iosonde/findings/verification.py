"""Rules about what was read back after it had been written."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from iosonde.findings.case import Case, count_of, distinct
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import DamageKind, Verification

# More offsets than this make evidence unreadable; the record has more of them.
OFFSETS_NAMED_MAX: Final = 5


def not_as_written(case: Case) -> Iterator[Finding]:
    """Reading back found blocks that do not hold what was written."""
    passes = [
        *((f"{cell.cell}, repeat {cell.repeat}", cell.verification) for cell in case.run.cells),
        *((f"later pass, {later.verified_at}", later.targets) for later in case.run.later_passes),
    ]
    damaged = [(name, found) for name, found in passes if any(each.steps_damaged for each in found)]
    if not damaged:
        return
    name, found = damaged[0]
    kinds: Counter[DamageKind] = Counter()
    for each in found:
        kinds.update(each.damaged)
    counts = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
    yield Finding(
        id="not-as-written",
        severity=Severity.INVALID,
        confidence=Confidence.CERTAIN,
        statement=(
            f"{count_of(len(damaged), 'time')} of {len([each for _, each in passes if each])} that the target was read "
            f"back it did not hold what had been written: first after {name}, {counts} of "
            f"{sum(each.steps_checked for each in found):,} blocks."
        ),
        evidence=tuple((name, _first(found)) for name, found in damaged[:10]),
        advice=(
            "Trust this storage with nothing. Keep the target as it is, and look at the kernel's log (dmesg), the "
            "device's health and the memory of the host."
        ),
        deciding_test="`iosonde verify RUN` reads back once more: what differs from time to time is read wrongly.",
        cells=distinct(cell.cell for cell in case.run.cells if any(each.steps_damaged for each in cell.verification)),
    )


def _first(found: Sequence[Verification]) -> str:
    """``lost at 4096, 8192; torn at 512 (target 2)``."""
    parts = []
    for number, each in enumerate(found, start=1):
        for kind in each.damaged:
            offsets = [str(damage.offset_bytes) for damage in each.first if damage.kind is kind][:OFFSETS_NAMED_MAX]
            which = f" (target {number})" if len(found) > 1 else ""
            parts.append(f"{kind} at {', '.join(offsets)}{which}")
    return "; ".join(parts)
