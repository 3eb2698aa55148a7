"""The same cells measured by iosonde's own engine and by fio as its second engine, with the same code for records.

The cells are those of a small campaign on one open file. The engines alternate on each cell with the same seed, as in
``iosonde run`` and ``iosonde run --engine fio``. All figures are read from records by the same code.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from bench.ratios import Paired, ratio_of
from bench.report import Report
from bench.sides import PAUSE_S, fill_open
from iosonde.analysis.histogram import PERCENTS
from iosonde.analysis.latency import percentiles_of
from iosonde.analysis.totals import total_of
from iosonde.plans import cell_name
from iosonde.records import (
    CellPlan,
    CellRecord,
    CellTurn,
    Engine,
    Experiment,
    Operation,
    Outcome,
    Timing,
    Workload,
    one_stream,
)
from iosonde.sources import FioSource, IoPath
from iosonde.units import SECOND_NS, format_iops, format_latency, format_size
from iosonde.vocabulary import Access, Sync

SPAN_BYTES = 2 << 30
# Short, because the speed of a virtual host can change between the two measurements of a pair.
TIMING = Timing(warmup_ns=SECOND_NS // 10, measure_ns=SECOND_NS // 2, interval_ns=SECOND_NS // 10)
KIB = 1 << 10
AGREEMENT = (0.95, 1.05)
P50, P99 = PERCENTS.index(50.0), PERCENTS.index(99.0)
FIELDS = ("iops", "mean", "p50", "p99")
JUDGED = ("iops", "mean")
TOO_FEW = "too few"
# A percentile with fewer than ten operations beyond it is None.
Figures = dict[str, float | None]


def _workload(read_percent: int, block_bytes: int, queue_depth: int, **others: object) -> Workload:
    asked = {"pattern": Access.RANDOM, "read_percent": read_percent, "block_size_bytes": block_bytes}
    return Workload.model_validate({**asked, "queue_depth": queue_depth, **others})


WORKLOADS = (
    _workload(100, 4 * KIB, 1),
    _workload(100, 4 * KIB, 32),
    _workload(0, 4 * KIB, 1),
    _workload(0, 4 * KIB, 32),
    _workload(70, 4 * KIB, 16),
    _workload(100, 4 * KIB, 8, jobs=2),
    _workload(100, 128 * KIB, 8),
    _workload(100, 128 * KIB, 8, pattern=Access.SEQUENTIAL),
    _workload(0, 4 * KIB, 1, sync=Sync.DSYNC),
)


def run(results: Path, folder: Path, pairs: int) -> bool:
    """Measures the cells, prints and stores the comparison. True if both engines agree on every cell."""
    target = folder / "iosonde-bench.data"
    with _opened(target) as source:
        own = _own_engine(source)
        report = Report(
            f"The iosonde engine and fio, {pairs} alternating pairs",
            folder,
            [f"- engines: iosonde's {own}, {source.hello.fio}", f"- file: {format_size(SPAN_BYTES)}, direct I/O"],
        )
        report.say(
            f"Each measurement takes {TIMING.measure_ns / SECOND_NS} s. Ratios are iosonde / fio: median of the pairs",
            "(bootstrap 95 % interval). Reads and writes of a mix are combined. A percentile of fio is within",
            "0.8 % of the sample, one of iosonde within 0.4 %.",
            "",
            "| cell | IOPS | mean latency | p50 | p99 | medians: IOPS, mean | agree |",
            "|---|---|---|---|---|---|---|",
        )
        agree = [_compare(report, source, own, workload, pairs) for workload in WORKLOADS]
    report.say(
        "",
        f"Agree: the intervals of the ratios of IOPS and of mean latency are within {AGREEMENT[0]} to {AGREEMENT[1]}.",
    )
    report.keep(results, "engines")
    return all(agree)


@contextmanager
def _opened(target: Path) -> Iterator[FioSource]:
    """A source with a new file, preconditioned and open. Its engine holds it, and both engines can measure it."""
    source = FioSource()
    try:
        fill_open(source, _own_engine(source), target, SPAN_BYTES)
        yield source
    finally:
        source.end()
        target.unlink(missing_ok=True)


def _own_engine(source: FioSource) -> Engine:
    return Engine.IO_URING if Engine.IO_URING in source.hello.engines else Engine.PSYNC


def _compare(report: Report, source: FioSource, own: Engine, workload: Workload, pairs: int) -> bool:
    plan = CellPlan(
        cell=cell_name(workload), experiments=(Experiment.PROBE,), streams=one_stream(workload), timing=TIMING
    )
    samples: dict[Engine, list[Figures]] = {own: [], Engine.FIO: []}
    for number in range(1, pairs + 1):
        for engine in (own, Engine.FIO) if number % 2 else (Engine.FIO, own):
            turn = CellTurn(order=number, cell=plan.cell, repeat=number, seed=number)
            record = source.measure(plan, turn, IoPath(engine), SPAN_BYTES, lambda _: None)
            samples[engine].append(_figures(record))
            time.sleep(PAUSE_S)
    ratios = {field: _ratio(field, samples[own], samples[Engine.FIO]) for field in FIELDS}
    good = all((ratio := ratios[field]) is not None and ratio.within(*AGREEMENT) for field in JUDGED)
    medians = {
        side: {field: _median(field, samples[engine]) for field in FIELDS}
        for side, engine in (("iosonde", own), ("fio", Engine.FIO))
    }
    shown = " | ".join(TOO_FEW if ratio is None else str(ratio) for ratio in ratios.values())
    told = ", ".join(_told(side, figures) for side, figures in medians.items())
    report.say(f"| {plan.cell} | {shown} | {told} | {'yes' if good else 'no'} |")
    report.figures[plan.cell] = {
        "ratios": {name: None if ratio is None else ratio.as_json() for name, ratio in ratios.items()},
        "medians": medians,
        "agree": good,
    }
    return good


def _figures(record: CellRecord) -> Figures:
    assert record.outcome is Outcome.FINISHED, record.failure
    totals = total_of(record.operations, Operation.ALL)
    assert totals is not None
    percentiles = percentiles_of(totals)
    return {
        "iops": totals.count * SECOND_NS / record.measured_ns,
        "mean": totals.latency_ns_sum / totals.count,
        "p50": percentiles[P50],
        "p99": percentiles[P99],
    }


def _known(field: str, samples: Sequence[Figures]) -> list[float] | None:
    """The figure of every sample; None if one of them has too few operations for it."""
    known = [value for each in samples if (value := each[field]) is not None]
    return known if len(known) == len(samples) else None


def _ratio(field: str, ours: Sequence[Figures], fios: Sequence[Figures]) -> Paired | None:
    both = _known(field, ours), _known(field, fios)
    return None if both[0] is None or both[1] is None else ratio_of(both[0], both[1])


def _median(field: str, samples: Sequence[Figures]) -> float | None:
    known = _known(field, samples)
    return None if known is None else median(known)


def _told(side: str, medians: Figures) -> str:
    iops, mean = medians["iops"], medians["mean"]
    assert iops is not None
    assert mean is not None
    return f"{side} {format_iops(iops)} IOPS, {format_latency(mean)}"
