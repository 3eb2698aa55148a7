"""Takes the pictures in the docs: the first screen of a run's report, or one part of the page.

python -m tools.take_picture RUN [--width 1280] [--height 940] [--part ID] [--out docs/images/report.png]
"""

import argparse
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
SETTLE_MS = 20_000
LAID_OUT_MS = 1_000
# Selectors instead of scripts, because the page's content security policy forbids evaluated code.
DRAWN = ".chart svg"
ALL_DRAWN = "html[data-drawn=all]"


def main() -> int:
    """Opens the page in the installed Chromium, and stores the picture."""
    parser = argparse.ArgumentParser(prog="python -m tools.take_picture", description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=940)
    parser.add_argument("--out", type=Path, default=ROOT / "docs/images/report.png")
    parser.add_argument("--part", help="the id of a section or figure, such as figure-run-consistency")
    asked = parser.parse_args()
    browser_path = shutil.which("chromium")
    if browser_path is None:
        print("chromium is needed", file=sys.stderr)
        return 1
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": asked.width, "height": asked.height})
        page.goto((asked.run / "report.html").resolve().as_uri())
        page.wait_for_selector(DRAWN, timeout=SETTLE_MS)
        if asked.part is None:
            page.screenshot(path=asked.out)
        else:
            # Charts that are drawn later, or when they become visible, move the content below them.
            page.wait_for_selector(ALL_DRAWN, timeout=SETTLE_MS)
            part = page.locator(f"#{asked.part}")
            part.scroll_into_view_if_needed()
            page.wait_for_timeout(LAID_OUT_MS)
            part.screenshot(path=asked.out)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
