"""Dips are marked in the charts of throughput."""

from collections.abc import Sequence

from iosonde.analysis.cells import CellEstimate
from iosonde.charts.block_sizes import block_size_bandwidth, block_size_iops
from iosonde.charts.depths import queue_depth_iops
from iosonde.charts.figure import Figure
from iosonde.charts.lines import DIP_TEXT
from iosonde.records import Experiment
from tests.builders import workload
from tests.sweep_builder import cells_of

EVEN = (0.99, 1.0, 1.01, 0.995)


def by_depth(iops: Sequence[float]) -> tuple[CellEstimate, ...]:
    return cells_of(
        {
            workload(queue_depth=1 << step): [1e9 * (1 << step) / (each * repeat) for repeat in EVEN]
            for step, each in enumerate(iops)
        },
        Experiment.QUEUE_DEPTH,
    )


def by_size(mb_per_s: Sequence[float]) -> tuple[CellEstimate, ...]:
    return cells_of(
        {
            workload(block_size_bytes=65_536 << step): [8e3 * (65_536 << step) / (each * repeat) for repeat in EVEN]
            for step, each in enumerate(mb_per_s)
        }
    )


def marked(figures: Sequence[Figure]) -> list[str]:
    (figure,) = figures
    cells = [row["cell"] for row in figure.rows if row["is_dip"]]
    assert (DIP_TEXT in figure.caption) is bool(cells)
    assert figure.chart is not None
    assert ("datum.is_dip" in str(figure.chart.to_dict())) is bool(cells)
    return cells


def test_a_dip_over_depths_is_marked_where_iops_are_lowest() -> None:
    assert marked(queue_depth_iops(by_depth((10_000, 20_000, 15_000, 30_000)))) == ["random-read-4KiB-qd4"]
    assert marked(queue_depth_iops(by_depth((10_000, 20_000, 25_000, 30_000)))) == []


def test_a_dip_over_block_sizes_is_marked_in_the_chart_of_bandwidth_only() -> None:
    dipping = by_size((500, 600, 400, 700))
    assert marked(block_size_bandwidth(dipping)) == ["random-read-256KiB-qd8"]
    assert marked(block_size_iops(dipping)) == []
