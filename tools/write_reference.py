"""Writes docs/reference/ from the code."""

import sys
from pathlib import Path
from typing import Final

from tools.reference import PAGES

FOLDER: Final = Path(__file__).resolve().parents[1] / "docs/reference"


def main() -> int:
    """Writes every page."""
    for name, text in PAGES.items():
        (FOLDER / name).write_text(text(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
