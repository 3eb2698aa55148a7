"""Inside the guest: runs the attempts, and leaves a line for each."""

import json
import time
import traceback
from pathlib import Path
from typing import Final

from lab.forked import load_modules
from lab.write_cache.attempts import ATTEMPTS
from lab.write_cache.drives import BESIDE, cache, device, kernel

SEEN: Final = Path("/lab/seen.jsonl")


def main() -> None:
    """Runs all of them. The drive that none of them names must not change."""
    load_modules()
    beside = device(BESIDE)
    before = (cache(beside), kernel(beside))
    with SEEN.open("w", encoding="utf-8") as seen:
        for attempt in ATTEMPTS:
            began = time.monotonic()
            try:
                found = {"wrong": attempt.run()}
            except Exception:  # noqa: BLE001 - the others are run all the same
                found = {"wrong": traceback.format_exc()[-1500:]}
            if (cache(beside), kernel(beside)) != before:
                found["wrong"] += "another drive has changed"
            found |= {"name": attempt.name, "s": str(round(time.monotonic() - began, 1))}
            seen.write(json.dumps(found) + "\n")
            seen.flush()


if __name__ == "__main__":
    main()
