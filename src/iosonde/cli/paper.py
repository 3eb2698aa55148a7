"""How wide text is printed where nobody says, and in which signs."""

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

# In a file or a pipe a line is not at an end after 80 columns, and a path that is cut in two can't be copied.
PIPED_WIDTH = 160
# The kernel's own console has no signs for parts of a block.
PLAIN_TERMINALS = frozenset({"linux"})


def paper_width() -> int | None:
    """None leaves it to the terminal, or to COLUMNS."""
    return None if sys.stdout.isatty() or "COLUMNS" in os.environ else PIPED_WIDTH


def print_paper(shown: "RenderableType") -> None:
    """Prints on stdout, in ASCII where the terminal has no other signs."""
    from rich.console import Console

    from iosonde.report.terminal.signs import Harmless

    console = Console(highlight=False, width=paper_width())
    console.print(Harmless(shown, ascii_only=is_plain(ascii_only=console.options.ascii_only)))


def is_plain(*, ascii_only: bool) -> bool:
    """Whether only ASCII can be shown."""
    return ascii_only or (sys.stdout.isatty() and os.environ.get("TERM") in PLAIN_TERMINALS)
