"""Rules about data that was written and read back."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from iosonde.findings.case import Case, count_of, distinct, trial_name
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.records import DamageKind, Verification

# More offsets than this make the evidence unreadable. The record has more of them.
OFFSETS_NAMED_MAX: Final = 5


def not_as_written(case: Case) -> Iterator[Finding]:
    """A verification pass found blocks that do not hold the data that was written."""
    passes = [
        *((f"after {cell.cell}, {trial_name(cell)}", cell.verification) for cell in case.run.cells),
        *((f"in the verification at {later.verified_at}", later.targets) for later in case.run.later_passes),
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
            f"{len(damaged)} of {count_of(len([each for _, each in passes if each]), 'verification')} found blocks "
            f"that do not match the data written. The first mismatches were found {name}: {counts} "
            f"({sum(each.steps_checked for each in found):,} blocks checked)."
        ),
        evidence=tuple((name, _first(found)) for name, found in damaged[:10]),
        advice=(
            "Do not store data on this device, and keep the target unchanged for analysis. Check the kernel log "
            "(dmesg), the device health and the host memory."
        ),
        deciding_test=(
            "Run `iosonde verify RUN` again. If the second pass reports different blocks, the corruption occurs on "
            "the read path (drive, link or host memory)."
        ),
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
