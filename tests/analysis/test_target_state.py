"""The state of the target during the measurements."""

from collections.abc import Sequence

import pytest

from iosonde.analysis.run import RunAnalysis
from iosonde.analysis.target_state import Beginning, Rounds, TargetState, rounds_of, steadiness_of, target_state
from iosonde.records import CellRecord, Experiment, Operation, Outcome, RunRecord, Workload, in_order
from iosonde.report.states import state_text, steady_text
from tests.builders import cell_plan, cell_record, run_record, totals_of, workload
from tests.transfer_builder import transfer_record

READS = workload()
WRITES = workload(read_percent=0)
LARGE_WRITES = workload(read_percent=0, block_size_bytes=65_536)


def rounds(counts: Sequence[int], asked: Workload = WRITES) -> list[CellRecord]:
    direction = Operation.READ if asked.read_percent else Operation.WRITE
    return [
        cell_record(cell_plan(asked), {direction: totals_of([10**6] * count)}, repeat=number)
        for number, count in enumerate(counts, 1)
    ]


def spread_out(records: Sequence[CellRecord]) -> list[CellRecord]:
    """The records with another cell between any two of them in run order."""
    return [record.model_copy(update={"order": 2 * record.order}) for record in records]


def of_lengths(records: Sequence[CellRecord]) -> list[CellRecord]:
    """The records with lengths of 1, 2, 3 … times the original, at 1,000 writes per original length."""
    return [
        record.model_copy(
            update={
                "measured_ns": record.measured_ns * number,
                "operations": {Operation.WRITE: totals_of([10**6] * 1000 * number)},
            }
        )
        for number, record in enumerate(records, start=1)
    ]


def run_of(*cells: Sequence[CellRecord]) -> RunRecord:
    return run_record([cell_plan(each[0].workload) for each in cells], [record for each in cells for record in each])


@pytest.mark.parametrize(
    ("cells", "state"),
    [
        ([rounds([1000] * 5)], TargetState.STEADY),
        ([rounds([1000] * 5), rounds([500] * 3, READS)], TargetState.STEADY),
        ([rounds([1000] * 5), rounds([500] * 5, LARGE_WRITES)], TargetState.WITHIN_BOUNDS),
        ([spread_out(rounds([1000] * 5))], TargetState.WITHIN_BOUNDS),
        ([of_lengths(rounds([1000] * 5))], TargetState.WITHIN_BOUNDS),
        ([rounds([1000] * 4)], TargetState.TOO_FEW_REPEATS),
        ([rounds([1000] * 5), rounds([500] * 4, LARGE_WRITES)], TargetState.TOO_FEW_REPEATS),
        ([rounds([1500, 1300, 1100, 900, 700]), rounds([500] * 4, LARGE_WRITES)], TargetState.UNPROVEN),
        ([rounds([1500, 1300, 1100, 900, 700])], TargetState.UNPROVEN),
        ([rounds([3000, 1000, 1005, 995, 1000])], TargetState.TRANSITION),
        ([rounds([1000] * 5 + [700, 690, 700])], TargetState.TRANSITION),
        ([rounds([1000] * 3, READS)], TargetState.READ_ONLY),
    ],
    ids=[
        "steady",
        "with reads",
        "with other writes",
        "interleaved",
        "of other lengths",
        "few rounds",
        "few rounds of one of two",
        "falling, with few rounds of another",
        "falling",
        "left at first",
        "left again",
        "only read",
    ],
)
def test_the_rounds_of_what_writes_tell_the_state(cells: list[list[CellRecord]], state: TargetState) -> None:
    assert target_state(RunAnalysis(run_of(*cells))).state is state


def test_a_sustained_transfer_has_no_rounds_and_does_not_hide_the_state_of_the_others() -> None:
    plan = cell_plan(LARGE_WRITES, Experiment.SUSTAINED)
    transfer = transfer_record(plan, [100.0] * 100, repeat=1, order=9).model_copy(
        update={"operations": {Operation.WRITE: totals_of([10**6] * 1000)}}
    )
    writes = rounds([1000] * 5)
    run = run_record([cell_plan(WRITES), plan], [*writes, transfer])
    assert target_state(RunAnalysis(run)).state is TargetState.STEADY
    alone = run_record([plan], [transfer])
    assert target_state(RunAnalysis(alone)).state is TargetState.TOO_FEW_REPEATS


