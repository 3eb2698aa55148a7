"""The overhead of the engine, on targets that are faster than it: the null ring, the kernel's rings, and memory."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from bench.ratios import Paired, difference_of
from bench.report import Report
from bench.sides import (
    CpuSpent,
    Load,
    Measure,
    Sample,
    by_engine,
    by_fio,
    field_ratio,
    fill,
    fio_version,
    memory_of,
    paired,
)
from iosonde.records import Engine
from iosonde.units import SECOND_NS

ENGINE = Path(__file__).parent.parent / "engine"
SPAN_BYTES = 1 << 30
DURATION_S = 2
DEPTH = 128
SHALLOW_DEPTH = 32
TRIALS = 3
MEMORY_S = (2, 60)
MIB = 1 << 20
MEMORY_BYTES_MAX = 64 * MIB
MEMORY_GROWTH_BYTES_MAX = 1 * MIB
SATURATED_RATE_PER_S = 10**9
NULL_NS_MAX = 60.0
NULL_RATIO_MIN, NULL_BATCHED_RATIO_MIN = 3.0, 1.5
NOP_NS_MAX = 35.0
RING_RATIO_MIN, RING_USER_MAX = 1.0, 0.5
THREADS_RATIO_MIN = 1.8
NOT_HERE = "not measured"
ONE_CPU = "--cpus_allowed=0"


@dataclass(frozen=True)
class Row:
    """One line of the table. ``met`` is None if it could not be measured."""

    measure: str
    seen: str
    target: str
    met: bool | None

    def __str__(self) -> str:
        met = {True: "yes", False: "no", None: NOT_HERE}[self.met]
        return f"| {self.measure} | {self.seen} | {self.target} | {met} |"


def run(results: Path, folder: Path, pairs: int) -> bool:
    """Measures the overhead, prints and stores the table. True if every target is met."""
    report = Report(
        f"Cost of the engine, {pairs} alternating rounds of {DURATION_S} s",
        folder,
        [f"- fio: {fio_version()}, latencies on as by default"],
    )
    report.say(
        "Medians of the rounds, with bootstrap 95 % intervals. Ratios are iosonde / fio in the same round; CPU time is",
        "of whole processes, including io-wq workers.",
        "",
        "| quantity | measured | target | met |",
        "|---|---|---|---|",
    )
    met = True
    for rows in (_null(report, pairs), _nop(report, pairs), _rings(report, pairs), _threads(report, pairs), _memory()):
        for row in rows:
            report.say(str(row))
            met = met and row.met is True
    report.keep(results, "overhead")
    return met


def _ns(samples: list[Sample]) -> list[float]:
    return [SECOND_NS / each.iops for each in samples]


def _keep(report: Report, name: str, **figures: Paired) -> None:
    report.figures[name] = {field: each.as_json() for field, each in figures.items()}


def _fastest(candidates: dict[str, Measure], load: Load) -> tuple[str, Measure]:
    """The candidate with the highest IOPS in ``TRIALS`` rounds."""
    tried = paired(list(candidates.values()), load, TRIALS)
    speeds = {name: median(each.iops for each in samples) for name, samples in zip(candidates, tried, strict=True)}
    best = max(speeds, key=speeds.__getitem__)
    return best, candidates[best]


def _batched(ioengine: str, manner: str = "", *settings: str) -> dict[str, Measure]:
    """Runs of fio with each useful batch size, without its random map."""
    return {
        f"batch {size}{manner}": by_fio(
            ioengine,
            "--norandommap=1",
            *settings,
            f"--iodepth_batch_submit={size}",
            "--iodepth_batch_complete_min=1",
            f"--iodepth_batch_complete_max={size}",
        )
        for size in (1, 8, 16, 32)
    }


def _ring_candidates() -> dict[str, Measure]:
    """Runs of fio with io_uring: on all CPUs or one (with io-wq workers), with or without registered resources."""
    fixed = ("--fixedbufs=1", "--registerfiles=1")
    return (
        _batched("io_uring")
        | _batched("io_uring", ", fixed", *fixed)
        | _batched("io_uring", ", one CPU", ONE_CPU)
        | _batched("io_uring", ", fixed, one CPU", ONE_CPU, *fixed)
    )


def _null(report: Report, pairs: int) -> Iterator[Row]:
    load = Load(None, SPAN_BYTES, DEPTH, DURATION_S)
    name, best = _fastest(_batched("null", ", one CPU", ONE_CPU), load)
    ours, default, batched = paired([by_engine(Engine.NULL), by_fio("null"), best], load, pairs)
    wall = difference_of(_ns(ours), [0.0] * pairs)
    against, against_best = field_ratio("iops", ours, default), field_ratio("iops", ours, batched)
    _keep(report, "null", ns_per_io=wall, iops_ratio=against, iops_ratio_batched=against_best)
    measure = f"null ring, depth {DEPTH}"
    yield Row(f"{measure}: ns per I/O", str(wall), f"<= {NULL_NS_MAX:g}", wall.median <= NULL_NS_MAX)
    yield Row(
        f"{measure}: IOPS compared with fio's defaults",
        str(against),
        f">= {NULL_RATIO_MIN:g}",
        against.median >= NULL_RATIO_MIN,
    )
    yield Row(
        f"{measure}: IOPS compared with fio's best ({name})",
        str(against_best),
        f">= {NULL_BATCHED_RATIO_MIN:g}",
        against_best.median >= NULL_BATCHED_RATIO_MIN,
    )


def _nop(report: Report, pairs: int) -> Iterator[Row]:
    load = Load(None, SPAN_BYTES, DEPTH, DURATION_S)
    ours, bare = paired([by_engine(Engine.NOP), _bare_ring()], load, pairs)
    more = difference_of(_ns(ours), _ns(bare))
    floor = difference_of(_ns(bare), [0.0] * pairs)
    _keep(report, "nop", ns_per_io_beyond_bare=more, bare_ns_per_io=floor)
    seen = f"{more} on top of {floor} for the bare ring"
    yield Row(
        f"NOP ring, depth {DEPTH}: ns per I/O above the bare ring",
        seen,
        f"<= {NOP_NS_MAX:g}",
        more.median <= NOP_NS_MAX,
    )


def _bare_ring() -> Measure:
    words = ["cargo", "bench", "--quiet", "--locked", "--bench", "bare_ring", "--no-run", "--message-format=json"]
    built = subprocess.run(words, cwd=ENGINE, stdout=subprocess.PIPE, check=True)
    messages = [json.loads(line) for line in built.stdout.splitlines()]
    [program] = [each["executable"] for each in messages if each.get("target", {}).get("name") == "bare_ring"]

    def measure(load: Load, _seed: int) -> Sample:
        before = CpuSpent.by_children()
        words = [program, str(load.duration_s), str(load.queue_depth)]
        found = json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)
        iops = found["count"] * SECOND_NS / found["elapsed_ns"]
        return CpuSpent.by_children().sample(before, found["count"], iops, latency_ns_mean=0)

    return measure


def _rings(report: Report, pairs: int) -> Iterator[Row]:
    places = {"zram": zram, "tmpfs": tmpfs}
    for place, made in places.items():
        with made() as target:
            if target is None:
                for what in ("IOPS", "user CPU per I/O"):
                    yield Row(f"{place}, 4 KiB random read, depth {SHALLOW_DEPTH}: {what}", "none here", "-", None)
                continue
            # tmpfs has no direct I/O.
            load = Load(target, SPAN_BYTES, SHALLOW_DEPTH, DURATION_S, direct=place != "tmpfs")
            yield from _ring(report, place, load, pairs)


def _ring(report: Report, place: str, load: Load, pairs: int) -> Iterator[Row]:
    name, best = _fastest(_ring_candidates(), load)
    ours, theirs = paired([by_engine(Engine.IO_URING), best], load, pairs)
    speed, user = field_ratio("iops", ours, theirs), field_ratio("user_ns_per_io", ours, theirs)
    _keep(report, place, iops_ratio=speed, user_ns_per_io_ratio=user)
    punted = f"; up to {max(each.kernel_workers for each in ours)} io-wq workers"
    measure = f"{place}, 4 KiB random read, depth {load.queue_depth}"
    yield Row(
        f"{measure}: IOPS compared with fio's best ({name})",
        str(speed) + punted,
        f">= {RING_RATIO_MIN:g}",
        speed.median >= RING_RATIO_MIN,
    )
    yield Row(f"{measure}: user CPU per I/O", str(user), f"<= {RING_USER_MAX:g}", user.median <= RING_USER_MAX)


@contextmanager
def zram() -> Iterator[Path | None]:
    """A file on a zram device, which is created and removed again. None without root, the tools, or the device."""
    if os.geteuid() != 0 or any(shutil.which(tool) is None for tool in ("zramctl", "mkfs.ext4", "mount", "umount")):
        yield None
        return
    made = subprocess.run(
        ["zramctl", "--find", "--size", str(2 * SPAN_BYTES)], stdout=subprocess.PIPE, check=False, text=True
    )
    if made.returncode != 0:
        yield None
        return
    device = made.stdout.strip()
    try:
        with tempfile.TemporaryDirectory() as folder, _mounted(device, Path(folder)):
            target = Path(folder) / "data"
            fill(target, SPAN_BYTES)
            yield target
    finally:
        subprocess.run(["zramctl", "--reset", device], check=True)


@contextmanager
def _mounted(device: str, folder: Path) -> Iterator[None]:
    subprocess.run(["mkfs.ext4", "-q", device], check=True)
    subprocess.run(["mount", device, folder], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


@contextmanager
def tmpfs() -> Iterator[Path | None]:
    """A file on tmpfs, in /dev/shm. None if that is not writable."""
    shared = Path("/dev/shm")  # noqa: S108 Where Linux has memory as a file system.
    if not os.access(shared, os.W_OK):
        yield None
        return
    with tempfile.TemporaryDirectory(dir=shared) as folder:
        target = Path(folder) / "data"
        fill(target, SPAN_BYTES, direct=False)
        yield target


def _threads(report: Report, pairs: int) -> Iterator[Row]:
    one = Load(None, SPAN_BYTES, DEPTH, DURATION_S)
    sides: list[Measure] = [by_engine(Engine.NULL), _two_threads]
    single, double = paired(sides, one, pairs)
    ratio = field_ratio("iops", double, single)
    _keep(report, "threads", iops_ratio=ratio)
    enough = len(os.sched_getaffinity(0)) > 1
    met = ratio.median >= THREADS_RATIO_MIN if enough else None
    yield Row("two threads compared with one, null ring: IOPS", str(ratio), f">= {THREADS_RATIO_MIN:g}", met)


def _two_threads(load: Load, seed: int) -> Sample:
    return by_engine(Engine.NULL)(replace(load, jobs=2), seed)


def _memory() -> Iterator[Row]:
    for what, rate_per_s in (("full queue", None), ("overloaded open loop", SATURATED_RATE_PER_S)):
        peaks = []
        for seconds in MEMORY_S:
            load = Load(None, SPAN_BYTES, DEPTH, seconds, rate_per_s=rate_per_s)
            peaks.append(memory_of(Engine.NULL, load))
        growth = peaks[-1] - peaks[0]
        least_s, most_s = MEMORY_S
        seen = f"{peaks[-1] / MIB:.1f} MiB after {most_s} s, {growth / MIB:+.2f} MiB more than after {least_s} s"
        met = peaks[-1] <= MEMORY_BYTES_MAX and growth <= MEMORY_GROWTH_BYTES_MAX
        yield Row(f"memory, buffers included: {what}", seen, "<= 64 MiB, flat", met)
