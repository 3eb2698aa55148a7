"""A part of what a terminal shows that, should it fail while it is laid out, costs its own place."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from iosonde.failures import FailureLog
from iosonde.printing import printable


@dataclass(frozen=True)
class Deferred:
    """Parts that are made when they are laid out."""

    make: Callable[[], Iterable[RenderableType]]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Each of them, from top to bottom."""
        yield from self.make()


@dataclass(frozen=True)
class Isolated:
    """What is shown or, where it cannot be laid out, what stands in its place."""

    part: str
    shown: RenderableType
    failures: FailureLog

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The part as it is laid out."""
        yield from self.failures.attempt(
            self.part,
            lambda: list(console.render(self.shown, options)),
            lambda failure: list(console.render(failed(failure.sentence), options)),
        )


def failed(sentence: str) -> Text:
    """What stands in the place of something that could not be made."""
    return Text(printable(sentence), style="red")
