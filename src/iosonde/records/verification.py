"""The results of reading a target back."""

from iosonde.records.base import Record
from iosonde.vocabulary import DamageKind


class Damage(Record):
    """A block that does not hold the data that was written.

    ``offset_bytes`` is its first wrong sector. That sector must hold the write with the number ``sequence_expected`` or
    a later one (0: any data), but holds ``sequence_found``, which is None if it is not from any write. Misplaced data
    belongs at ``belongs_at_bytes``.
    """

    kind: DamageKind
    offset_bytes: int
    sequence_expected: int
    sequence_found: int | None = None
    belongs_at_bytes: int | None = None


class Verification(Record):
    """One target, read back and compared with the data that was written to it.

    Blocks of ``step_bytes`` are checked as a whole: ``steps_checked`` blocks must hold a write, ``steps_free`` may hold
    any data. ``damaged`` counts the kinds of damage, and ``first`` has the first blocks of each kind. ``finished`` is
    False if the pass was interrupted.
    """

    finished: bool
    step_bytes: int
    steps_checked: int
    steps_free: int
    damaged: dict[DamageKind, int]
    first: tuple[Damage, ...]
    duration_ns: int

    @property
    def steps_damaged(self) -> int:
        """The number of blocks that do not hold the data that was written."""
        return sum(self.damaged.values())


class LaterPass(Record):
    """All targets of a run, read back by a separate command: its time, version and arguments, and the results."""

    verified_at: str
    iosonde_version: str
    command: tuple[str, ...]
    targets: tuple[Verification, ...]
