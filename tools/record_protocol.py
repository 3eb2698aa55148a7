"""Records the messages between front end and engine, for the tests of both.

    python -m tools.record_protocol [NAME...]

regenerates ``tests/fixtures/wall/*.jsonl``, or only the named ones. A line ``{"command": …}`` was sent to the engine,
and a line ``{"event": …}`` was received from it. ``$DIR`` is the directory of the target.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from iosonde.sources.engine.locate import find_engine
from iosonde.sources.engine.process import EngineProcess

Message = dict[str, Any]
FOLDER: Final = Path(__file__).resolve().parents[1] / "tests/fixtures/wall"
MS: Final = 1_000_000
SPAN_BYTES: Final = 16 << 20


def job(**changes: object) -> Message:
    """A short job: random 4 KiB reads at queue depth 4, 100 ms of warm-up, 300 ms of measurement.

    It is long enough that even on a busy machine operations complete in each interval.
    """
    return {
        "engine": "null",
        "pattern": "random",
        "read_percent": 100,
        "block_size_bytes": 4096,
        "queue_depth": 4,
        "jobs": 1,
        "targets": 1,
        "poll": "interrupt",
        "sync": "none",
        "data": "random",
        "seed": 7,
        "span_bytes": SPAN_BYTES,
        "warmup_ns": 100 * MS,
        "measure_ns": 300 * MS,
        "interval_ns": 100 * MS,
        "amount_bytes": None,
        **changes,
    }


def open_file(name: str, **changes: object) -> Message:
    """The command that opens a new file, for buffered I/O: its messages are the same on every file system."""
    return {
        "command": "open",
        "kind": "file",
        "path": f"$DIR/{name}",
        "access": "write",
        "create": True,
        "direct": False,
        "size_bytes": SPAN_BYTES,
        **changes,
    }


SIMULATION: Final[Message] = {
    "command": "open",
    "kind": "simulation",
    "model": {
        "kind": "queueing",
        "size_bytes": SPAN_BYTES,
        "servers": 2,
        "service": "exponential",
        "service_ns": 100_000,
    },
    "seed": 7,
    "faults": [],
}

FILL: Final = job(
    engine="psync",
    pattern="sequential",
    read_percent=0,
    block_size_bytes=1 << 20,
    queue_depth=2,
    amount_bytes=SPAN_BYTES,
)

SCRIPTS: Final[dict[str, list[Message]]] = {
    "null": [
        {"command": "calibrate"},
        {"command": "open", "kind": "null", "size_bytes": SPAN_BYTES},
        {"command": "run", "job": job(read_percent=70)},
        {"command": "close"},
    ],
    "file": [
        open_file("target"),
        {"command": "run", "job": FILL},
        {"command": "sync"},
        {"command": "run", "job": job(engine="psync", queue_depth=2)},
        {"command": "run", "job": job(engine="psync", queue_depth=1, read_percent=0, sync="fdatasync")},
        {"command": "close"},
    ],
    "targets": [
        open_file("first"),
        open_file("second"),
        {"command": "run", "job": {**FILL, "targets": 2}},
        {"command": "sync"},
        {"command": "run", "job": job(engine="psync", queue_depth=2, targets=2)},
        {"command": "run", "job": job(engine="psync", queue_depth=2)},
        {"command": "close"},
    ],
    "simulation": [
        SIMULATION,
        {"command": "run", "job": {**FILL, "engine": "simulation"}},
        {"command": "sync"},
        {"command": "wait", "duration_ns": 10 * MS},
        {"command": "run", "job": job(engine="simulation")},
        {
            "command": "run",
            "job": job(engine="simulation", queue_depth=64, pace={"rate_per_s": 10_000, "arrivals": "poisson"}),
        },
        {"command": "close"},
        {**SIMULATION, "model": {**SIMULATION["model"], "servers": 0}},
    ],
    "refusals": [
        {"command": "run", "job": job()},
        {"command": "sync"},
        {"command": "close"},
        {"command": "fly"},
        open_file("missing", create=False, size_bytes=None),
        open_file(".", create=False, size_bytes=None),
        open_file("sizeless", size_bytes=None),
        {"command": "open", "kind": "device", "path": "$DIR/.", "direct": True},
        {"command": "open", "kind": "device", "path": "$DIR/missing", "direct": True},
        {"command": "open", "kind": "null", "size_bytes": SPAN_BYTES},
        {"command": "run", "job": job(block_size_bytes=1000)},
        {"command": "run", "job": job(queue_depth=0)},
        {"command": "run", "job": job(jobs=0)},
        {"command": "run", "job": job(targets=0)},
        {"command": "run", "job": job(targets=2)},
        {"command": "run", "job": job(read_percent=101)},
        {"command": "run", "job": job(engine="psync")},
        {"command": "run", "job": job(engine="passthrough")},
        {"command": "run", "job": job(span_bytes=2 * SPAN_BYTES)},
        {"command": "run", "job": job(measure_ns=0)},
        {"command": "run", "job": job(surprise=1)},
    ],
}


def play(script: list[Message], folder: Path) -> Iterator[Message]:
    """Sends the commands, and yields all commands and events in order."""
    process = EngineProcess([find_engine()])
    try:
        yield {"event": process.receive(10)}
        for number, command in enumerate(script, start=1):
            numbered = {"id": number, **command}
            yield {"command": numbered}
            process.send(json.loads(json.dumps(numbered).replace("$DIR", str(folder))))
            event: Message = {"type": "interval"}
            while event["type"] in {"interval", "started", "made"}:
                event = process.receive(60)
                yield {"event": event}
    finally:
        process.end()


def main() -> None:
    """Records every script, or those named on the command line."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or SCRIPTS:
        script = SCRIPTS[name]
        with tempfile.TemporaryDirectory() as folder:
            lines = [json.dumps(message).replace(folder, "$DIR") for message in play(script, Path(folder))]
        (FOLDER / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{name}: {len(lines)} lines")


if __name__ == "__main__":
    main()
