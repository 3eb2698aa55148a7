"""The same cell by iosonde and by fio: same file, block size, depth, io_uring, direct I/O, in alternating pairs.

CPU time is that of whole processes, children included, as the kernel gives it to whoever waits for them. For iosonde
it is taken twice: of the engine alone, and of the command ``iosonde probe`` with its front.
"""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from bench.machine import machine_lines
from bench.ratios import Ratio, ratio_of
from iosonde.plans.build import Ground, fill_cell
from iosonde.records import Access, CellPlan, CellTurn, Engine, Experiment, Operation, Timing, Workload
from iosonde.sources import EngineSource, TargetRequest, Way
from iosonde.units import SECOND_NS, format_size

SPAN_BYTES = 2 << 30
DURATION_S = 3
AGREEMENT = (0.95, 1.05)
# Writers may leave the drive busy; a pause keeps one side's leftovers out of the other's figures.
PAUSE_S = 0.2


@dataclass(frozen=True)
class Cell:
    """What is measured on both sides."""

    read_percent: int
    queue_depth: int

    @property
    def name(self) -> str:
        """As a table shows it."""
        return f"4 KiB random {'read' if self.read_percent else 'write'}, depth {self.queue_depth}"

    @property
    def direction(self) -> Operation:
        """The only class of operations in it."""
        return Operation.READ if self.read_percent else Operation.WRITE


@dataclass(frozen=True)
class Sample:
    """One measurement by one side."""

    iops: float
    latency_ns_mean: float
    cpu_ns_per_io: float


CELLS = (Cell(100, 1), Cell(100, 32), Cell(0, 32))


