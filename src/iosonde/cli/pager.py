"""Text that is longer than a screen, through the user's pager, as git does."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from iosonde.cli.text_width import is_plain, print_paper

if TYPE_CHECKING:
    from rich.console import RenderableType

# The options that git sets for less: exit if one screen is enough, keep colours, keep the text on the screen.
LESS: Final = "FRX"
_NONE: Final = frozenset({"", "cat"})
_NOT_FOUND: Final = 127


def print_paged(shown: "RenderableType", *, paged: bool) -> None:
    """Prints on stdout; on a terminal through the pager, unless ``paged`` is False or the user has none."""
    command = _pager() if paged and sys.stdout.isatty() else ""
    if command in _NONE or not _page(shown, command):
        print_paper(shown)


def _pager() -> str:
    """The user's pager, as a shell command."""
    own = os.environ.get("IOSONDE_PAGER")
    return (os.environ.get("PAGER", "less") if own is None else own).strip()


def _page(shown: "RenderableType", command: str) -> bool:
    """Pages the text. Returns whether the pager exists."""
    text = _text(shown)
    environment = os.environ | {"LESS": os.environ.get("LESS", LESS), "LV": os.environ.get("LV", "-c")}
    sys.stdout.flush()
    pager = subprocess.Popen(["/bin/sh", "-c", command], stdin=subprocess.PIPE, env=environment)
    # Ctrl-C belongs to the pager, which stops a search with it.
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        # The user has quit the pager.
        with suppress(BrokenPipeError):
            pager.communicate(text.encode("utf-8", "replace"))
        pager.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return pager.returncode != _NOT_FOUND


def _text(shown: "RenderableType") -> str:
    """The text with its colours, as wide as the terminal."""
    from rich.console import Console

    from iosonde.report.terminal.symbols import Harmless

    console = Console(highlight=False)
    with console.capture() as captured:
        console.print(Harmless(shown, ascii_only=is_plain(ascii_only=console.options.ascii_only)))
    return captured.get()
