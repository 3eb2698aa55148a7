"""Demand variation in the report: its tables of threads by queue depth."""

from iosonde.analysis.procedures.demand import DemandCell, MeasuredPoint
from iosonde.report.procedures.demand_blocks import demand_table, point_table
from iosonde.vocabulary import Quantity
from tests.builders import workload


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
