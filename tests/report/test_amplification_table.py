"""The table of write amplification has each cell that writes, or says why a value is unknown."""

from iosonde.records import CellPlan, CellRecord, Operation, RunRecord
from iosonde.report.amplification_table import NOT_KNOWN, amplification_table
from tests.builders import cell_plan, cell_record, drive_state, run_record, totals_of, workload

MB = 10**6
READ = cell_plan(workload(read_percent=100))
WRITE = cell_plan(workload(read_percent=0))
LARGE = cell_plan(workload(read_percent=0, block_size_bytes=65536))


def trial(order: int, plan: CellPlan, repeat: int = 1, **counters: int) -> CellRecord:
    """A trial after which the drive has these counters."""
    kind = Operation.READ if plan is READ else Operation.WRITE
    return cell_record(plan, {kind: totals_of([1000])}, order=order, repeat=repeat, drives=(drive_state(**counters),))


def rows(*trials: CellRecord) -> list[tuple[str, ...]]:
    found = amplification_table(run_of(*trials))
    assert found is not None
    return [line.texts[1:] for line in found.lines]


def run_of(*trials: CellRecord) -> RunRecord:
    return run_record((READ, WRITE, LARGE), trials, repeats=2)


def written(host: int, media: int) -> dict[str, int]:
    return {"host_written_bytes": host * MB, "media_written_bytes": media * MB}


def test_the_trials_of_a_cell_are_added_up() -> None:
    first = trial(1, READ, **written(100, 150))
    # By hand: 300 MB of 100 MB, then 500 MB of 300 MB.
    found = rows(first, trial(2, WRITE, **written(200, 450)), trial(3, WRITE, 2, **written(500, 950)))
    assert found == [("2", "400 MB", "800 MB", "2.00")]


def test_the_counters_of_a_simulated_drive_are_zero_before_the_first_trial() -> None:
    found = rows(trial(1, WRITE, **written(100, 300)), trial(2, LARGE, **written(200, 500)))
    assert found == [("1", "100 MB", "300 MB", "3.00"), ("1", "100 MB", "200 MB", "2.00")]


def test_a_trial_after_one_without_counters_has_no_change() -> None:
    before, after = cell_record(WRITE, {}, order=1), trial(2, LARGE, **written(101, 202))
    table = amplification_table(run_of(before, after, trial(3, LARGE, 2, **written(201, 302))))
    assert table is not None
    assert table.notes == (f"–: {NOT_KNOWN}.",)


def test_reads_have_no_row() -> None:
    assert rows(
        trial(1, READ, **written(1, 1)), trial(2, LARGE, **written(101, 101)), trial(3, READ, **written(101, 101))
    ) == [("1", "100 MB", "100 MB", "1.00")]


def test_without_counters_of_the_media_there_is_no_table() -> None:
    assert amplification_table(run_of(trial(1, READ), trial(2, WRITE, host_written_bytes=5))) is None
