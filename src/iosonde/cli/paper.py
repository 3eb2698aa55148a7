"""How wide text is printed where nobody says."""

import os
import sys

# In a file or a pipe a line is not at an end after 80 columns, and a path that is cut in two can't be copied.
PIPED_WIDTH = 160


def paper_width() -> int | None:
    """None leaves it to the terminal, or to COLUMNS."""
    return None if sys.stdout.isatty() or "COLUMNS" in os.environ else PIPED_WIDTH
