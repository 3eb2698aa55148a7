"""A run and its cells on terminals of any width: everything is said, and no line is broken by the terminal."""

import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise

import pytest
from rich.cells import cell_len
from rich.console import Console, RenderableType

from iosonde.analysis.run import RunAnalysis
from iosonde.findings.finding import Finding, Severity
from iosonde.records import CpuUse, Experiment, Neighbour, Outcome, RunRecord, SlowIo, Timing
from iosonde.report.terminal.cell_choice import chosen_cell
from iosonde.report.terminal.cell_view import render_cell
from iosonde.report.terminal.distributions import bins_of
from iosonde.report.terminal.run_view import render_run
from iosonde.report.terminal.symbols import Harmless
from iosonde.report.titles import TITLES
from iosonde.units import SECOND_NS
from iosonde.vocabulary import FrequencySource, Operation
from tests.builders import cpu_at, cpu_use, failed, finding, histogram_of, target_facts
from tests.lab_builder import lab_run

WIDTHS = (60, 80, 120, 200)
CELL = "random-read-4KiB-qd8"
HEAVY_MODULES = ("altair", "arro3", "jinja2")


@pytest.fixture(scope="module")
def run() -> RunRecord:
    return lab_run(repeats=2, with_intervals=True)


def lines_of(shown: RenderableType, width: int, *, ascii_only: bool = False) -> list[str]:
    console = Console(width=width, force_terminal=False)
    with console.capture() as capture:
        console.print(Harmless(shown, ascii_only=ascii_only))
    return capture.get().splitlines()


def show_run(run: RunRecord, width: int = 120, findings: Sequence[Finding] = (), **how: bool) -> list[str]:
    return lines_of(render_run(RunAnalysis(run), findings, all_findings=how.pop("all_findings", False)), width, **how)


def show_cell(
    run: RunRecord, words: str = CELL, width: int = 120, findings: Sequence[Finding] = (), repeat: int | None = None
) -> list[str]:
    return lines_of(render_cell(run, chosen_cell(run, words, repeat), findings, all_findings=False), width)


@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_is_wider_than_the_terminal(run: RunRecord, width: int) -> None:
    for lines in (show_run(run, width), show_cell(run, width=width), show_cell(run, "mix70", width)):
        assert max(map(cell_len, lines)) <= width


@pytest.mark.parametrize("width", WIDTHS)
def test_each_cell_of_each_experiment_has_one_line_at_any_width(run: RunRecord, width: int) -> None:
    lines = show_run(run, width)
    sweep = lines[lines.index("Queue-depth sweep") : lines.index("Tail latency")]
    assert sum("qd" in line for line in sweep) >= 18
    assert [f"qd{2**step}" for step in range(9) if not any(f"-qd{2**step} " in line for line in sweep)] == []


def test_every_experiment_but_the_first_write_and_procedures_has_a_title() -> None:
    # A procedure has a title of its own.
    assert set(TITLES) == set(Experiment) - {Experiment.FILL, Experiment.PROCEDURE}


def test_the_sweep_is_drawn_with_its_knee(run: RunRecord) -> None:
    lines = show_run(run)
    start = next(index for index, line in enumerate(lines) if line.startswith("4 KiB random read: throughput"))
    bars = lines[start + 2 : start + 11]
    assert [int(line.split()[0]) for line in bars] == [2**step for step in range(9)]
    assert sum(line.endswith(" knee") for line in bars) == 1
    counts = [line.count("█") for line in bars]
    assert counts[-1] == max(counts)


def test_in_ascii_nothing_else_is_printed_and_lines_are_no_wider(run: RunRecord) -> None:
    lines = show_run(run, 80, ascii_only=True)
    assert "".join(lines).isascii()
    assert "####" in "".join(lines)
    assert max(map(len, lines)) <= 80


def test_all_findings_stand_in_full_where_they_are_asked_for(run: RunRecord) -> None:
    said = [finding("span-fits-cache"), finding("note-one", Severity.NOTE)]
    text = "\n".join(show_run(run, 200, said, all_findings=True))
    assert text.count("To confirm: Repeat the random reads") == 2
    assert "memory: 64 GiB" in text


def test_an_unfinished_run_says_what_was_not_measured() -> None:
    whole = lab_run(repeats=1)
    run = whole.model_copy(update={"finished": False, "cells": whole.cells[:10]})
    text = "\n".join(show_run(run, 200))
    assert "UNFINISHED" in text
    assert "was not measured" in text


def test_hostile_names_are_printed_as_text() -> None:
    run = lab_run(repeats=1, target=target_facts("[bold red]\x1b]0;owned\x07[/]"))
    evil = "evil\x1b[2J\u202e[red]"
    cells = tuple(cell.model_copy(update={"cell": evil}) if cell.cell == CELL else cell for cell in run.cells)
    plans = tuple(
        plan.model_copy(update={"cell": evil}) if plan.cell == CELL else plan for plan in run.header.plan.cells
    )
    plan = run.header.plan.model_copy(update={"cells": plans, "profile": "lab\x1b[31m"})
    run = run.model_copy(update={"cells": cells, "header": run.header.model_copy(update={"plan": plan})})
    for lines in (show_run(run, 200), show_cell(run, evil, 200)):
        text = "\n".join(lines)
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "evil\\x1b[2J\\u202e[red]" in text


def test_a_cell_shows_each_repeat_and_all_together(run: RunRecord) -> None:
    lines = show_cell(run, width=200)
    first = next(index for index, line in enumerate(lines) if line.startswith("Repeat "))
    assert [line.split()[0] for line in lines[first + 2 : first + 5]] == ["0", "1", "all"]
    assert "±" in lines[first + 4]


