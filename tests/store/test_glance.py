"""The summary of a run agrees with its full record, although it reads only parts of it."""

from pathlib import Path

import pytest

from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.states import trials_measured
from iosonde.errors import RecordError
from iosonde.records import SCHEMA_VERSION, ClockPair, Failure, Outcome, RunRecord
from iosonde.store import Glance, Journal, load_run, summarise_run, write_archive
from iosonde.store.names import HEADER_NAME, JOURNAL_NAME
from iosonde.vocabulary import FailureKind
from tests.builders import cpu_use, session
from tests.house.checkout import ROOT
from tests.lab_builder import lab_run
from tests.procedure_builder import procedure_run, steady_procedure, write_rounds
from tests.runs_on_disk import write_run

FIXTURE = ROOT / "tests/fixtures/runs/v1"
SECOND_NS = 10**9


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(lab_run(repeats=2, quick=True), tmp_path_factory.mktemp("runs") / "lab")


@pytest.fixture(scope="module")
def small() -> RunRecord:
    return lab_run(repeats=1, quick=True)


def whole(path: Path) -> Glance:
    return summarise_run(path, lambda plan: plan.cells)


@pytest.mark.parametrize("name", ["lab", "fixture"])
def test_the_figures_of_every_cell_are_those_of_the_whole_record(name: str, lab: Path) -> None:
    path = lab if name == "lab" else FIXTURE
    subjects = {cell.cell: cell.subject for cell in estimate_run(load_run(path)).cells}
    for found in whole(path).cells:
        figures = subjects.pop(found.cell)
        assert figures is not None
        assert found.iops == pytest.approx(figures.iops.mean)
        assert found.latency_ns_mean == pytest.approx(figures.latency_ns_mean.mean)
        assert found.repeats == figures.iops.repeats
    assert set(subjects.values()) <= {None}


def test_a_repeat_whose_cpu_time_was_stolen_is_in_no_listing_either(small: RunRecord, tmp_path: Path) -> None:
    first, *_ = small.cells
    assert first.cpu is not None
    robbed = first.cpu.model_copy(update={"steal_ns": first.measured_ns})
    repeats = [first.model_copy(update={"repeat": each, "order": 1000 + each}) for each in (2, 3, 4)]
    again = first.model_copy(update={"repeat": 5, "order": 1005, "cpu": robbed})
    run = small.model_copy(update={"cells": (*small.cells, *repeats, again)})
    found = next(each for each in whole(write_run(run, tmp_path / "run")).cells if each.cell == first.cell)
    assert found.repeats == 4


def test_an_archive_is_glanced_at_as_its_directory_is(lab: Path, tmp_path: Path) -> None:
    write_archive(lab, tmp_path / "lab.zip")
    assert whole(tmp_path / "lab.zip") == whole(lab)


def test_only_the_cells_that_are_asked_for_have_figures(lab: Path) -> None:
    found = summarise_run(lab, lambda plan: plan.cells[:2])
    assert len(found.cells) == 2
    assert found.measured == found.planned == len(load_run(lab).cells)


def test_a_cell_that_failed_counts_neither_as_measured_nor_in_figures(small: RunRecord, tmp_path: Path) -> None:
    failed = small.cells[0].model_copy(update={"outcome": Outcome.FAILED})
    found = whole(write_run(small.model_copy(update={"cells": (failed, *small.cells[1:])}), tmp_path / "run"))
    assert found.measured == found.planned - 1
    assert failed.cell not in {cell.cell for cell in found.cells}


@pytest.mark.parametrize("others_finish", [True, False])
def test_a_trial_in_which_nothing_completed_has_a_result_if_others_of_its_cell_finished(
    others_finish: bool, small: RunRecord, tmp_path: Path
) -> None:
    failure = Failure(kind=FailureKind.NOTHING_COMPLETED, message="no read completed")
    first = small.cells[0].model_copy(update={"operations": {}, "outcome": Outcome.FAILED, "failure": failure})
    again = small.cells[0].model_copy(update={"repeat": 2, "order": 1000})
    cells = (first, *small.cells[1:], *([again] if others_finish else []))
    found = whole(write_run(small.model_copy(update={"cells": cells}), tmp_path / "run"))
    assert found.measured == trials_measured(cells) == len(small.cells) + (1 if others_finish else -1)


def test_a_run_cut_in_its_first_round_plans_the_fewest_rounds_of_its_procedures(tmp_path: Path) -> None:
    run = procedure_run(steady_procedure(), write_rounds(100))
    found = whole(write_run(run, tmp_path / "run", finished=False))
    # One cell, in at least the five rounds of a window.
    assert (found.measured, found.planned) == (1, 5)


def test_the_figures_of_a_procedure_are_those_of_its_window(tmp_path: Path) -> None:
    run = procedure_run(steady_procedure(), write_rounds(900, 100, 100, 100, 100, 100))
    found = whole(write_run(run, tmp_path / "run"))
    assert [(cell.iops, cell.repeats) for cell in found.cells] == [(100, 5)]


