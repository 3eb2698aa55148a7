"""The time of large reports: a report of a thousand cells is written and opened, one of the lab profile as PDF."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from bench.report import Report
from iosonde.campaign import NullObserver, RunRequest, TargetRequest, measure_to_directory, preflight
from iosonde.machine.local_host import LocalHost
from iosonde.plans import CampaignTable, campaign_plan, load_profile, read_campaign
from iosonde.records import Plan, Timing
from iosonde.vocabulary import EngineChoice

ANALYSIS_S_MAX = 5.0
# Like every command that reads a run: without garbage collection, and without a cleanup at the end.
ANALYSIS = """
import gc
import sys
from pathlib import Path
gc.disable()
from iosonde.analysis.run import RunAnalysis
from iosonde.cli.signals import leave
from iosonde.findings import Case, find
from iosonde.store import load_run
assert find(Case.of(RunAnalysis(load_run(Path(sys.argv[1])))))
leave(0)
"""
REPORT_S_MAX = 8.0
REPORT_BYTES_MAX = 500 * 10**6
OPEN_S_MAX = 2.0
PDF_S_MAX = 4.0
ROUNDS = 5
MS = 10**6
THOUSAND = """
name = "thousand"
repeats = 3
[[experiment]]
name = "all"
pattern = ["random", "sequential"]
read = [100, 70, 50, 30, 0]
block_size = ["512B", "1KiB", "4KiB", "8KiB", "16KiB", "64KiB", "128KiB", "256KiB", "1MiB", "2MiB"]
queue_depth = [1, 2, 4, 8, 16, 24, 32, 48, 64, 128]
"""


@dataclass(frozen=True)
class Spent:
    """The time of a command in seconds, and its peak memory in bytes."""

    seconds: float
    memory_bytes: int


def run(results: Path, folder: Path, _pairs: int) -> bool:
    """Measures the times, prints and stores them. True if every target is met."""
    report = Report("Large reports", folder)
    with tempfile.TemporaryDirectory() as place:
        thousand, lab = Path(place) / "thousand", Path(place) / "lab"
        for directory, campaign in ((thousand, read_campaign(THOUSAND, "")), (lab, load_profile("lab"))):
            _measure(directory, campaign)
        analysed = _spent_by([sys.executable, "-c", ANALYSIS, str(thousand)])
        pages = _spent(["report", str(thousand)])
        paper = _spent(["report", str(lab), "--pdf", str(Path(place) / "lab.pdf"), "--force"])
        opened_s = _opened(thousand / "report.html")
    rows = [
        ("analysis of 1,000 cells x 3 repeats, 10 intervals each", f"{analysed.seconds:.2f} s", f"{ANALYSIS_S_MAX} s"),
        ("peak memory", f"{analysed.memory_bytes / 1e6:.0f} MB", f"{REPORT_BYTES_MAX / 1e6:.0f} MB"),
        ("report of 1,000 cells x 3 repeats", f"{pages.seconds:.2f} s", f"{REPORT_S_MAX} s"),
        ("peak memory", f"{pages.memory_bytes / 1e6:.0f} MB", f"{REPORT_BYTES_MAX / 1e6:.0f} MB"),
        ("loading its page, until the first chart is drawn", _seconds(opened_s), f"{OPEN_S_MAX} s"),
        ("PDF of the lab profile", f"{paper.seconds:.2f} s", f"{PDF_S_MAX} s"),
    ]
    report.say(f"| quantity | median of {ROUNDS} | target |", "|---|---|---|")
    report.say(*(f"| {what} | {seen} | {target} |" for what, seen, target in rows))
    report.figures.update(analysis_s=analysed.seconds, analysis_bytes=analysed.memory_bytes)
    report.figures.update(report_s=pages.seconds, memory_bytes=pages.memory_bytes, open_s=opened_s, pdf_s=paper.seconds)
    report.keep(results, "pages")
    within = (
        analysed.seconds < ANALYSIS_S_MAX,
        pages.seconds < REPORT_S_MAX,
        paper.seconds < PDF_S_MAX,
        (opened_s or 0) < OPEN_S_MAX,
    )
    return all(within) and max(pages.memory_bytes, analysed.memory_bytes) < REPORT_BYTES_MAX


def _measure(directory: Path, campaign: CampaignTable) -> None:
    target = TargetRequest(("null:",), None, overwrite=False, buffered=False, writes=True, quick=False)
    request = RunRequest(
        host=LocalHost(),
        target=target,
        engine=EngineChoice.AUTO,
        plan=lambda ground: _short(campaign_plan(campaign, ground, quick=False, seed=1)),
    )
    now = datetime.now(UTC)
    measure_to_directory(request, preflight(request, now), directory, NullObserver(), now)


def _short(plan: Plan) -> Plan:
    """The same cells with ten intervals of 1 ms each. Only the reports are timed here, not the run."""
    timing = Timing(warmup_ns=MS, measure_ns=10 * MS, interval_ns=MS)
    return plan.model_copy(update={"cells": tuple(cell.model_copy(update={"timing": timing}) for cell in plan.cells)})


def _spent(words: list[str]) -> Spent:
    return _spent_by([sys.executable, "-m", "iosonde", *words])


def _spent_by(command: list[str]) -> Spent:
    found = []
    for _ in range(ROUNDS):
        before = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, command
        found.append(Spent(time.perf_counter() - before, usage.ru_maxrss * 1024))
    return Spent(median(each.seconds for each in found), max(each.memory_bytes for each in found))


def _opened(page: Path) -> float | None:
    """The time in seconds until a browser shows the first chart of the page; None if Chromium is not installed."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        return None
    times = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for _ in range(ROUNDS):
            tab = browser.new_page(viewport={"width": 1280, "height": 900})
            before = time.perf_counter()
            tab.goto(page.as_uri(), wait_until="commit")
            tab.wait_for_selector(".chart svg")
            times.append(time.perf_counter() - before)
            tab.close()
        browser.close()
    return median(times)


def _seconds(value: float | None) -> str:
    return "no Chromium here" if value is None else f"{value:.2f} s"
