"""What fails while a report is made costs its own place: there stands what failed, and how to report it.

Only mistakes of ours are taken here. What a user can mend (``IosondeError``) and an interruption go on their way.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from traceback import extract_tb
from typing import Final, TypeVar

from iosonde import __version__
from iosonde.errors import IosondeError

_Made = TypeVar("_Made")

REASON_MAX: Final = 300
"""Letters of a reason: what a library has to say can be pages long."""


@dataclass(frozen=True)
class PartFailure:
    """A part of a report that could not be made: what it is, why, and the section in whose place that stands."""

    part: str
    reason: str
    section: str = ""

    @property
    def statement(self) -> str:
        """What could not be made, and why: ``The chart "Mix and IOPS" could not be made (ValueError: ...)``."""
        return f"{self.part[:1].upper()}{self.part[1:]} could not be made ({self.reason})"

    @property
    def sentence(self) -> str:
        """What stands in the place of the part."""
        return (
            f"{self.statement}. Everything that was measured is kept, and the rest of the report stands. "
            f"{HOW_TO_REPORT.format(run='RUN')}."
        )


HOW_TO_REPORT: Final = (
    f"To report this bug of iosonde {__version__}, send the message and the file that `iosonde export {{run}}` writes"
)


class FailureLog:
    """The parts of one report that could not be made, in the order in which they were tried."""

    def __init__(self) -> None:
        self._failures: list[PartFailure] = []

    @property
    def failures(self) -> tuple[PartFailure, ...]:
        """All of them, each once."""
        return tuple(dict.fromkeys(self._failures))

    def sentences_of(self, section: str) -> tuple[str, ...]:
        """What stands in the place of the parts of a section that are already known to have failed."""
        return tuple(failure.sentence for failure in self.failures if failure.section == section)

    def attempt(
        self, part: str, make: Callable[[], _Made], instead: Callable[[PartFailure], _Made], section: str = ""
    ) -> _Made:
        """The part as it is made or, where that fails, what stands in its place. ``part`` begins with an article."""
        try:
            return make()
        except IosondeError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it costs this part and no other
            return instead(self.note(part, error, section))

    def note(self, part: str, error: Exception, section: str = "") -> PartFailure:
        """Notes that a part failed."""
        failure = PartFailure(part, _reason(error), section)
        self._failures.append(failure)
        return failure


class _Strict(FailureLog):
    """Takes nothing: an error goes on its way, so that no test passes over it."""

    def note(self, part: str, error: Exception, section: str = "") -> PartFailure:  # noqa: ARG002 - as above
        raise error


STRICT: Final[FailureLog] = _Strict()
"""For whoever makes a part and wants to know at once that it fails; commands have a log of their own."""


def _reason(error: Exception) -> str:
    """The kind of an error, its message, and the last line of ours that it came through."""
    said = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
    said = said if len(said) <= REASON_MAX else f"{said[: REASON_MAX - 1]}…"
    ours = Path(__file__).parent
    places = [frame for frame in extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(ours)]
    if not places or Path(places[-1].filename) == Path(__file__):
        return said
    return f"{said}; {Path(places[-1].filename).relative_to(ours)}, line {places[-1].lineno}"
