"""Hashes of the results of simulated drives. They are the same for every build and on every machine."""

import hashlib
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from iosonde.plans.models import load_model, model_names
from iosonde.sources.engine.locate import find_engine
from iosonde.sources.engine.process import EngineProcess
from verify.simulated import JOB, SECOND_NS, events_of

ROOT: Final = Path(__file__).parents[1]
KEPT: Final = Path(__file__).parent / "results" / "same-bits.json"
SPAN_BYTES_MAX: Final = 8 << 30
ANSWER_S_MAX: Final = 300.0
# Fields that depend on the engine, its commands or its delays, and not on the drive.
NOT_THE_DRIVES: Final = frozenset({"id", "engine", "host_lag", "waiting_age_ns_max", "backlog_ns"})

JOBS: Final[tuple[dict[str, Any], ...]] = (
    {"pattern": "sequential", "read_percent": 0, "block_size_bytes": 131_072, "queue_depth": 32},
    {"read_percent": 70, "queue_depth": 16, "amount_bytes": 64 << 20, "seed": 2},
    {"read_percent": 0, "queue_depth": 32, "amount_bytes": 2 << 30, "seed": 3},
    {"read_percent": 0, "queue_depth": 2, "sync": "fdatasync", "amount_bytes": 1 << 20, "seed": 4},
    {
        "queue_depth": 64,
        "pace": {"arrivals": "poisson", "rate_per_s": 50},
        "measure_ns": 20 * SECOND_NS,
        "interval_ns": 5 * SECOND_NS,
        "seed": 5,
    },
)
"""Preconditioning, a mix, garbage collection, durable writes and an open loop, in this order on the same drive."""

BUILDS: Final[dict[str, tuple[str, ...]]] = {
    "debug": ("--config", "profile.dev.opt-level=0"),
    "native": ("--release", "--config", 'build.rustflags=["-C","target-cpu=native"]'),
    "small": ("--release", "--config", 'profile.release.opt-level="s"', "--config", "profile.release.lto=false"),
}
"""Builds with as different code as one machine allows: without optimisation, for this CPU, and for size."""


def fingerprint(model: str, engine: Path | None = None) -> str:
    """The hash of a model's results under ``JOBS`` on a new drive, as 16 hexadecimal digits."""
    process = EngineProcess([engine or find_engine()])
    try:
        process.receive(ANSWER_S_MAX)
        hashed = hashlib.sha256()
        table = load_model(model).parameters
        process.send({"id": 1, "command": "open", "kind": "simulation", "model": table, "seed": 1})
        span_bytes = min(int(process.receive(ANSWER_S_MAX)["size_bytes"]), SPAN_BYTES_MAX)
        for number, job in enumerate(JOBS, start=2):
            whole = {**JOB, "span_bytes": span_bytes, "amount_bytes": span_bytes, **job}
            if "pace" in job:
                whole["amount_bytes"] = None
            for event in events_of(process, number, whole, ANSWER_S_MAX):
                hashed.update(json.dumps(_bare(event), sort_keys=True).encode())
        return hashed.hexdigest()[:16]
    finally:
        process.end()


def build(name: str) -> Path:
    """Builds the engine with the options in ``BUILDS``."""
    folder = ROOT / "engine" / "target" / f"build-{name}"
    command = ["cargo", "build", "--quiet", "--locked", "--target-dir", str(folder), *BUILDS[name]]
    # Flags from the environment would replace those of the build.
    environment = {key: value for key, value in os.environ.items() if key != "RUSTFLAGS"}
    subprocess.run(command, cwd=ROOT / "engine", check=True, env=environment)
    return folder / ("debug" if name == "debug" else "release") / "iosonde-engine"


def _bare(value: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    if isinstance(value, dict):
        return {key: _bare(each) for key, each in value.items() if key not in NOT_THE_DRIVES}
    return [_bare(each) for each in value] if isinstance(value, list) else value


def compare_builds(others: Mapping[str, Path]) -> Iterator[tuple[str, dict[str, str]]]:
    """Each shipped model, with its hash on the installed engine, on every build, and on other engines."""
    engines = {"installed": find_engine()} | {name: build(name) for name in BUILDS} | dict(others)
    for model in model_names():
        yield model, {name: fingerprint(model, engine) for name, engine in engines.items()}
