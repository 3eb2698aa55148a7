"""Plays the engine's part of a recorded transcript: says what was said, and insists on being told what was told.

python replay.py TRANSCRIPT FOLDER
"""

import json
import sys
from pathlib import Path

WRONG_COMMAND = 9


def main() -> int:
    transcript, folder = Path(sys.argv[1]), sys.argv[2]
    for line in transcript.read_text(encoding="utf-8").splitlines():
        message = json.loads(line.replace("$DIR", folder))
        if "event" in message:
            sys.stdout.write(f"{json.dumps(message['event'])}\n")
            sys.stdout.flush()
            continue
        told = sys.stdin.readline()
        if not told or json.loads(told) != message["command"]:
            sys.stderr.write(f"expected {message['command']}, was told {told}\n")
            return WRONG_COMMAND
    return WRONG_COMMAND if sys.stdin.readline() else 0


if __name__ == "__main__":
    sys.exit(main())
