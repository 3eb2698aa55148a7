"""The default width of printed text, and its character set."""

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import RenderableType

# A file or a pipe is not limited to 80 columns, and a wrapped path cannot be copied.
PIPED_WIDTH = 160
# The kernel's console has no characters for partial blocks.
PLAIN_TERMINALS = frozenset({"linux"})


def paper_width() -> int | None:
    """The width; None uses the terminal's or COLUMNS."""
    return None if sys.stdout.isatty() or "COLUMNS" in os.environ else PIPED_WIDTH


def print_paper(shown: "RenderableType") -> None:
    """Prints on stdout, in ASCII if the terminal supports nothing else."""
    from rich.console import Console

    from iosonde.report.terminal.symbols import Harmless

    console = Console(highlight=False, width=paper_width())
    console.print(Harmless(shown, ascii_only=is_plain(ascii_only=console.options.ascii_only)))


def is_plain(*, ascii_only: bool) -> bool:
    """Whether only ASCII can be shown."""
    return ascii_only or (sys.stdout.isatty() and os.environ.get("TERM") in PLAIN_TERMINALS)
