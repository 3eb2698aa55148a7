"""Compares mean and p99 latency of iosonde and of fio on the same cells with the kernel's time of the same requests.

The kernel counts requests at the device, independently of both tools. A tool's latency above the kernel's is what the
tool and the host add.
"""

import json
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.ratios import ratio_of
from bench.report import Report
from bench.sides import BLOCK_BYTES, PAUSE_S, Load, cell_of, fill, fio_version
from iosonde.analysis.device_counts import witnessed
from iosonde.analysis.histogram import PERCENTS
from iosonde.analysis.latency import percentiles_of
from iosonde.records import Engine, Operation
from iosonde.units import SECOND_NS, format_latency

SPAN_BYTES = 1 << 30
DURATION_S = 1
DEPTHS = (1, 8, 32, 128)
P99 = PERCENTS.index(99)
MS_NS = 1_000_000
FIO = ("--ioengine=io_uring", "--direct=1", "--rw=randread", "--norandommap=1", "--randrepeat=0", "--time_based=1")
PERCENTILES = ("--lat_percentiles=1", "--clat_percentiles=0", "--percentile_list=99", "--output-format=json")


@dataclass(frozen=True)
class Seen:
    """The results of one side for a cell, and the kernel's mean. Times are in ns.

    ``counted`` is the number of the kernel's requests, divided by the number of the side's operations.
    """

    iops: float
    mean_ns: float
    p99_ns: float
    kernel_mean_ns: float
    counted: float


def run(results: Path, folder: Path, pairs: int) -> bool:
    """Measures the cells, prints and stores the table. True if no mean of iosonde is below the kernel's."""
    target = (folder / "iosonde-bench.data").resolve()
    report = Report(
        f"Latencies compared with the kernel's, {pairs} alternating rounds of {DURATION_S} s",
        folder,
        [f"- fio: {fio_version()}", "- 4 KiB random reads through io_uring, direct, of a file of 1 GiB"],
    )
    report.say(
        "Medians of the rounds; ratios with bootstrap 95 % intervals. Ratio to kernel: the mean divided by the",
        "kernel's mean time of the same requests. Requests: the kernel's requests divided by the tool's operations.",
        "",
        "| queue depth | tool | IOPS | mean | p99 | kernel's mean | ratio to kernel | requests |",
        "|---|---|---|---|---|---|---|---|",
    )
    met = True
    try:
        fill(target, SPAN_BYTES)
        for depth in DEPTHS:
            load = Load(target, SPAN_BYTES, depth, DURATION_S)
            sides: dict[str, list[Seen]] = {"iosonde": [], "fio": []}
            for number in range(pairs):
                for side in sorted(sides, reverse=number % 2 == 0):
                    sides[side].append(_ours(load, number) if side == "iosonde" else _fio(load, number))
                    time.sleep(PAUSE_S)
            met = _tell(report, depth, sides) and met
    finally:
        target.unlink(missing_ok=True)
    report.keep(results, "witness")
    return met


def _tell(report: Report, depth: int, sides: dict[str, list[Seen]]) -> bool:
    above = {
        name: ratio_of([each.mean_ns for each in seen], [each.kernel_mean_ns for each in seen])
        for name, seen in sides.items()
    }
    for name, seen in sides.items():
        mean, p99, kernel, counted, iops = (
            median(getattr(each, field) for each in seen)
            for field in ("mean_ns", "p99_ns", "kernel_mean_ns", "counted", "iops")
        )
        times = " | ".join(format_latency(each) for each in (mean, p99, kernel))
        report.say(f"| {depth} | {name} | {iops:,.0f} | {times} | {above[name]} | {counted:.4f} |")
    ours, theirs = sides["iosonde"], sides["fio"]
    ratios = {
        field: ratio_of([getattr(each, field) for each in ours], [getattr(each, field) for each in theirs])
        for field in ("iops", "mean_ns", "p99_ns")
    }
    report.say(f"| {depth} | iosonde / fio | {' | '.join(map(str, ratios.values()))} | | | |")
    report.figures[f"depth {depth}"] = {name: each.as_json() for name, each in (ratios | above).items()}
    return above["iosonde"].median >= 1


def _ours(load: Load, seed: int) -> Seen:
    record = cell_of(Engine.IO_URING, load, seed)
    known, totals = witnessed(record, Operation.READ), record.operations[Operation.READ]
    p99_ns = percentiles_of(totals)[P99]
    assert known is not None, "the device below the file is not known"
    assert known.device_ns_mean is not None, "its requests are other things than operations"
    assert known.device_per_s is not None, "reads do not flush"
    assert p99_ns is not None, "too few operations"
    return Seen(known.per_s, known.latency_ns_mean, p99_ns, known.device_ns_mean, known.device_per_s / known.per_s)


def _fio(load: Load, seed: int) -> Seen:
    assert load.target is not None
    words = ["fio", "--name=bench", f"--filename={load.target}", f"--size={load.span_bytes}", *FIO, *PERCENTILES]
    words += [f"--bs={BLOCK_BYTES}", f"--iodepth={load.queue_depth}", f"--randseed={seed + 1}"]
    device = load.target.stat().st_dev
    stat = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat")
    before = [int(field) for field in stat.read_text().split()]
    told = subprocess.run([*words, f"--runtime={load.duration_s:g}"], stdout=subprocess.PIPE, check=True).stdout
    after = [int(field) for field in stat.read_text().split()]
    read = json.loads(told)["jobs"][0]["read"]
    requests, request_ms = after[0] - before[0], after[3] - before[3]
    lat = read["lat_ns"]
    kernel_ns = request_ms * MS_NS / requests
    iops = read["total_ios"] * SECOND_NS / (read["runtime"] * MS_NS)
    return Seen(iops, lat["mean"], lat["percentile"]["99.000000"], kernel_ns, requests / read["total_ios"])
