"""Takes the picture in the README: the first screen of a run's report.

python -m tools.take_picture RUN [--width 1280] [--height 1160] [--out docs/images/report.png]
"""

import argparse
import shutil
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
SETTLE_MS = 20_000
DRAWN = "document.querySelectorAll('.chart svg').length > 0"


def main() -> int:
    """Opens the page in the Chromium that is installed."""
    parser = argparse.ArgumentParser(prog="python -m tools.take_picture", description=__doc__)
    parser.add_argument("run", type=Path)
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=1160)
    parser.add_argument("--out", type=Path, default=ROOT / "docs/images/report.png")
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
        page.wait_for_function(DRAWN, timeout=SETTLE_MS)
        page.screenshot(path=asked.out)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
