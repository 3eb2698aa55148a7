"""Texts on the verification of targets."""

from collections.abc import Iterator, Sequence
from typing import Final

from iosonde.records import Damage, DamageKind, Verification
from iosonde.units import format_duration, format_size

# A line with more offsets than this is unreadable. The record has more.
OFFSETS_NAMED_MAX: Final = 5


def verification_lines(targets: Sequence[Verification]) -> Iterator[str]:
    """A line for each target, and one for each kind of damage with its first offsets."""
    for number, found in enumerate(targets, start=1):
        which = f"target {number}: " if len(targets) > 1 else ""
        yield f"{which}{summary_of(found)}"
        for kind, count in found.damaged.items():
            yield f"  {kind} {count:,}: {offsets_of(found, kind)}"


def summary_of(found: Verification) -> str:
    """The result in one line: ``65,536 blocks of 4 KiB read back in 1.2 s: all contain the written data``."""
    size = format_size(found.step_bytes)
    free = f" (and {found.steps_free:,} with undefined content)" if found.steps_free else ""
    well = (
        "all contain the written data"
        if not found.steps_damaged
        else f"{found.steps_damaged:,} do not match the data written"
    )
    cut = "" if found.finished else "; verification was stopped early"
    return (
        f"{found.steps_checked:,} blocks of {size}{free} read back in {format_duration(found.duration_ns)}: {well}{cut}"
    )


def offsets_of(found: Verification, kind: DamageKind) -> str:
    """The first offsets of a kind of damage, and where misplaced blocks belong."""
    first = [damage for damage in found.first if damage.kind is kind][:OFFSETS_NAMED_MAX]
    more = found.damaged[kind] - len(first)
    named = ", ".join(_place(damage) for damage in first)
    return f"at {named}{f' and {more:,} more' if more else ''}"


def _place(damage: Damage) -> str:
    belongs = "" if damage.belongs_at_bytes is None else f" (belongs at {damage.belongs_at_bytes})"
    return f"{damage.offset_bytes}{belongs}"