def run(results: Path, folder: Path, pairs: int) -> bool:
    """Measures, prints and keeps the comparison; True when every target is met."""
    target = folder / "iosonde-bench.data"
    lines = [f"# iosonde and fio on the same cell, {pairs} alternating pairs of {DURATION_S} s", ""]
    lines += [*machine_lines(folder), f"- fio: {_fio_version()}", f"- file: {format_size(SPAN_BYTES)}, direct I/O", ""]
    lines += ["Ratios are iosonde / fio: median of the pairs (bootstrap 95 % interval).", ""]
    lines += [
        "| cell | IOPS | mean latency | CPU an I/O, engine | CPU an I/O, whole command | met |",
        "|---|---|---|---|---|---|",
    ]
    print("\n".join(lines))
    found: dict[str, Any] = {}
    met = True
    try:
        _make(target)
        for cell in CELLS:
            ratios, medians = _compare(cell, target, pairs)
            good = _judged(ratios)
            met = met and good
            shown = [*(str(ratio) for ratio in ratios.values()), *([] if cell.read_percent else ["not taken"])]
            row = f"| {cell.name} | {' | '.join(shown)} | {'yes' if good else 'no'} |"
            print(row, flush=True)
            lines.append(row)
            found[cell.name] = {"ratios": {name: each.as_json() for name, each in ratios.items()}, "medians": medians}
    finally:
        target.unlink(missing_ok=True)
    lines += ["", "Met: IOPS and latency intervals within 0.95 to 1.05, CPU medians not above 1.", ""]
    (results / "fio.md").write_text("\n".join(lines), encoding="utf-8")
    (results / "fio.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return met


def _judged(ratios: dict[str, Ratio]) -> bool:
    agree = all(ratios[name].within(*AGREEMENT) for name in ("iops", "latency_ns_mean"))
    return agree and all(ratio.median <= 1 for name, ratio in ratios.items() if name.endswith("cpu_ns_per_io"))


Measure = Callable[[Cell, Path, int], Sample]


def _compare(cell: Cell, target: Path, pairs: int) -> tuple[dict[str, Ratio], dict[str, float]]:
    engine, fio = _paired(_engine, _fio, cell, target, pairs)
    ratios = {
        field: ratio_of([getattr(each, field) for each in engine], [getattr(each, field) for each in fio])
        for field in ("iops", "latency_ns_mean", "cpu_ns_per_io")
    }
    if cell.read_percent:
        command, against = _paired(_command, _fio, cell, target, pairs)
        ratios["command_cpu_ns_per_io"] = ratio_of(
            [each.cpu_ns_per_io for each in command], [each.cpu_ns_per_io for each in against]
        )
    medians = {
        f"{side}_{field}": median(getattr(each, field) for each in samples)
        for side, samples in (("iosonde", engine), ("fio", fio))
        for field in ("iops", "latency_ns_mean", "cpu_ns_per_io")
    }
    return ratios, medians


def _paired(ours: Measure, theirs: Measure, cell: Cell, target: Path, pairs: int) -> tuple[list[Sample], list[Sample]]:
    """Both sides in turn, each first in every other pair, with nothing between the two of a pair."""
    samples: tuple[list[Sample], list[Sample]] = ([], [])
    for number in range(pairs):
        turn = [(samples[0], ours), (samples[1], theirs)]
        for kept, measure in turn if number % 2 else reversed(turn):
            kept.append(measure(cell, target, number + 1))
            time.sleep(PAUSE_S)
    return samples


def _cpu_ns() -> int:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return round((used.ru_utime + used.ru_stime) * SECOND_NS)


def _make(target: Path) -> None:
    source = EngineSource()
    source.open(TargetRequest(path=target, write=True, create_bytes=SPAN_BYTES, direct=True))
    turn = CellTurn(order=0, cell="fill", repeat=0, seed=1)
    source.measure(fill_cell(Ground(SPAN_BYTES, fill=True)), turn, Way(Engine.IO_URING), SPAN_BYTES, lambda _: None)
    source.sync()
    source.close()
    source.end()


def _engine(cell: Cell, target: Path, seed: int) -> Sample:
    before = _cpu_ns()
    source = EngineSource()
    source.open(TargetRequest(path=target, write=cell.read_percent < 100, create_bytes=None, direct=True))
    workload = Workload(
        pattern=Access.RANDOM,
        read_percent=cell.read_percent,
        block_size_bytes=4096,
        queue_depth=cell.queue_depth,
    )
    timing = Timing(warmup_ns=0, measure_ns=DURATION_S * SECOND_NS, interval_ns=SECOND_NS // 2)
    plan = CellPlan(cell="bench", experiments=(Experiment.PROBE,), workload=workload, timing=timing)
    turn = CellTurn(order=1, cell="bench", repeat=1, seed=seed)
    record = source.measure(plan, turn, Way(Engine.IO_URING), SPAN_BYTES, lambda _: None)
    source.close()
    source.end()
    totals = record.operations[cell.direction]
    return Sample(
        iops=totals.count * SECOND_NS / record.measured_ns,
        latency_ns_mean=totals.latency_ns_sum / totals.count,
        cpu_ns_per_io=(_cpu_ns() - before) / totals.count,
    )


def _command(cell: Cell, target: Path, seed: int) -> Sample:
    """The whole command, for reads only: before it writes over an existing file it would fill it first."""
    before = _cpu_ns()
    words = [sys.executable, "-m", "iosonde", "probe", str(target), "--warmup", "0s", "--duration", f"{DURATION_S}s"]
    words += ["--queue-depth", str(cell.queue_depth), "--seed", str(seed), "--engine", "io_uring", "--json"]
    answer = subprocess.run(words, stdout=subprocess.PIPE, check=True)
    cpu_ns = _cpu_ns() - before
    record = json.loads(answer.stdout)["run"]["cells"][0]
    totals = record["operations"][cell.direction.value]
    return Sample(
        iops=totals["count"] * SECOND_NS / record["measured_ns"],
        latency_ns_mean=totals["latency_ns_sum"] / totals["count"],
        cpu_ns_per_io=cpu_ns / totals["count"],
    )


def _fio(cell: Cell, target: Path, seed: int) -> Sample:
    before = _cpu_ns()
    words = ["fio", "--name=bench", f"--filename={target}", f"--size={SPAN_BYTES}", "--direct=1"]
    words += ["--ioengine=io_uring", f"--rw=rand{cell.direction}", "--bs=4k", f"--iodepth={cell.queue_depth}"]
    words += ["--time_based=1", f"--runtime={DURATION_S}", "--norandommap=1", "--randrepeat=0"]
    words += [f"--randseed={seed}", "--output-format=json"]
    answer = subprocess.run(words, stdout=subprocess.PIPE, check=True)
    cpu_ns = _cpu_ns() - before
    found = json.loads(answer.stdout)["jobs"][0][cell.direction.value]
    return Sample(
        iops=found["iops"], latency_ns_mean=found["lat_ns"]["mean"], cpu_ns_per_io=cpu_ns / found["total_ios"]
    )


def _fio_version() -> str:
    return subprocess.run(["fio", "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
