"""Writes docs/reference/, docs/man/, docs/models/ and docs/glossary.md from code, model measurements and terms."""

import sys
from pathlib import Path
from typing import Final

from tools import glossary, model_pages, reference
from tools.reference.man import man_pages

DOCS: Final = Path(__file__).resolve().parents[1] / "docs"
FOLDERS: Final = {".": glossary.PAGES, "reference": reference.PAGES, "models": model_pages.PAGES}


def main() -> int:
    """Writes every page."""
    for folder, pages in FOLDERS.items():
        (DOCS / folder).mkdir(exist_ok=True)
        for name, text in pages.items():
            (DOCS / folder / name).write_text(text(), encoding="utf-8")
    (DOCS / "man").mkdir(exist_ok=True)
    for name, page in man_pages().items():
        (DOCS / "man" / name).write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
