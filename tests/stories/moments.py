"""Random moments at which a test kills a run.

A moment is what the journal holds by then and a short time more: the duration of a run changes with the load of the
host, so a time from its start would often fall before the first trial or after the last.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from iosonde.records import RunRecord

# The part of the moments that lie before the journal exists, when a run is set up.
EARLY_SHARE = 0.15


@dataclass(frozen=True)
class Moment:
    """A time ``then_s`` after the journal of a run has reached a size, of which zero is the start of the process."""

    journal_bytes: int
    then_s: float

    def __str__(self) -> str:
        return f"{self.then_s:.4f} s after {self.journal_bytes} bytes of the journal"


def journal_of(run: Path) -> Path:
    """The journal of a run directory."""
    return run / "journal"


@dataclass(frozen=True)
class Unbroken:
    """An uninterrupted run, its directory and its duration."""

    run: RunRecord
    directory: Path
    seconds: float

    def moments(self, seed: int, count: int, *, trial_s: float) -> Iterator[Moment]:
        """Moments of a run like this one: some within its set-up, the others spread over what its journal holds."""
        draw = random.Random(seed)
        size_bytes = journal_of(self.directory).stat().st_size
        for _ in range(count):
            if draw.random() < EARLY_SHARE:
                yield Moment(0, draw.uniform(0.0, self.seconds / 2))
            else:
                yield Moment(draw.randrange(1, size_bytes), draw.uniform(0.0, trial_s))
