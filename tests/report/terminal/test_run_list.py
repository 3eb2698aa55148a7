"""Many runs in a line each, at any width."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from iosonde.plans import TargetInfo
from iosonde.plans.procedures import load_procedures, procedures_plan
from iosonde.records import Neighbour
from iosonde.report.terminal.run_list import ListedRun, RunState, headline_cells, in_order, listed_run, render_runs
from iosonde.store import summarise_run
from iosonde.vocabulary import ListOrder
from tests.lab_builder import lab_run
from tests.procedure_builder import procedure_run, steady_procedure, write_rounds
from tests.runs_on_disk import write_run

RUN = ListedRun(
    path="/srv/results/nightly/iosonde-20261120-1432-4f7a",
    state=RunState.FINISHED,
    run="20261120-1432-4f7a",
    started_at="2026-11-20T14:32:05+00:00",
    targets=("/srv/data/somewhere/deep",),
    device_models=("Example NVMe 512 GB",),
    profile="lab",
    measured=177,
    planned=177,
    best_cell="random-read-4KiB-qd64",
    best_is_small_read=True,
    iops=412_345.6,
    latency_ns_mean=155_000.0,
    duration_ns=1_206 * 10**9,
)
CUT = replace(RUN, path="/srv/cut", state=RunState.UNFINISHED, quick=True, measured=12, started_at="", iops=None)
HURT = ListedRun(
    path="/srv/hurt\x1b[2J", state=RunState.DAMAGED, reason="has no journal: the run directory is incomplete"
)


def printed(*runs: ListedRun, width: int) -> list[str]:
    console = Console(width=width, force_terminal=False)
    with console.capture() as capture:
        console.print(render_runs(runs))
    return capture.get().splitlines()


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_a_run_is_one_line_with_state_figure_and_path_at_any_width(width: int) -> None:
    lines = printed(RUN, CUT, HURT, width=width)
    assert max(map(cell_len, lines)) <= width
    assert sum("412,346" in line and "finished" in line and "4f7a" in line for line in lines) == 1
    assert sum("unfinished 12" in line and "quick" in line for line in lines) == 1


def test_a_wide_terminal_shows_all() -> None:
    head, first, *_ = printed(RUN, width=240)
    assert re.split(r" {2,}", head)[:6] == ["Run", "Started", "Target", "Device", "Profile", "State"]
    for text in (RUN.run, "/srv/data/somewhere/deep", "Example NVMe 512 GB", "155 µs", "20 min 06 s", RUN.path):
        assert text in first


def test_what_is_damaged_is_named_below_with_the_reason_and_harmlessly() -> None:
    text = "\n".join(printed(RUN, HURT, width=200))
    assert "damaged /srv/hurt\\x1b[2J: has no journal: the run directory is incomplete" in text
    assert "\x1b" not in text


@pytest.mark.parametrize(
    ("order", "best"),
    [
        (ListOrder.STARTED, "new"),
        (ListOrder.IOPS, "fast"),
        (ListOrder.LATENCY, "quick"),
        (ListOrder.DURATION, "long"),
        (ListOrder.PATH, "fast"),
    ],
)
def test_a_list_is_sorted_by_what_is_asked_for_and_unknown_values_come_last(order: ListOrder, best: str) -> None:
    runs = [
        ListedRun(path="zzz", state=RunState.DAMAGED),
        replace(RUN, path="new", started_at="2026-11-21T00:00:00+00:00"),
        replace(RUN, path="fast", iops=9e6),
        replace(RUN, path="quick", latency_ns_mean=1.0),
        replace(RUN, path="long", duration_ns=10**15),
    ]
    paths = [run.path for run in in_order(runs, order)]
    assert (paths[0], paths[-1]) == (best, "zzz")


def test_a_figure_that_is_invalid_says_so_on_its_line_and_below() -> None:
    invalid = replace(RUN, path="/srv/beside", invalid_by=("neighbours",))
    lines = printed(RUN, invalid, width=200)
    assert [line.rstrip().endswith("/srv/beside") for line in lines if "finished, INVALID" in line] == [True]
    assert "INVALID /srv/beside: see neighbours (random-read-4KiB-qd64)" in lines
    assert sum(bool(re.search(r"finished +412", line)) for line in lines) == 1


def test_a_listing_finds_what_makes_its_figure_invalid_in_the_journal(tmp_path: Path) -> None:
    calm = lab_run(repeats=2, quick=True)
    beside = (Neighbour(process=77, device="sda"),)
    busy = [cell.model_copy(update={"neighbours": beside}) if cell.repeat else cell for cell in calm.cells]
    runs = {"calm": calm, "busy": calm.model_copy(update={"cells": tuple(busy)})}
    places = {name: write_run(run, tmp_path / name) for name, run in runs.items()}
    found = {name: listed_run(path, summarise_run(path, headline_cells)) for name, path in places.items()}
    assert found["busy"].iops == found["calm"].iops
    assert {name: each.invalid_by for name, each in found.items()} == {"calm": (), "busy": ("neighbours",)}


def test_a_listing_finds_what_makes_the_figure_of_a_procedure_invalid(tmp_path: Path) -> None:
    run = procedure_run(steady_procedure(), write_rounds(100, 100, 100, 100, 100))
    beside = (Neighbour(process=77, device="sda"),)
    busy = run.model_copy(update={"cells": tuple(each.model_copy(update={"neighbours": beside}) for each in run.cells)})
    path = write_run(busy, tmp_path / "busy")

    assert "neighbours" in listed_run(path, summarise_run(path, headline_cells)).invalid_by


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        # They are measured with the write cache off.
        ("pts-iops", ["iops-random-read-4KiB-qd32-jobs4-write-cache-off"]),
        # In three quarters of the drive.
        ("pts-lat-client", ["lat-random-read-4KiB-qd1-write-cache-on-span768MiB"]),
    ],
)
def test_the_figures_of_procedures_are_those_of_their_small_reads(name: str, cells: list[str]) -> None:
    target = TargetInfo(1 << 30, fill=True, is_device=True)
    plan = procedures_plan(load_procedures(name), target, seed=1)

    assert [each.cell for each in headline_cells(plan)] == cells


@pytest.mark.parametrize(
    ("name", "cells"),
    # The write saturation is followed by a histogram of 20 minutes.
    [("pts-wsat", ["wsat-random-write-4KiB-qd32-jobs4-20min00s"]), ("pts-xsr", []), ("sustained-write", [])],
)
def test_the_mean_of_a_long_trial_is_no_figure_of_a_run(name: str, cells: list[str]) -> None:
    plan = procedures_plan(load_procedures(name), TargetInfo(1 << 30, fill=True), seed=1)

    assert [each.cell for each in headline_cells(plan)] == cells


def test_the_figures_of_procedures_without_small_reads_are_not_those_of_their_preconditioning() -> None:
    plan = procedures_plan(load_procedures("pts-tp"), TargetInfo(1 << 30, fill=True), seed=1)

    assert [each.timing.amount_bytes for each in headline_cells(plan)] == [None] * 4


@pytest.mark.parametrize("width", [60, 80, 100, 120])
@pytest.mark.parametrize("ends", [("nvme0n1/data", "nvme1n1/data"), ("data-of-nvme0n1", "data-of-nvme1n1")])
def test_targets_that_are_shown_are_told_apart_at_any_width(width: int, ends: tuple[str, str]) -> None:
    runs = [
        replace(RUN, targets=(f"/srv/benchmarks/of/the/storage/team/{end}/and/everything/below",), path=f"run-{place}")
        for place, end in enumerate(ends)
    ]
    lines = printed(*runs, width=width)
    assert max(map(cell_len, lines)) <= width
    if "Target" in lines[0]:
        assert [("0n1" in line, "1n1" in line) for line in lines[1:3]] == [(True, False), (False, True)]
    else:
        assert any("Omitted" in line and "Target" in line for line in lines)


def test_the_target_is_left_out_after_the_moment_and_the_latency() -> None:
    lines = printed(replace(RUN, path="here", targets=("/srv/a",)), width=50)
    assert "Target" in lines[0]
    assert "Latency" not in lines[0]