def test_no_round_of_a_window_is_discarded_for_what_it_shows(tmp_path: Path) -> None:
    run = procedure_run(steady_procedure(), write_rounds(100, 100, 100, 200, 200))
    stolen = cpu_use().model_copy(update={"steal_ns": 10 * SECOND_NS})
    cells = [each if each.order < 4 else each.model_copy(update={"cpu": stolen}) for each in run.cells]
    found = whole(write_run(run.model_copy(update={"cells": tuple(cells)}), tmp_path / "run"))
    assert [(cell.iops, cell.repeats) for cell in found.cells] == [(140, 5)]


def test_trials_of_an_interrupted_attempt_count_nowhere(tmp_path: Path) -> None:
    run = procedure_run(steady_procedure(), write_rounds(900, 900, 100, 100, 100, 100, 100))
    # The first two trials belong to an attempt before.
    turns = [each.model_copy(update={"attempt": 1 + (each.order > 2)}) for each in run.turns_chosen]
    turns = [each.model_copy(update={"round": each.order - 2 * (each.attempt - 1)}) for each in turns]
    found = whole(write_run(run.model_copy(update={"turns_chosen": tuple(turns)}), tmp_path / "run"))
    assert (found.measured, found.planned) == (5, 5)
    assert [(cell.iops, cell.repeats) for cell in found.cells] == [(100, 5)]


def test_a_turn_that_was_made_again_counts_once(small: RunRecord, tmp_path: Path) -> None:
    found = whole(write_run(small.model_copy(update={"cells": (small.cells[0], *small.cells)}), tmp_path / "run"))
    assert (found.measured, {cell.repeats for cell in found.cells}) == (len(small.cells), {1})


def test_a_journal_that_ends_within_a_frame_is_unfinished_and_not_damaged(lab: Path, tmp_path: Path) -> None:
    path = copy_of(lab, tmp_path)
    data = (path / JOURNAL_NAME).read_bytes()
    (path / JOURNAL_NAME).write_bytes(data[: len(data) // 2])
    found = whole(path)
    assert not found.finished
    assert found.damage is None
    assert found.measured == len(load_run(path).cells)


def test_a_damaged_stretch_is_told_as_the_whole_record_tells_it(lab: Path, tmp_path: Path) -> None:
    path = copy_of(lab, tmp_path)
    data = bytearray((path / JOURNAL_NAME).read_bytes())
    data[12:16] = b"\xff" * 4
    (path / JOURNAL_NAME).write_bytes(data)
    found = whole(path)
    assert found.damage == load_run(path).damage
    assert found.measured == found.planned - 1


def test_the_duration_leaves_out_the_pause_before_a_resumption(small: RunRecord, tmp_path: Path) -> None:
    # In each session, the last cell ends a minute after the start of the engine.
    path = write_run(_ending_after(small, 60), tmp_path / "run", sessions=[session()])
    assert whole(path).duration_ns == 120 * SECOND_NS


def test_the_duration_does_not_go_by_a_wall_clock_that_was_set(small: RunRecord, tmp_path: Path) -> None:
    path = write_run(_ending_after(small, 60, wall_s=0), tmp_path / "run", sessions=[session()])
    assert whole(path).duration_ns == 120 * SECOND_NS


def _ending_after(run: RunRecord, engine_s: int, wall_s: int = 1_795_185_125) -> RunRecord:
    clock = ClockPair(engine_ns=engine_s * SECOND_NS, wall_ns=wall_s * SECOND_NS, raw_ns=0)
    return run.model_copy(update={"cells": tuple(cell.model_copy(update={"clock_end": clock}) for cell in run.cells)})


def test_a_run_that_is_being_written_is_running(small: RunRecord, tmp_path: Path) -> None:
    path = write_run(small, tmp_path / "run", finished=False)
    with Journal(path / JOURNAL_NAME, go_on=True):
        assert whole(path).running
    assert not whole(path).running


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (JOURNAL_NAME, b"", "is not a journal"),
        (JOURNAL_NAME, b"iosondej" + (SCHEMA_VERSION + 1).to_bytes(4, "little"), "written by a newer iosonde"),
        (JOURNAL_NAME, b"iosondej\x01\0\0\0\x02\0\0\0\0\0\0\0\x02{]", "is damaged"),
        (JOURNAL_NAME, None, "has no journal"),
        (HEADER_NAME, None, "has no run.json"),
        (HEADER_NAME, b'{"schema_version": 1, "run": "x"}', "is damaged"),
    ],
)
def test_what_is_no_run_is_refused_with_the_reason(
    tmp_path: Path, name: str, content: bytes | None, message: str
) -> None:
    path = copy_of(FIXTURE, tmp_path)
    (path / name).unlink()
    if content is not None:
        (path / name).write_bytes(content)
    with pytest.raises(RecordError, match=message):
        whole(path)


def copy_of(run: Path, folder: Path) -> Path:
    path = folder / "copy"
    path.mkdir()
    for name in (HEADER_NAME, JOURNAL_NAME):
        (path / name).write_bytes((run / name).read_bytes())
    return path
