"""Standard procedures: the IOPS test of a whole simulated drive at full cell time, and the PDF of each test.

The IOPS test simulates hours of 128 operations in flight, which takes about a quarter of an hour on one CPU.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any, Final

from bench.report import Report
from iosonde.analysis.procedures import ProcedureRounds, criteria_of, procedures_of
from iosonde.records import RunRecord
from iosonde.store import load_run
from iosonde.units import SECOND_NS, format_duration, format_latency
from iosonde.vocabulary import PhaseRole

TESTS: Final = ("iops", "tp", "lat", "wsat", "hir", "xsr", "cbw", "dirth")
SCALE: Final = 300
PDF_S_MAX: Final = 3.0
PDF_ROUNDS: Final = 3
WHOLE: Final = "sim:sata-dc,seed=20111,scale=1"
CELLS: Final = 56


def run(results: Path, folder: Path, _pairs: int) -> bool:
    """True if all figures of the whole test are there, it is steady, and each PDF is made in time."""
    report = Report("Standard procedures", folder)
    with tempfile.TemporaryDirectory() as place:
        held = [_pdfs(report, Path(place)), _whole(report, Path(place))]
    report.keep(results, "procedures")
    return all(held)


def _pdfs(report: Report, place: Path) -> bool:
    report.say(
        f"Each test at 1:{SCALE} on sim:sata-dc: the time to measure it, and to make its PDF from the run directory "
        f"(median of {PDF_ROUNDS}; target: {PDF_S_MAX:g} s).",
        "",
        "| test | measured in | PDF in | target met |",
        "|---|---|---|---|",
    )
    held = []
    for test in TESTS:
        path = place / test
        target = f"sim:sata-dc,seed=20111,scale={SCALE}"
        run_s = _spent_s("run", target, "--profile", f"pts-{test}", "--seed", "1", "--out", path)
        pdf_s = median(_spent_s("report", path, "--pdf", place / "x.pdf", "--force") for _ in range(PDF_ROUNDS))
        held.append(pdf_s <= PDF_S_MAX)
        report.say(f"| {test} | {run_s:.1f} s | {pdf_s:.2f} s | {'yes' if held[-1] else 'NO'} |")
        report.figures[f"pts-{test}"] = {"run_s": run_s, "pdf_s": pdf_s}
    return all(held)


def _whole(report: Report, place: Path) -> bool:
    report.say("", f"The IOPS test on {WHOLE} (960 GB), 60 s for each cell:", "")
    path = place / "whole"
    run_s = _spent_s("run", WHOLE, "--profile", "pts-iops", "--seed", "1", "--out", path)
    pdf_s = median(_spent_s("report", path, "--pdf", place / "x.pdf", "--force") for _ in range(PDF_ROUNDS))
    record = load_run(path, intervals=False)
    (rounds,) = procedures_of(record)
    found = _figures(record, rounds) | {"run_s": run_s, "pdf_s": pdf_s}
    report.figures["whole"] = found
    report.say(
        f"- steady state {found['verdict']} in round {found['reached']}, after {found['rounds']} rounds",
        f"- {format_duration(found['device_s'] * SECOND_NS)} of virtual time in {format_duration(run_s * SECOND_NS)}",
        f"- the PDF is made in {pdf_s:.2f} s",
        f"- {found['cells']} cells; {found['five_nines']} of them have a 99.999 % latency, the others fewer than 10 "
        "operations above it",
        f"- 4 KiB 0/100: {found['iops']:,.0f} IOPS, 99.999 % {format_latency(found['five_nines_ns'])}",
    )
    return found["verdict"] == "reached" and found["cells"] == CELLS and pdf_s <= PDF_S_MAX


def _figures(record: RunRecord, rounds: ProcedureRounds) -> dict[str, Any]:
    phase = rounds.of(PhaseRole.ROUNDS)
    assert phase is not None, "the test has rounds"
    criterion = criteria_of(phase)[0]
    cells = phase.reported
    (small,) = [each for each in cells if (each.workload.read_percent, each.workload.size_text) == (0, "4 KiB")]
    first, last = record.cells[0].clock_start, record.cells[-1].clock_end
    assert first is not None, "a simulated drive has a clock"
    assert last is not None, "a simulated drive has a clock"
    return {
        "verdict": criterion.verdict.value,
        "reached": criterion.reached,
        "rounds": phase.rounds,
        "device_s": (last.engine_ns - first.engine_ns) / SECOND_NS,
        "cells": sum(each.iops is not None for each in cells),
        "five_nines": sum(each.five_nines_ns is not None for each in cells),
        "iops": small.iops,
        "five_nines_ns": small.five_nines_ns,
    }


def _spent_s(*words: object) -> float:
    """The time of a whole command, which must succeed."""
    began_s = time.monotonic()
    environment = os.environ | {"TERM": "dumb"}
    command = [sys.executable, "-m", "iosonde", *map(str, words)]
    subprocess.run(command, check=True, capture_output=True, env=environment)
    return time.monotonic() - began_s
