from typing import Any

import pytest

from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.procedures import ReportedCell, procedures_of
from iosonde.analysis.procedures.reported import levels_of
from iosonde.analysis.rounds import tracked_value
from iosonde.analysis.run import RunAnalysis
from iosonde.records import CellRecord, Experiment, Operation, PhasePlan
from iosonde.report.headline import headline_of
from iosonde.vocabulary import DiscardReason, PhaseRole, Quantity
from tests.builders import cell_plan, cell_record, histogram_of, totals_of, workload
from tests.procedure_builder import TIMING, WRITE, procedure_run, steady_procedure, write_rounds

MIX = cell_plan(workload(read_percent=65), Experiment.PROCEDURE, timing=TIMING)


def reported(*rounds: dict[str, Any]) -> ReportedCell:
    [found] = procedures_of(procedure_run(steady_procedure(), rounds))
    assert found.main is not None
    return found.main.reported[0]


def latencies(*values_ns: int) -> dict[str, CellRecord]:
    return {WRITE.cell: cell_record(WRITE, {Operation.WRITE: totals_of(values_ns)})}


def test_the_reported_mean_is_that_of_the_last_five_rounds() -> None:
    found = reported(*write_rounds(9000, 100, 101, 102, 103, 109))

    assert found.iops == 103
    assert found.bytes_per_s == 103 * 4096
    assert found.rounds == 5


def test_a_round_without_a_value_leaves_no_mean() -> None:
    assert reported(*write_rounds(100, 100, None, 100, 100)).iops is None


def test_the_reported_latency_is_the_mean_of_the_rounds_and_not_of_their_operations() -> None:
    # The means of the rounds are 10 (once), and 20 (four times, of half as many operations).
    found = reported(latencies(10, 10), *[latencies(20)] * 4)

    assert found.latency_ns_mean == 18


def test_the_maximum_is_the_longest_operation_of_the_window() -> None:
    found = reported(latencies(9000), latencies(100), latencies(70, 500), *[latencies(100)] * 3)

    assert found.latency_ns_max == 500


def test_five_nines_need_ten_operations_above_in_the_whole_window() -> None:
    def level(total: int) -> int | None:
        return levels_of(histogram_of([100] * (total - 10) + [500] * 10), smallest_ns=100, largest_ns=500)[-1]

    assert level(1_000_000) == 100
    assert level(999_999) is None


def test_levels_pool_the_histograms_of_all_rounds() -> None:
    found = reported(*[latencies(*[100] * 990, *[500] * 10)] * 5)

    # Of 5,000 operations, 50 are above the rank of 99 %, and 5 above that of 99.9 %.
    assert found.operations == 5000
    assert found.levels_ns == (100, None, None, None)


def test_a_mix_is_reported_over_all_of_its_operations() -> None:
    mixed = cell_record(MIX, {Operation.READ: totals_of([10] * 65), Operation.WRITE: totals_of([30] * 35)})
    run = procedure_run(steady_procedure((MIX,), (MIX,)), [{MIX.cell: mixed}] * 5, (MIX,))
    [rounds] = procedures_of(run)
    assert rounds.main is not None

    [found] = rounds.main.reported

    assert (found.iops, found.latency_ns_mean, found.latency_ns_max) == (100, 17, 30)


@pytest.mark.parametrize("quantity", [Quantity.IOPS, Quantity.BYTES_PER_S, Quantity.LATENCY_NS_MEAN])
def test_the_values_of_rounds_are_those_that_the_run_was_steered_by(quantity: Quantity) -> None:
    mixed = cell_record(MIX, {Operation.READ: totals_of([10] * 65), Operation.WRITE: totals_of([30] * 35)})
    run = procedure_run(steady_procedure((MIX,), (MIX,)), [{MIX.cell: mixed}], (MIX,))
    [rounds] = procedures_of(run)

    assert rounds.phases[0].values[0][0].of(quantity) == pytest.approx(tracked_value(run.cells[0], quantity))


def test_results_of_the_run_include_the_window_only() -> None:
    analysis = RunAnalysis(procedure_run(steady_procedure(), write_rounds(9000, 100, 101, 102, 103, 109)))

    [cell] = analysis.estimates.cells

    assert cell.subject is not None
    assert cell.subject.iops.mean == pytest.approx(103)
    assert list(cell.repeats.fates.values()) == [DiscardReason.OUTSIDE_WINDOW, *[DiscardReason.USED] * 5]
    assert cell.repeats.discarded == ()


def test_rounds_of_an_earlier_phase_are_not_called_outside_of_the_window() -> None:
    procedure = steady_procedure()
    [rounds] = procedure.phases
    phases = (rounds.model_copy(update={"name": "before"}), rounds)
    names = ["before"] * 6 + ["rounds"] * 5
    run = procedure_run(steady_procedure(phases=phases), write_rounds(*range(90, 101)), phase=names)

    [cell] = RunAnalysis(run).estimates.cells

    assert list(cell.repeats.fates.values()) == [
        DiscardReason.OUTSIDE_WINDOW,
        *[DiscardReason.EARLIER_PHASE] * 5,
        *[DiscardReason.USED] * 5,
    ]


def test_an_incomplete_round_is_left_out() -> None:
    values: list[dict[str, Any]] = [{WRITE.cell: 100, MIX.cell: 50}] * 2
    run = procedure_run(steady_procedure((WRITE, MIX), (WRITE,)), [*values, {WRITE.cell: 900}], (WRITE, MIX))

    [rounds] = procedures_of(run)

    assert rounds.phases[0].rounds == 2


def test_only_the_last_attempt_counts() -> None:
    first = procedure_run(steady_procedure(), write_rounds(100, 100))
    turn = first.turns_chosen[1].model_copy(update={"attempt": 2, "round": 1})
    run = first.model_copy(update={"turns_chosen": (first.turns_chosen[0], turn)})

    [rounds] = procedures_of(run)

    assert (rounds.attempt, rounds.phases[0].rounds) == (2, 1)


def test_the_headline_of_a_cell_is_its_mean_over_the_window_not_that_of_the_histogram_phase() -> None:
    again = WRITE.model_copy(update={"cell": "again"})
    procedure = steady_procedure()
    histogram = PhasePlan(name="histogram", role=PhaseRole.HISTOGRAM, cells=("again",))
    procedure = procedure.model_copy(update={"phases": (*procedure.phases, histogram)})
    run = procedure_run(procedure, [*write_rounds(100, 100, 100, 100, 100), {"again": 900}], (WRITE, again))
    last = run.turns_chosen[-1].model_copy(update={"phase": "histogram", "round": 1})
    run = run.model_copy(update={"turns_chosen": (*run.turns_chosen[:-1], last)})

    [figure] = headline_of(estimate_run(run)).groups[0].figures

    assert figure.value == pytest.approx(100)
