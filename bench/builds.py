"""Compares the engine with other builds of it, such as the one before a change. All builds alternate on each load."""

from collections.abc import Iterator
from pathlib import Path
from statistics import median

from bench.overhead import DEPTH, SPAN_BYTES, tmpfs, zram
from bench.report import Report
from bench.sides import Load, Measure, by_engine, field_ratio, fill, paired
from iosonde.records import Engine

DURATION_S = 1
DISK_DEPTHS = (1, 8, 32, 128)
MEMORY_DEPTHS = (1, 8, 32, 128)


def run(results: Path, folder: Path, pairs: int, before: list[Path]) -> int:
    """Measures the loads, prints and stores the table. Always returns 0, because there is no target."""
    report = Report(f"The engine compared with another build, {pairs} alternating rounds of {DURATION_S} s", folder)
    report.say(
        "4 KiB random reads. Ratios are this build / the other build in the same round: median of the rounds",
        "(bootstrap 95 % interval). CPU time is of whole processes, user and system, including kernel threads.",
        "",
        "| load | build | IOPS | mean latency | CPU per I/O | this build: IOPS, mean, CPU |",
        "|---|---|---|---|---|---|",
    )
    for name, engine, load in _loads(folder):
        sides: list[Measure] = [by_engine(engine), *(by_engine(engine, build) for build in before)]
        ours, *others = paired(sides, load, pairs)
        iops, latency_us, cpu_ns = (
            median(getattr(each, field) for each in ours) for field in ("iops", "latency_ns_mean", "cpu_ns_per_io")
        )
        seen = f"{iops:,.0f} IOPS, {latency_us / 1000:,.1f} µs, {cpu_ns:,.0f} ns"
        for build, theirs in zip(before, others, strict=True):
            ratios = {field: field_ratio(field, ours, theirs) for field in ("iops", "latency_ns_mean", "cpu_ns_per_io")}
            report.say(f"| {name} | {build.name} | {' | '.join(map(str, ratios.values()))} | {seen} |")
            report.figures[f"{name}, {build.name}"] = {field: each.as_json() for field, each in ratios.items()}
    report.keep(results, "builds")
    return 0


def _loads(folder: Path) -> Iterator[tuple[str, Engine, Load]]:
    for engine in (Engine.NULL, Engine.NOP):
        for depth in (8, DEPTH):
            yield f"{engine} ring, depth {depth}", engine, Load(None, SPAN_BYTES, depth, DURATION_S)
    for place, made in (("zram", zram), ("tmpfs", tmpfs)):
        with made() as target:
            for depth in MEMORY_DEPTHS if target else ():
                load = Load(target, SPAN_BYTES, depth, DURATION_S, direct=place != "tmpfs")
                yield f"{place}, depth {depth}", Engine.IO_URING, load
    target = (folder / "iosonde-bench.data").resolve()
    try:
        fill(target, SPAN_BYTES)
        for depth in DISK_DEPTHS:
            yield f"disk, depth {depth}", Engine.IO_URING, Load(target, SPAN_BYTES, depth, DURATION_S)
    finally:
        target.unlink(missing_ok=True)
