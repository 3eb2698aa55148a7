"""The lab profile on a real file, twice, as a user would run it: the time it takes, and whether both runs agree."""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.report import Report
from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.precision import FIGURES, figures_of, precision_of
from iosonde.records import RunRecord
from iosonde.store import load_run
from iosonde.units import SECOND_NS, format_size

SPAN_BYTES: Final = 2 << 30
FIXED_REPEATS: Final = 5
FIXED_S: Final = 10 + 1
SHARE_MAX: Final = 0.2
AGREE_MIN: Final = 0.9


def run(results: Path, folder: Path, _pairs: int) -> bool:
    """Measures both runs, prints and stores the results. True if the runs are short enough and agree."""
    report = Report("The lab profile, twice", folder, [f"- file: {format_size(SPAN_BYTES)}, direct I/O"])
    report.say(
        f"Fixed times are {FIXED_REPEATS} repeats of 10 s per cell, each with a warm-up of one second.",
        "",
        "| run | device time | share of fixed times | cells at the requested precision |",
        "|---|---|---|---|",
    )
    runs = []
    for number in (1, 2):
        with tempfile.TemporaryDirectory(dir=folder) as place:
            runs.append(_lab(Path(place)))
        device_s, share, met = _spent(runs[-1])
        cells = len(runs[-1].header.plan.cells)
        report.say(f"| {number} | {device_s:.0f} s | {share:.3f} | {met} of {cells} |")
        report.figures[f"run {number}"] = {"device_s": device_s, "share": share, "met": met, "cells": cells}
    good = _compare(report, runs)
    report.keep(results, "adaptive")
    return good and all(_spent(each)[1] <= SHARE_MAX for each in runs)


def _lab(place: Path) -> RunRecord:
    words = ["run", str(place / "target.data"), "--size", str(SPAN_BYTES), "--out", str(place / "run")]
    subprocess.run([sys.executable, "-m", "iosonde", *words], check=True, stdout=subprocess.DEVNULL)
    return load_run(place / "run")


def _spent(run: RunRecord) -> tuple[float, float, int]:
    """Device time in seconds, device time as a share of fixed times, and the number of cells that met the precision."""
    plan = run.header.plan
    assert plan.aim is not None, "the lab profile has an aim"
    device_s = run.asked_ns / SECOND_NS
    met = sum(precision_of(cell, plan.aim.precision_percent).met for cell in estimate_run(run).cells)
    return device_s, device_s / (len(plan.cells) * FIXED_REPEATS * FIXED_S), met


def _compare(report: Report, runs: Sequence[RunRecord]) -> bool:
    """Reports for each figure in how many cells the intervals overlap. True if enough cells agree in all figures."""
    report.say("", "| quantity | cells with an interval in both runs | overlapping intervals |", "|---|---|---|")
    first, second = ([_ends(cell) for cell in estimate_run(each).cells] for each in runs)
    told: list[list[bool]] = [[] for _ in first]
    for place, figure in enumerate(FIGURES):
        found = [(cell, one[place], other[place]) for cell, (one, other) in enumerate(zip(first, second, strict=True))]
        both = [(cell, _overlap(one, other)) for cell, one, other in found if one is not None and other is not None]
        for cell, agrees in both:
            told[cell].append(agrees)
        report.say(f"| {figure} | {len(both)} of {len(found)} | {sum(agrees for _, agrees in both)} |")
        report.figures[figure] = {"both": len(both), "overlap": sum(agrees for _, agrees in both), "cells": len(found)}
    known = [each for each in told if each]
    agreeing = sum(all(each) for each in known)
    report.figures["cells"] = {"both": len(known), "agree": agreeing, "cells": len(told)}
    report.say(
        "",
        f"The intervals of both runs overlap for all quantities in {agreeing} of {len(known)} cells;",
        f"{len(told) - len(known)} cells have no quantity with two intervals. Target: 90 % of the cells, in a",
        "fifth of the time.",
    )
    return bool(known) and agreeing >= AGREE_MIN * len(known)


def _ends(cell: CellEstimate) -> list[tuple[float, float] | None]:
    """The ends of the 95 % interval of each figure; None for a figure without an interval."""
    if cell.subject is None:
        return [None] * len(FIGURES)
    found = [(each.low, each.high) for each in figures_of(cell.subject)]
    return [None if low is None or high is None else (low, high) for low, high in found]


def _overlap(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]
