"""Isolates parts of a terminal view: if the layout of one fails, a notice replaces it and the others are shown."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from iosonde.failures import FailureLog
from iosonde.printing import printable


@dataclass(frozen=True)
class Deferred:
    """Parts that are created when they are laid out."""

    make: Callable[[], Iterable[RenderableType]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Each of them, from top to bottom."""
        yield from self.make()


@dataclass(frozen=True)
class Isolated:
    """A part, or a notice if the part cannot be laid out."""

    part: str
    shown: RenderableType
    failures: FailureLog

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The laid-out part, or the notice."""
        yield from self.failures.attempt(
            self.part,
            lambda: list(console.render(self.shown, options)),
            lambda failure: list(console.render(failed(failure.sentence), options)),
        )


def failed(sentence: str) -> Text:
    """The notice that replaces a part that failed."""
    return Text(printable(sentence), style="red")
