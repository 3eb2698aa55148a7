"""A trial in which a requested operation never completed is the throughput of the others, as in estimates."""

import pytest

from iosonde.analysis.procedures import procedures_of
from iosonde.records import CellRecord, Experiment, Failure, Operation, Outcome
from iosonde.vocabulary import FailureKind
from tests.builders import SECOND_NS, cell_plan, cell_record, totals_of, workload
from tests.procedure_builder import TIMING, procedure_run, steady_procedure

MIX = cell_plan(workload(read_percent=5), Experiment.PROCEDURE, timing=TIMING)
NOTHING = Failure(kind=FailureKind.NOTHING_COMPLETED, message="no read completed within the measurement time")


def silent(writes: int) -> CellRecord:
    """A second in which so many writes completed, and no read."""
    totals = {Operation.WRITE: totals_of([10_000] * writes)} if writes else {}
    return cell_record(MIX, totals, outcome=Outcome.FAILED, failure=NOTHING, measured_ns=SECOND_NS)


def values(*rounds: int | CellRecord | None) -> list[float | None]:
    found = procedure_run(steady_procedure((MIX,), (MIX,)), [{MIX.cell: each} for each in rounds], (MIX,))
    (procedure,) = procedures_of(found)
    (phase,) = procedure.phases
    return [row[0].iops for row in phase.values]


@pytest.mark.parametrize("writes", [0, 28])
def test_a_round_without_reads_has_the_throughput_of_its_writes(writes: int) -> None:
    assert values(100, silent(writes), 120) == [100, writes, 120]


def test_a_cell_in_which_no_trial_finished_has_no_values() -> None:
    assert values(silent(28), silent(0)) == [None, None]


def test_a_trial_that_failed_in_another_way_has_no_value() -> None:
    assert values(100, None, 120) == [100, None, 120]
