"""Commands of iosonde, each in a child of a process that has all modules: there are more than a hundred of them."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path

from lab.forked import Ended, command, forked, load_modules
from lab.kernel import CHECKOUT


class Commands:
    """A process that runs commands, one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__], cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def run(self, folder: Path, words: Sequence[str | Path]) -> Ended:
        """Runs ``iosonde`` with these words in a folder."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._lock:
            self._process.stdin.write(json.dumps([str(folder), *map(str, words)]) + "\n")
            self._process.stdin.flush()
            return Ended(**json.loads(self._process.stdout.readline()))


def _run_in(folder: str, words: Sequence[str]) -> None:
    os.chdir(folder)
    command(*words)


def main() -> None:
    """Runs the commands that it reads, and prints how each ended."""
    load_modules()
    for line in sys.stdin:
        folder, *words = json.loads(line)
        with forked(partial(_run_in, folder, words)) as process:
            process.wait()
        print(json.dumps(asdict(process.ended())), flush=True)


if __name__ == "__main__":
    main()
