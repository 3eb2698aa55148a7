"""The times that a user waits for ``--help``, for the report of a run of 100 cells, and for a list of 200 such runs."""

import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from statistics import median

from bench.report import Report
from iosonde.campaign import NullObserver, RunRequest, TargetRequest, measure_to_directory, preflight
from iosonde.machine.local_host import LocalHost
from iosonde.plans.names import cell_name
from iosonde.records import Access, CellPlan, CellTurn, Experiment, Plan, Timing, Workload, one_stream
from iosonde.report.html import LIBRARY
from iosonde.store.names import HEADER_NAME, JOURNAL_NAME
from iosonde.vocabulary import EngineChoice

HELP_S_MAX = 0.3
REPORT_S_MAX = 3.0
REPORT_BYTES_MAX = 2 * 10**6
LIST_S_MAX = 2.0
LISTED_RUNS = 200
ROUNDS = 11
MS = 10**6


def run(results: Path, folder: Path, _pairs: int) -> bool:
    """Measures the times, prints and stores them. True if every target is met."""
    report = Report("Waiting times", folder)
    commands = [[], ["run"], ["plan"], ["probe"], ["list"], ["show"], ["report"]]
    help_s = {" ".join(["iosonde", *words, "--help"]): _timed([*words, "--help"]) for words in commands}
    report_s, list_s, page_bytes, library_bytes = _report()
    own_bytes = page_bytes - library_bytes
    report.say(f"| quantity | median of {ROUNDS} | target |", "|---|---|---|")
    report.say(*(f"| `{name}` | {seconds:.3f} s | {HELP_S_MAX} s |" for name, seconds in help_s.items()))
    report.say(
        f"| report of 100 cells x 3 repeats | {report_s:.2f} s | {REPORT_S_MAX} s |",
        f"| list of {LISTED_RUNS} such runs | {list_s:.2f} s | {LIST_S_MAX} s |",
        f"| size of the report without the library ({library_bytes / 1e6:.2f} MB) | {own_bytes / 1e6:.2f} MB | 2 MB |",
    )
    report.figures.update(
        help_s=help_s, report_s=report_s, list_s=list_s, page_bytes=page_bytes, library_bytes=library_bytes
    )
    report.keep(results, "startup")
    quick = max(help_s.values()) < HELP_S_MAX and report_s < REPORT_S_MAX and list_s < LIST_S_MAX
    return quick and own_bytes < REPORT_BYTES_MAX


def _timed(words: list[str]) -> float:
    times = []
    for _ in range(ROUNDS):
        before = time.perf_counter()
        subprocess.run([sys.executable, "-m", "iosonde", *words], stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - before)
    return median(times)


def _report() -> tuple[float, float, int, int]:
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "run"
        request = RunRequest(
            host=LocalHost(),
            target=TargetRequest(("null:",), None, overwrite=False, buffered=False, writes=True, quick=False),
            engine=EngineChoice.AUTO,
            plan=lambda ground: hundred_cells(ground.span_bytes),
        )
        now = datetime.now(UTC)
        measure_to_directory(request, preflight(request, now), directory, NullObserver(), now)
        seconds = _timed(["report", str(directory)])
        list_seconds = _timed(["list", str(_many(directory, Path(folder) / "many"))])
        library = (files("iosonde.report") / "static" / LIBRARY).read_text(encoding="utf-8")
        return (
            seconds,
            list_seconds,
            (directory / "report.html").stat().st_size,
            len(library.encode()),
        )


def _many(run: Path, folder: Path) -> Path:
    """A directory with ``LISTED_RUNS`` identical runs. Hard links need no space."""
    for number in range(LISTED_RUNS):
        copy = folder / f"run-{number}"
        copy.mkdir(parents=True)
        for name in (HEADER_NAME, JOURNAL_NAME):
            (copy / name).hardlink_to(run / name)
    return folder


def hundred_cells(span_bytes: int) -> Plan:
    """A hundred cells with three repeats and twelve intervals each, in the experiments with the largest charts."""
    timing = Timing(warmup_ns=20 * MS, measure_ns=100 * MS, interval_ns=10 * MS)
    shapes = [(pattern, share, 4096 << step) for pattern in Access for share in (100, 0) for step in range(9)]
    sweep = [(Access.RANDOM, share, 4096, depth) for share in (100, 0) for depth in range(1, 33)]
    workloads = {
        **{_workload(*shape, 8): Experiment.BLOCK_SIZE for shape in shapes},
        **{_workload(*point): Experiment.QUEUE_DEPTH for point in sweep},
    }
    extra = [_workload(Access.RANDOM, share, 4096, 40) for share in range(1, 101 - len(workloads))]
    workloads |= dict.fromkeys(extra, Experiment.MIX)
    cells = tuple(
        CellPlan(cell=cell_name(each), experiments=(experiment,), streams=one_stream(each), timing=timing)
        for each, experiment in workloads.items()
    )
    turns = [(cell.cell, repeat) for repeat in (1, 2, 3) for cell in cells]
    return Plan(
        profile="bench",
        quick=False,
        seed=1,
        repeats=3,
        span_bytes=span_bytes,
        cells=cells,
        turns=tuple(
            CellTurn(order=order, cell=name, repeat=repeat, seed=order)
            for order, (name, repeat) in enumerate(turns, start=1)
        ),
    )


def _workload(pattern: Access, read_percent: int, size_bytes: int, depth: int) -> Workload:
    return Workload(pattern=pattern, read_percent=read_percent, block_size_bytes=size_bytes, queue_depth=depth)
