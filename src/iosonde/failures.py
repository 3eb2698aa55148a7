"""Failed parts of a report. A failure costs only its own part, which is replaced by the error and how to report it.

Only bugs of iosonde are handled here. Errors that a user can fix (``IosondeError``) and interruptions propagate.
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
"""The longest reason, in characters: messages of libraries can be pages long."""


@dataclass(frozen=True)
class PartFailure:
    """A part of a report that could not be made: its name, the reason, and the section that shows the failure."""

    part: str
    reason: str
    section: str = ""

    @property
    def statement(self) -> str:
        """The part and the reason: ``The chart "Mix and IOPS" could not be made (ValueError: ...)``."""
        return f"{self.part[:1].upper()}{self.part[1:]} could not be made ({self.reason})"

    @property
    def sentence(self) -> str:
        """The text that replaces the part."""
        return (
            f"{self.statement}. All measurements are kept, and the rest of the report is valid. "
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
        """The texts that replace the parts of a section that have failed so far."""
        return tuple(failure.sentence for failure in self.failures if failure.section == section)

    def attempt(
        self, part: str, make: Callable[[], _Made], instead: Callable[[PartFailure], _Made], section: str = ""
    ) -> _Made:
        """Makes a part or, if that fails, its replacement. ``part`` begins with an article."""
        try:
            return make()
        except IosondeError:
            raise
        except Exception as error:  # noqa: BLE001 - any error costs only this part
            return instead(self.note(part, error, section))

    def note(self, part: str, error: Exception, section: str = "") -> PartFailure:
        """Records that a part failed."""
        failure = PartFailure(part, _reason(error), section)
        self._failures.append(failure)
        return failure


class _Strict(FailureLog):
    """Handles nothing: errors propagate, so that tests detect them."""

    def note(self, part: str, error: Exception, section: str = "") -> PartFailure:  # noqa: ARG002 - as above
        raise error


STRICT: Final[FailureLog] = _Strict()
"""For callers that want a failure to propagate. Commands have their own log."""


def _reason(error: Exception) -> str:
    """The type of an error, its message, and the last line of iosonde in its traceback."""
    message = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
    message = message if len(message) <= REASON_MAX else f"{message[: REASON_MAX - 1]}…"
    ours = Path(__file__).parent
    places = [frame for frame in extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(ours)]
    if not places or Path(places[-1].filename) == Path(__file__):
        return message
    return f"{message}; {Path(places[-1].filename).relative_to(ours)}, line {places[-1].lineno}"