def test_reads_that_change_show_a_target_that_changes() -> None:
    found = target_state(RunAnalysis(run_of(rounds([3000, 1000, 1005, 995, 1000], READS))))
    assert (found.state, found.cells) == (TargetState.TRANSITION, ("random-read-4KiB-qd8",))


@pytest.mark.parametrize(
    ("target", "fill", "began"),
    [
        ({"written": "filled"}, Outcome.FINISHED, Beginning.FILLED),
        ({"written": "filled"}, Outcome.CUT, None),
        ({"written": "filled"}, None, None),
        ({"written": "data"}, None, Beginning.FOUND),
        ({"written": "unknown", "kind": "device"}, None, Beginning.FOUND),
        ({"written": "unknown", "kind": "null"}, None, None),
    ],
    ids=["filled", "fill cut off", "not yet filled", "found", "a device", "nothing"],
)
def test_what_the_target_held_before_tells_how_it_began(
    target: dict[str, str], fill: Outcome | None, began: Beginning | None
) -> None:
    cells = rounds([1000] * 5)
    run = run_of(cells)
    steps = in_order((cell_plan(WRITES),))
    plan = run.header.plan.model_copy(update={"preparation": steps})
    written = cells[0].model_copy(update={"outcome": fill, "order": 0})
    changed = {
        "header": run.header.model_copy(update={"target": run.header.target.model_copy(update=target), "plan": plan}),
        "preparation": () if fill is None else (written,),
    }
    found = target_state(RunAnalysis(run.model_copy(update=changed)))
    assert (found.began, found.state) == (began, TargetState.STEADY)


def test_nothing_measured_is_nothing_known() -> None:
    run = run_record([cell_plan(WRITES)], [])
    assert target_state(RunAnalysis(run)).state is TargetState.UNKNOWN


def test_mean_latency_has_to_be_steady_as_well_as_throughput() -> None:
    slower = [
        cell_record(cell_plan(WRITES), {Operation.WRITE: totals_of([latency_ns] * 1000)}, repeat=number)
        for number, latency_ns in enumerate((10**6, 2 * 10**6, 3 * 10**6, 4 * 10**6, 5 * 10**6), 1)
    ]
    found = steadiness_of(slower)
    assert found is not None
    assert found.reached is None


def test_a_repeat_that_did_not_finish_is_no_round() -> None:
    records = rounds([1000] * 5)
    records[4] = records[4].model_copy(update={"outcome": Outcome.CUT})
    found = steadiness_of(records)
    assert found is not None
    assert (found.rounds, found.reached) == (4, None)


def test_repeats_are_rounds_only_where_they_are_equally_long_and_follow_each_other() -> None:
    repeats = rounds([1000] * 5)
    assert rounds_of(repeats) is Rounds.CONSECUTIVE
    assert rounds_of(spread_out(repeats)) is Rounds.INTERLEAVED
    assert rounds_of(of_lengths(repeats)) is Rounds.UNEQUAL
    assert rounds_of(spread_out(of_lengths(repeats))) is Rounds.INTERLEAVED_UNEQUAL


def test_the_words_name_a_criterion_only_where_it_was_applied_as_it_is_meant() -> None:
    steady = state_text(target_state(RunAnalysis(run_of(rounds([1000] * 5)))))
    assert steady.startswith("steady: ")
    interleaved = state_text(target_state(RunAnalysis(run_of(spread_out(of_lengths(rounds([1000] * 5)))))))
    assert interleaved.startswith(
        "last five repeats of every cell with writes: range at most 20 % and slope at most 10 %"
    )
    assert (
        "The SNIA criterion is defined for consecutive rounds of equal length, but these are interleaved repeats of "
        "different lengths, so writes might still slow down later" in interleaved
    )
    assert "steady" not in interleaved
    assert "reads only" in state_text(target_state(RunAnalysis(run_of(rounds([1000] * 3, READS)))))
    assert "unknown" in state_text(target_state(RunAnalysis(run_record([cell_plan(WRITES)], []))))


def test_a_cell_is_told_by_each_criterion_once_and_what_its_repeats_were() -> None:
    assert steady_text(rounds([1000] * 5)) == (
        "SNIA PTS and TKperf: met at repeat 5; fio, 5 % of the mean: met at repeat 5; "
        "fio, slope of 2 % per check: met at repeat 5"
    )
    assert steady_text(spread_out(rounds([1000] * 5))).endswith(
        "(calculated from interleaved repeats; the criteria are defined for consecutive rounds of equal length)"
    )
