"""What reading a target back has shown."""

from iosonde.records.base import Record
from iosonde.vocabulary import DamageKind


class Damage(Record):
    """A block that does not hold what it should.

    ``offset_bytes`` is its first sector that is not as it should be. It must hold the write of the number
    ``sequence_expected`` or a later one (0: anything), and holds ``sequence_found``, None where that is of no write.
    What is misplaced belongs at ``belongs_at_bytes``.
    """

    kind: DamageKind
    offset_bytes: int
    sequence_expected: int
    sequence_found: int | None = None
    belongs_at_bytes: int | None = None


class Verification(Record):
    """One target, read back and compared with what was written to it.

    Blocks of ``step_bytes`` are judged as one: ``steps_checked`` had to hold a write, ``steps_free`` might hold
    anything. ``damaged`` counts the kinds of damage, and ``first`` names the first of each kind. ``finished`` is False
    where the pass was stopped.
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
        """Blocks that do not hold what they should."""
        return sum(self.damaged.values())


class LaterPass(Record):
    """All targets of a run, read back by a command of its own: when, by what, and what it found on each."""

    verified_at: str
    iosonde_version: str
    command: tuple[str, ...]
    targets: tuple[Verification, ...]
