"""Measures one cell with each side: our engine, the whole command, or fio. Each runs in its own process.

CPU time and memory are those of whole processes, io-wq workers included, as the kernel reports them to the parent
process. On every side they include the start of the process.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench.ratios import Paired, ratio_of
from iosonde.plans.preconditioning import TargetInfo, fill_cell
from iosonde.records import (
    Access,
    CellPlan,
    CellRecord,
    CellTurn,
    Engine,
    Experiment,
    Operation,
    Timing,
    Workload,
    one_stream,
)
from iosonde.sources import (
    EngineSource,
    ExistingFile,
    IoPath,
    NewFile,
    NullTarget,
    OpenRequest,
    Source,
)
from iosonde.units import SECOND_NS
from iosonde.vocabulary import Arrivals, Data

BLOCK_BYTES = 4096
# Writes may leave the drive busy. The pause keeps this from affecting the next measurement.
PAUSE_S = 0.2


@dataclass(frozen=True)
class Load:
    """The workload of all sides: random 4 KiB I/O on ``span_bytes`` of a target. None is the null target."""

    target: Path | None
    span_bytes: int
    queue_depth: int
    duration_s: float
    read_percent: int = 100
    jobs: int = 1
    rate_per_s: int | None = None
    direct: bool = True
    data: Data = Data.RANDOM

    @property
    def name(self) -> str:
        """The load in words, for a table."""
        what = " of zeros" if self.data is Data.ZEROS else ""
        return f"4 KiB random {self.direction}{what}, depth {self.queue_depth}"

    @property
    def direction(self) -> Operation:
        """The class of all its operations."""
        return Operation.READ if self.read_percent else Operation.WRITE


@dataclass(frozen=True)
class Sample:
    """One measurement by one side. ``cpu_ns_per_io`` is user and system time."""

    iops: float
    latency_ns_mean: float
    cpu_ns_per_io: float
    user_ns_per_io: float
    kernel_workers: int = 0


Measure = Callable[[Load, int], Sample]


@dataclass(frozen=True)
class CpuSpent:
    """CPU time of processes that have ended."""

    user_ns: int
    system_ns: int

    @classmethod
    def by_children(cls) -> "CpuSpent":
        """That of all child processes that this process has waited for."""
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return cls(round(used.ru_utime * SECOND_NS), round(used.ru_stime * SECOND_NS))

    def sample(self, before: "CpuSpent", count: int, iops: float, latency_ns_mean: float) -> Sample:
        """A sample of ``count`` operations, with the CPU time spent since ``before``."""
        user_ns, system_ns = self.user_ns - before.user_ns, self.system_ns - before.system_ns
        return Sample(iops, latency_ns_mean, (user_ns + system_ns) / count, user_ns / count)


def paired(sides: Sequence[Measure], load: Load, pairs: int) -> list[list[Sample]]:
    """Measures all sides alternately, with a pause of ``PAUSE_S``. Each side is the first equally often."""
    samples: list[list[Sample]] = [[] for _ in sides]
    for number in range(pairs):
        first = number % len(sides)
        for index in [*range(first, len(sides)), *range(first)]:
            samples[index].append(sides[index](load, number + 1))
            time.sleep(PAUSE_S)
    return samples


def field_ratio(field: str, ours: Sequence[Sample], theirs: Sequence[Sample]) -> Paired:
    """The ratio of one field of paired samples."""
    return ratio_of([getattr(each, field) for each in ours], [getattr(each, field) for each in theirs])


def by_engine(engine: Engine, program: Path | None = None) -> Measure:
    """Our engine without the front end, with I/O through ``engine``. Each cell has its own process.

    ``program`` is the path of another build.
    """

    def measure(load: Load, seed: int) -> Sample:
        before = CpuSpent.by_children()
        record = cell_of(engine, load, seed, program)
        totals = record.operations[load.direction]
        iops = totals.count * SECOND_NS / record.measured_ns
        sample = CpuSpent.by_children().sample(before, totals.count, iops, totals.latency_ns_sum / totals.count)
        return replace(sample, kernel_workers=(record.own_engine.kernel_workers or 0) if record.own_engine else 0)

    return measure


def cell_of(engine: Engine, load: Load, seed: int, program: Path | None = None) -> CellRecord:
    """Measures one cell with a new engine process, and returns its record."""
    source = EngineSource([program] if program else None)
    try:
        return _measured(source, engine, load, seed)
    finally:
        source.end()


def memory_of(engine: Engine, load: Load) -> int:
    """The peak memory of an engine process that measures one cell, in bytes."""
    source = EngineSource()
    try:
        _measured(source, engine, load, seed=1)
        status = Path(f"/proc/{source.pid}/status").read_text(encoding="ascii")
    finally:
        source.end()
    [peak] = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(peak.split()[1]) * 1024


def _measured(source: EngineSource, engine: Engine, load: Load, seed: int) -> CellRecord:
    writes = load.read_percent < 100
    span_bytes = load.span_bytes
    target = ExistingFile(path=load.target, span_bytes=span_bytes) if load.target else NullTarget(span_bytes=span_bytes)
    source.open(OpenRequest(target, write=writes, direct=load.direct))
    workload = Workload(
        pattern=Access.RANDOM,
        read_percent=load.read_percent,
        block_size_bytes=BLOCK_BYTES,
        queue_depth=load.queue_depth,
        data=load.data,
        jobs=load.jobs,
        rate_per_s=load.rate_per_s,
        arrivals=Arrivals.POISSON if load.rate_per_s else None,
    )
    timing = Timing(warmup_ns=0, measure_ns=round(load.duration_s * SECOND_NS), interval_ns=SECOND_NS // 2)
    plan = CellPlan(cell="bench", experiments=(Experiment.PROBE,), streams=one_stream(workload), timing=timing)
    turn = CellTurn(order=1, cell="bench", repeat=1, seed=seed)
    record = source.measure(plan, turn, IoPath(engine), load.span_bytes, lambda _: None)
    source.close()
    return record


def by_command(load: Load, seed: int) -> Sample:
    """The whole command. For reads only, because the command preconditions an existing file before it writes to it."""
    before = CpuSpent.by_children()
    words = [sys.executable, "-m", "iosonde", "probe", str(load.target), "--warmup", "0s"]
    words += ["--duration", f"{load.duration_s:g}s", "--queue-depth", str(load.queue_depth), "--seed", str(seed)]
    answer = subprocess.run([*words, "--engine", "io_uring", "--json"], stdout=subprocess.PIPE, check=True)
    spent = CpuSpent.by_children()
    record = json.loads(answer.stdout)["run"]["cells"][0]
    totals = record["operations"][load.direction.value]
    iops = totals["count"] * SECOND_NS / record["measured_ns"]
    return spent.sample(before, totals["count"], iops, totals["latency_ns_sum"] / totals["count"])


def by_fio(ioengine: str, *settings: str) -> Measure:
    """Runs of fio with this ioengine and these settings. fio records latencies, as by default."""

    def measure(load: Load, seed: int) -> Sample:
        before = CpuSpent.by_children()
        target = [f"--filename={load.target.resolve()}"] if load.target else []
        words = ["fio", "--name=bench", *target, f"--size={load.span_bytes}", f"--ioengine={ioengine}"]
        words += [
            f"--direct={int(load.direct)}",
            f"--rw=rand{load.direction}",
            f"--bs={BLOCK_BYTES}",
            f"--iodepth={load.queue_depth}",
        ]
        words += ["--time_based=1", f"--runtime={load.duration_s * 1000:.0f}ms", "--randrepeat=0", f"--randseed={seed}"]
        # Without a file name, fio may create a file in its working directory.
        with tempfile.TemporaryDirectory() as folder:
            answer = subprocess.run(
                [*words, *settings, "--output-format=json"], stdout=subprocess.PIPE, check=True, cwd=folder
            )
        spent = CpuSpent.by_children()
        found = json.loads(answer.stdout)["jobs"][0][load.direction.value]
        return spent.sample(before, found["total_ios"], found["iops"], found["lat_ns"]["mean"])

    return measure


def fio_version() -> str:
    """The version that fio reports."""
    return subprocess.run(["fio", "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout.strip()


def fill(target: Path, span_bytes: int, *, direct: bool = True) -> None:
    """Creates a file with the engine, preconditions it and makes it durable."""
    source = EngineSource()
    try:
        fill_open(source, Engine.IO_URING, target, span_bytes, direct=direct)
        source.close()
    finally:
        source.end()


def fill_open(source: Source, engine: Engine, target: Path, span_bytes: int, *, direct: bool = True) -> None:
    """Creates a file that ``source`` keeps open, preconditions it through ``engine`` and makes it durable."""
    source.open(OpenRequest(NewFile(path=target, span_bytes=span_bytes), write=True, direct=direct))
    turn = CellTurn(order=0, cell="fill", repeat=0, seed=1)
    source.measure(fill_cell(TargetInfo(span_bytes, fill=True)), turn, IoPath(engine), span_bytes, lambda _: None)
    source.sync()