@pytest.mark.parametrize("width", [80, 200])
def test_a_cell_shows_the_fate_of_each_repeat_and_why_it_was_discarded(width: int) -> None:
    run = lab_run(repeats=4)
    beside = {"neighbours": (Neighbour(process=71, device="sda"),)}
    cells = tuple(
        cell.model_copy(update=beside) if cell.cell == CELL and cell.repeat == 2 else cell for cell in run.cells
    )
    busy = run.model_copy(update={"cells": cells})
    lines = show_cell(busy, width=width)
    first = next(index for index, line in enumerate(lines) if line.startswith("Repeat "))
    fates = [line.split()[1] for line in lines[first + 2 : first + 7]]
    assert fates == ["used", "used", "contaminated", "used", "3"]
    assert "Contaminated: discarded because another run used the device." in lines
    assert any(line.startswith("discarded repeats") and "2 (another run used the device" in line for line in lines)
    # A repeat that is shown alone has the fate that it has among the others.
    alone = show_cell(busy, width=width, repeat=2)
    assert any(line.split()[:2] == ["2", "contaminated"] for line in alone)


def test_a_cell_shows_everything_its_record_holds(run: RunRecord) -> None:
    slow = SlowIo(
        operation=Operation.READ, latency_ns=9_000_000, reap_ns=2 * 10**9, offset_bytes=40_960, length_bytes=4096
    )
    cells = tuple(cell.model_copy(update={"slowest": (slow,)}) if cell.cell == CELL else cell for cell in run.cells)
    text = "\n".join(show_cell(run.model_copy(update={"cells": cells}), findings=[finding("drift", cells=(CELL,))]))
    for words in (
        "4 KiB random read, depth 8, random data, 1.0 s warm-up + 5.0 s",
        "percentiles (bars: log axis",
        "histogram (bars: count, log axis)",
        "Time series (intervals of 500 ms",
        "9,000 µs  read            0   2.000 s           40,960   4 KiB",
        "in flight at the end",
        "faults",
        "single_issuer".upper(),
        "context switches",
        "doubtful drift (certain)",
    ):
        assert words in text


def test_a_cell_shows_the_frequency_of_its_cpus_and_where_it_comes_from(run: RunRecord) -> None:
    def with_cpu(cpu: CpuUse) -> str:
        cells = tuple(cell.model_copy(update={"cpu": cpu}) if cell.cell == CELL else cell for cell in run.cells)
        [line] = [each for each in show_cell(run.model_copy(update={"cells": cells})) if each.startswith("CPU freq")]
        return line.removeprefix("CPU frequency").strip()

    assert with_cpu(cpu_at(34 * 10**8)) == "3.40 GHz (3.30 GHz to 3.40 GHz), 6 readings of 1 CPU from cpufreq"
    assert with_cpu(cpu_at(34 * 10**8, source=FrequencySource.CPUINFO)).endswith("from /proc/cpuinfo")
    assert with_cpu(cpu_use()) == "unknown"


def test_a_cell_tells_how_long_its_repeats_were_and_not_what_the_plan_began_with(run: RunRecord) -> None:
    longer = Timing(warmup_ns=SECOND_NS, measure_ns=2 * SECOND_NS, interval_ns=SECOND_NS // 2)
    shorter = longer.model_copy(update={"measure_ns": SECOND_NS // 2})
    cells = tuple(cell.model_copy(update={"timing": longer if cell.repeat else shorter}) for cell in run.cells)
    settings = show_cell(run.model_copy(update={"cells": cells}))[1]
    assert settings.endswith("from 1.0 s warm-up + 500 ms to 1.0 s warm-up + 2.0 s")


def test_one_repeat_of_a_cell_stands_alone(run: RunRecord) -> None:
    lines = show_cell(run, repeat=1)
    assert lines[0].endswith("repeat 1 only")
    assert not any(line.startswith("all ") for line in lines)
    assert not any(line.startswith("repeat 0") for line in lines)


def test_reads_and_writes_of_a_mix_have_a_histogram_each(run: RunRecord) -> None:
    text = "\n".join(show_cell(run, "mix70"))
    assert " reads: histogram" in text
    assert " writes: histogram" in text


def test_findings_about_other_cells_are_only_counted(run: RunRecord) -> None:
    said = [finding("mine", cells=(CELL, "other")), finding("theirs", cells=("other",))]
    text = "\n".join(show_cell(run, findings=said))
    assert "doubtful mine" in text
    assert "theirs" not in text
    assert "Cells: this one and 1 more" in text
    assert "1 more finding concerns other cells or the whole run" in text


def test_a_cell_whose_repeats_all_failed_says_why() -> None:
    run = lab_run(repeats=1)
    cells = tuple(
        cell.model_copy(update={"outcome": Outcome.FAILED, "failure": failed()}) if cell.cell == CELL else cell
        for cell in run.cells
    )
    text = "\n".join(show_cell(run.model_copy(update={"cells": cells})))
    assert "Repeats: 1 failed" in text
    assert "write at offset 4096 failed: EIO" in text


def test_the_bins_of_a_histogram_hold_every_operation_once() -> None:
    latencies = [500, 80_000, 81_000, 120_000, 9_000_000]
    bins = bins_of(histogram_of(latencies))
    assert sum(each.count for each in bins) == len(latencies)
    assert all(low.high_ns == pytest.approx(high.low_ns) for low, high in pairwise(bins))
    assert bins_of(histogram_of([])) == ()


def test_showing_costs_no_heavy_import() -> None:
    modules = "iosonde.report.terminal.run_view, iosonde.report.terminal.cell_view, iosonde.report.terminal.run_list"
    check = f"import sys, {modules}; print([m for m in {HEAVY_MODULES!r} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
