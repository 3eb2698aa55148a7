"""Demand variation in the report: its tables of threads by queue depth, and its operating points."""

import pytest

from iosonde.analysis.procedures import procedures_of
from iosonde.analysis.procedures.demand import DemandCell, MeasuredPoint
from iosonde.records import Experiment, OperatingPoints, PhasePlan
from iosonde.report.procedures.demand_blocks import demand_table, point_table
from iosonde.report.procedures.summary_blocks import procedure_answer
from iosonde.vocabulary import PhaseRole, Quantity
from tests.builders import cell_plan, workload
from tests.procedure_builder import TIMING, procedure_run, steady_procedure


def demand(name: str, jobs: int, depth: int, iops: float) -> DemandCell:
    return DemandCell(name, workload(jobs=jobs, queue_depth=depth), iops, latency_ns=1_000_000, cpu_share=None)


def test_invalid_and_doubtful_figures_have_a_sign_with_the_finding() -> None:
    cells = [demand("sound", 1, 1, 100), demand("throttled", 1, 2, 300), demand("broken", 2, 1, 200)]

    found = demand_table(cells, Quantity.IOPS, {"broken": ("cell-failed",)}, {"throttled": ("drive-throttled",)})

    assert [line.texts for line in found.lines] == [("TC 2", "–", "200.0 ×"), ("TC 1", "300.0 ?", "100.0")]
    assert found.notes[1:] == ("× INVALID, see cell-failed.", "? doubtful, see drive-throttled.")


def test_an_operating_point_has_the_mark_of_its_cell() -> None:
    chosen = {"maximum": demand("throttled", 1, 2, 300), "minimum": demand("broken", 2, 1, 200)}
    points = [MeasuredPoint(name, each, ()) for name, each in chosen.items()]

    found = point_table(points, {"broken": ("cell-failed",)}, {"throttled": ("drive-throttled",)}, 5_000_000)

    assert [line.texts[4:] for line in found.lines] == [("300.0 ?", "1,000 ?"), ("200.0", "1,000")]
    assert [line.invalid for line in found.lines] == ["", "× see cell-failed"]
    assert "? doubtful, see drive-throttled." in found.notes


@pytest.mark.parametrize(
    ("latency_ns_max", "said"),
    [
        (1_000_000, "Operating points: maximum 900.0 IOPS at 1 × QD 2, middle"),
        (50_000, "Operating points: no maximum (no cell has a mean response time below 0.05 ms), middle"),
    ],
)
def test_the_summary_says_why_there_is_no_maximum(latency_ns_max: int, said: str) -> None:
    cells = [cell_plan(workload(queue_depth=depth), Experiment.PROCEDURE, timing=TIMING) for depth in (1, 2)]
    (rounds,) = steady_procedure(cells, cells[:1]).phases
    rule = OperatingPoints(phase="rounds", latency_ns_max=latency_ns_max, cells={each.cell: () for each in cells})
    phases = (rounds, PhasePlan(name="points", role=PhaseRole.OPERATING_POINTS, points=rule))
    run = procedure_run(
        steady_procedure(phases=phases), [{cells[0].cell: 500, cells[1].cell: 900} for _ in range(5)], cells
    )
    (found,) = procedures_of(run)

    # All operations of the run take 100 µs.
    assert said in procedure_answer(run, found, ())
