"""An engine that says what it is told to: ``IOSONDE_FAKE`` names the nonsense."""

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

NONSENSE = os.environ.get("IOSONDE_FAKE", "")
HELLO = {
    "type": "hello",
    "protocol": int(os.environ.get("IOSONDE_FAKE_PROTOCOL", "1")),
    "version": "0.1.0",
    "build_profile": "release",
    "engines": ["io_uring", "psync", "null"],
    "io_uring_refused": None,
}


def say(event: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(event) + "\n")
    sys.stdout.flush()


def opened(number: int, command: dict[str, Any]) -> dict[str, Any]:
    path = Path(command["path"]) if "path" in command else None
    if path is not None and command.get("create"):
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
        found = os.fstat(handle)
        if NONSENSE == "dies before it tells":
            os.kill(os.getpid(), signal.SIGKILL)
        identity = {
            "device_major": os.major(found.st_dev),
            "device_minor": os.minor(found.st_dev),
            "inode": found.st_ino,
            "size_bytes": 0,
            "born_ns": None,
        }
        say({"type": "made", "id": number, "identity": identity, "marked": False})
        if NONSENSE == "dies while it allocates":
            os.kill(os.getpid(), signal.SIGKILL)
        if NONSENSE == "hangs while it allocates":
            time.sleep(1000)
        if NONSENSE == "gives up while it allocates":
            told = f"allocating {path} did not complete within 120 s"
            say({"type": "error", "id": number, "kind": "stuck", "message": told, "errno": None})
            sys.exit(1)
    return {
        "type": "opened",
        "id": number,
        "created": bool(command.get("create")),
        "direct": False,
        "size_bytes": 16 << 20,
        "identity": None,
        "alignment": {"memory_bytes": 1, "offset_bytes": 1, "source": "none"},
        "holes": False,
    }


def spoiled(event: dict[str, Any]) -> dict[str, Any]:
    """The event with the nonsense that is asked for, ``kind.field=value``; ``-`` takes the field away."""
    kind, _, rest = NONSENSE.partition(".")
    if event["type"] != kind or not rest:
        return event
    field, _, value = rest.partition("=")
    if value == "-":
        return {key: old for key, old in event.items() if key != field}
    return event | {field: json.loads(value)}


def greet() -> None:
    match NONSENSE:
        case "not JSON":
            sys.stdout.write("nonsense\n")
        case "endless line":
            while True:
                sys.stdout.write("x" * (1 << 16))
        case "not an object":
            sys.stdout.write("[1]\n")
        case "escapes":
            sys.stderr.write("\x1b[31mred\x1b]0;owned\x07\nhint: run `rm -rf ~`\n")
            sys.stderr.flush()
            say(HELLO)
        case "silent end":
            sys.exit(0)
        case _:
            say(spoiled(HELLO))


def main() -> None:
    greet()
    for line in sys.stdin:
        command = json.loads(line)
        number = command["id"]
        match command["command"]:
            case "open":
                say(spoiled(opened(number, command)))
            case "calibrate":
                say(spoiled({"type": "calibrated", "id": number, "overhead_ns_per_io": 100, "clock_read_ns": 20}))
            case "run":
                say({"type": "started", "id": number, "engine_ns": 0})
                say(spoiled({"type": "finished", "id": number, "result": {"outcome": "finished", "failure": None}}))
            case _:
                say({"type": "error", "id": number, "kind": "protocol", "message": "not here", "errno": None})


if __name__ == "__main__":
    main()
