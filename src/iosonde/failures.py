"""Isolates failures while a report is created: a notice replaces the failed part and says how to report the bug.

Only bugs of iosonde are caught here. Errors that the user can fix (``IosondeError``) and interruptions propagate.
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
"""Longest reason, in characters. An error message of a library can be pages long."""


@dataclass(frozen=True)
class PartFailure:
    """A part of a report that could not be created: what it is, why, and the section that shows the notice."""

    part: str
    reason: str
    section: str = ""

    @property
    def statement(self) -> str:
        """What failed and why: ``The chart "Mix and IOPS" could not be created (ValueError: ...)``."""
        return f"{self.part[:1].upper()}{self.part[1:]} could not be created ({self.reason})"

    @property
    def sentence(self) -> str:
        """The notice that replaces the part."""
        return (
            f"{self.statement}. The recorded measurements and the rest of the report are not affected. "
            f"{HOW_TO_REPORT.format(run='RUN')}."
        )


HOW_TO_REPORT: Final = (
    f"To report this bug in iosonde {__version__}, send this message and the file that `iosonde export {{run}}` creates"
)


class FailureLog:
    """The parts of one report that could not be created, in the order of the attempts."""

    def __init__(self) -> None:
        self._failures: list[PartFailure] = []

    @property
    def failures(self) -> tuple[PartFailure, ...]:
        """All failures, each once."""
        return tuple(dict.fromkeys(self._failures))

    def sentences_of(self, section: str) -> tuple[str, ...]:
        """The notices for the parts of a section that have failed so far."""
        return tuple(failure.sentence for failure in self.failures if failure.section == section)

    def attempt(
        self, part: str, make: Callable[[], _Made], instead: Callable[[PartFailure], _Made], section: str = ""
    ) -> _Made:
        """Returns what ``make`` returns, or its replacement if it fails. ``part`` begins with an article."""
        try:
            return make()
        except IosondeError:
            raise
        except Exception as error:  # noqa: BLE001 - any failure must affect only this part
            return instead(self.note(part, error, section))

    def note(self, part: str, error: Exception, section: str = "") -> PartFailure:
        """Records that a part failed."""
        failure = PartFailure(part, _reason(error), section)
        self._failures.append(failure)
        return failure


class _Strict(FailureLog):
    """Catches nothing: errors propagate, so that tests see them."""

    def note(self, part: str, error: Exception, section: str = "") -> PartFailure:  # noqa: ARG002 - as above
        raise error


STRICT: Final[FailureLog] = _Strict()
"""For callers that want an error to propagate. Commands use a log of their own."""


def _reason(error: Exception) -> str:
    """The type of an error, its message, and the innermost line of iosonde's own code in its traceback."""
    message = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
    message = message if len(message) <= REASON_MAX else f"{message[: REASON_MAX - 1]}…"
    ours = Path(__file__).parent
    places = [frame for frame in extract_tb(error.__traceback__) if Path(frame.filename).is_relative_to(ours)]
    if not places or Path(places[-1].filename) == Path(__file__):
        return message
    return f"{message}; {Path(places[-1].filename).relative_to(ours)}, line {places[-1].lineno}"
