"""Inside the guest: tries all purges, and leaves a line for each."""

import json
import subprocess
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Final

from iosonde.errors import IosondeError
from lab.guard.drives import DRIVES, SHARED, by_serial, namespaces
from lab.guard.inside import wipe
from lab.purge.attempts import ATTEMPTS

SEEN: Final = Path("/lab/seen.jsonl")


def main() -> None:
    """Tries all purges, with drives that hold nothing recognisable before each."""
    with SEEN.open("w", encoding="utf-8") as seen:
        for attempt in ATTEMPTS:
            for path in (*(by_serial(each) for each in DRIVES), *namespaces(SHARED)):
                with suppress(OSError):
                    wipe(path)
            began = time.monotonic()
            try:
                found = attempt.run()
            except (AssertionError, OSError, subprocess.SubprocessError, IosondeError, KeyError, LookupError) as error:
                found = {"outcome": f"{error!r}", "told": traceback.format_exc()[-900:]}
            lasted = round(time.monotonic() - began, 1)
            seen.write(json.dumps({"name": attempt.name, "s": lasted, **found}) + "\n")
            seen.flush()


if __name__ == "__main__":
    main()
