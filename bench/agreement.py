"""The same cell measured by iosonde and by fio on a file: same block size, queue depth and data, direct I/O.

fio runs as a plain io_uring job (plain), and with the settings that need the least CPU time (lean).
"""

from dataclasses import replace
from pathlib import Path
from statistics import median

from bench.ratios import Paired
from bench.report import Report
from bench.sides import Load, Sample, by_command, by_engine, by_fio, field_ratio, fill, fio_version, paired
from iosonde.records import Engine
from iosonde.units import SECOND_NS, format_size
from iosonde.vocabulary import Data

SPAN_BYTES = 2 << 30
DURATION_S = 2
# The speed of virtual hosts varies by a tenth and more within seconds, so rounds are short. CPU time is taken from long
# rounds, because in a short one the start of the process has a large share of it.
SHORT_S = 0.5
SHORT_EACH = 8
AGREEMENT = (0.95, 1.05)
PLAIN_CPU_MAX = 0.85
PACE = ("iops", "latency_ns_mean")
PLAIN = ("--norandommap=1",)
LEAN = (
    *PLAIN,
    "--fixedbufs=1",
    "--registerfiles=1",
    "--iodepth_batch_submit=8",
    "--iodepth_batch_complete_min=1",
    "--iodepth_batch_complete_max=8",
)
# By default fio writes the same few blocks repeatedly, and these stay in the caches of a host that copies data.
# iosonde's data are all different, so fio's have to be as well: the comparison is of I/O, not of data.
FIO_DATA = {Data.RANDOM: "--refill_buffers=1", Data.ZEROS: "--zero_buffers=1"}
# Read percent, queue depth, data of writes. The deepest queue writes zeros: the generation of random data costs fio so
# much CPU time that its queue would not stay full, and the drive would not be its limit.
CELLS = ((100, 1, Data.RANDOM), (100, 32, Data.RANDOM), (0, 32, Data.RANDOM), (0, 128, Data.ZEROS))


def run(results: Path, folder: Path, pairs: int) -> bool:
    """Measures the cells, prints and stores the comparison. True if every target is met."""
    target = (folder / "iosonde-bench.data").resolve()
    report = Report(
        f"iosonde and fio on the same cell, {pairs * SHORT_EACH} short rounds and {pairs} long ones, alternating",
        folder,
        [f"- fio: {fio_version()}", f"- file: {format_size(SPAN_BYTES)}, direct I/O"],
    )
    report.say(
        "Ratios are iosonde / fio: median of the rounds (bootstrap 95 % interval). IOPS and latency are of the short",
        "rounds; CPU time is of the long ones, for whole processes, user and system together. Lean is fio with",
        "batches of 8, registered file and registered buffers. Busy is the CPU time as a share of one CPU: of iosonde,",
        "and of fio's plain job. At queue depth 1 the CPU time is added to the time of the drive, so the drive alone "
        "is not the",
        "limit.",
        "Writes contain new data on both sides (fio with refill_buffers), or zeros on both.",
        "",
        "| cell | IOPS | mean latency | CPU per I/O | compared with lean | whole command | busy | met |",
        "|---|---|---|---|---|---|---|---|",
    )
    met = True
    try:
        fill(target, SPAN_BYTES)
        for read_percent, queue_depth, data in CELLS:
            load = Load(target, SPAN_BYTES, queue_depth, DURATION_S, read_percent, data=data)
            met = _compare(report, load, pairs) and met
    finally:
        target.unlink(missing_ok=True)
    report.say(
        "",
        f"Met: IOPS and latency intervals within {AGREEMENT[0]} to {AGREEMENT[1]}, CPU per I/O at most {PLAIN_CPU_MAX}",
        "of the plain job and no more than that of the lean one.",
    )
    report.keep(results, "fio")
    return met


def _compare(report: Report, load: Load, pairs: int) -> bool:
    manners = [PLAIN, LEAN] if load.read_percent else [(*each, FIO_DATA[load.data]) for each in (PLAIN, LEAN)]
    fios = [by_fio("io_uring", *manner) for manner in manners]
    short = replace(load, duration_s=SHORT_S)
    brief, brief_plain = paired([by_engine(Engine.IO_URING), fios[0]], short, pairs * SHORT_EACH)
    engine, plain, lean = paired([by_engine(Engine.IO_URING), *fios], load, pairs)
    ratios = {field: field_ratio(field, brief, brief_plain) for field in PACE}
    ratios["cpu_ns_per_io"] = field_ratio("cpu_ns_per_io", engine, plain)
    ratios["lean_cpu_ns_per_io"] = field_ratio("cpu_ns_per_io", engine, lean)
    good = _judged(ratios)
    if load.read_percent:
        command, against = paired([by_command, fios[0]], load, pairs)
        ratios["command_cpu_ns_per_io"] = field_ratio("cpu_ns_per_io", command, against)
    busy = [median(each.cpu_ns_per_io * each.iops for each in side) / SECOND_NS for side in (engine, plain)]
    shown = [*(str(ratio) for ratio in ratios.values()), *([] if load.read_percent else ["not taken"])]
    shown.append(", ".join(f"{each:.2f}" for each in busy))
    report.say(f"| {load.name} | {' | '.join(shown)} | {'yes' if good else 'no'} |")
    report.figures[load.name] = {
        "ratios": {name: each.as_json() for name, each in ratios.items()},
        "busy": {"iosonde": busy[0], "fio": busy[1]},
        "medians": {
            **{f"iosonde_{field}": _median(brief, field) for field in PACE},
            **{f"fio_{field}": _median(brief_plain, field) for field in PACE},
            **{
                f"{side}_cpu_ns_per_io": _median(samples, "cpu_ns_per_io")
                for side, samples in (("iosonde", engine), ("fio", plain), ("fio_lean", lean))
            },
        },
    }
    return good


def _median(samples: list[Sample], field: str) -> float:
    return float(median(getattr(each, field) for each in samples))


def _judged(ratios: dict[str, Paired]) -> bool:
    agree = all(ratios[name].within(*AGREEMENT) for name in PACE)
    cheap = ratios["cpu_ns_per_io"].median <= PLAIN_CPU_MAX and ratios["lean_cpu_ns_per_io"].median <= 1
    return agree and cheap
