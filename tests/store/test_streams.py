"""Each stream of a cell, and each host, has its own intervals and record in the journal, complete or cut."""

from pathlib import Path

from iosonde.analysis.run import RunAnalysis
from iosonde.records import (
    CellRecord,
    CellTurn,
    IntervalRecord,
    Operation,
    OperationTotals,
    Outcome,
    RunHeader,
    RunRecord,
    SessionEnd,
    WithinRepeat,
)
from iosonde.store import RunDirectory, load_run
from tests.builders import interval_record, totals_of
from tests.stream_builder import mixed_run, separate_run


def interval_of(cell: CellRecord, latency_ns: int) -> IntervalRecord:
    operation = Operation.WRITE if cell.stream == "log" else Operation.READ
    return interval_record(0, {operation: totals_of([latency_ns] * 20)})


def totals_in(cell: CellRecord) -> list[OperationTotals]:
    return [totals for interval in cell.intervals for totals in interval.operations.values()]


def test_streams_of_a_trial_are_kept_and_read_apart(tmp_path: Path) -> None:
    run = mixed_run()
    with RunDirectory.create(tmp_path / "run").start_journal(run.header) as journal:
        for cell in run.cells:
            latency_ns = 1000 if cell.stream == "log" else 2000
            journal.interval(cell.order, interval_of(cell, latency_ns), 0.0, cell.stream)
            journal.cell(cell)
        journal.end(SessionEnd(finished=True))
    read = load_run(tmp_path / "run")
    assert [(each.order, each.stream) for each in read.cells] == [(each.order, each.stream) for each in run.cells]
    shortest = {(each.stream, totals.latency_ns_min) for each in read.cells for totals in totals_in(each)}
    assert shortest == {("log", 1000), ("readers", 2000)}
    found, written = (RunAnalysis(each).estimates.cells for each in (read, run))
    assert [cell.operations for cell in found] == [cell.operations for cell in written]


def test_a_trial_that_was_cut_keeps_what_each_of_its_streams_had_measured(tmp_path: Path) -> None:
    run = mixed_run()
    first = [cell for cell in run.cells if cell.order == 1]
    with RunDirectory.create(tmp_path / "run").start_journal(run.header) as journal:
        for cell in first:
            journal.interval(1, interval_of(cell, 3000), 0.0, cell.stream)
    read = load_run(tmp_path / "run")
    assert [(each.stream, each.outcome, each.workload) for each in read.cells] == [
        (each.stream, Outcome.CUT, each.workload) for each in first
    ]
    assert [set(each.operations) for each in read.cells] == [{Operation.READ}, {Operation.WRITE}]


def test_hosts_that_measure_the_same_trial_are_kept_and_read_apart(tmp_path: Path) -> None:
    run = separate_run()
    first = run.cells[0]
    cells = [first.model_copy(update={"host": host}) for host in (0, 1, 2)]
    with RunDirectory.create(tmp_path / "run").start_journal(with_turn(run, first)) as journal:
        for cell in cells:
            journal.interval(cell.order, interval_of(cell, 1000 * (cell.host + 1)), 0.0, host=cell.host)
        for cell in cells[:2]:
            journal.cell(cell)
            journal.within(cell.order, WITHIN.model_copy(update={"effective": 10.0 + cell.host}), host=cell.host)
    read = load_run(tmp_path / "run")
    assert [(each.host, each.outcome) for each in read.cells] == [
        (0, Outcome.FINISHED),
        (1, Outcome.FINISHED),
        (2, Outcome.CUT),
    ]
    assert [each.within.effective for each in read.cells if each.within is not None] == [10.0, 11.0]
    assert [totals.latency_ns_min for each in read.cells for totals in totals_in(each)] == [1000, 2000, 3000]
    assert read.superseded == ()


def with_turn(run: RunRecord, cell: CellRecord) -> RunHeader:
    turn = CellTurn(order=cell.order, cell=cell.cell, repeat=1, seed=1)
    plan = run.header.plan.model_copy(update={"turns": (turn,)})
    return run.header.model_copy(update={"plan": plan})


WITHIN = WithinRepeat(
    throughput_error=0.01,
    latency_error=0.01,
    beyond_error=None,
    effective=10.0,
    correlation=0.0,
    warm_up_ns=0,
    settled=True,
    geweke=None,
)
