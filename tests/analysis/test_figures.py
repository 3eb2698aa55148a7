"""One number with how well it is known."""

import pytest

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.figures import figure_of, figures_of
from iosonde.figures import Figure
from iosonde.vocabulary import Operation, Provenance, Quantity
from tests.lab_builder import lab_run


@pytest.fixture(scope="module")
def cell() -> CellEstimate:
    """A mix of three repeats."""
    return next(each for each in estimate_run(lab_run()).cells if each.cell == "random-mix70-4KiB-qd16")


def test_each_class_of_operations_has_every_quantity_once(cell: CellEstimate) -> None:
    found = [(figure.operation, figure.quantity) for figure in figures_of(cell)]
    assert found == [(operation, quantity) for operation in cell.operations for quantity in Quantity]
    assert {figure.place for figure in figures_of(cell)} == {"random-mix70-4KiB-qd16"}
    assert {figure.provenance for figure in figures_of(cell)} == {Provenance.MEASURED}


def test_a_mean_has_the_error_and_the_interval_of_its_estimate(cell: CellEstimate) -> None:
    reads = cell.operations[Operation.READ]
    figure = figure_of(Quantity.IOPS, reads, cell.cell)
    assert (figure.value, figure.low, figure.high) == (reads.iops.mean, reads.iops.low, reads.iops.high)
    assert figure.standard_error == reads.iops.standard_error is not None
    assert figure.degrees_of_freedom == reads.iops.degrees_of_freedom is not None
    assert figure.resolution == 0


def test_a_percentile_is_as_exact_as_its_bucket_and_its_error_is_within_half_its_interval(cell: CellEstimate) -> None:
    figure = figure_of(Quantity.LATENCY_NS_P99, cell.operations[Operation.READ], cell.cell)
    assert figure.value is not None
    assert figure.half_width is not None
    assert figure.standard_error is not None
    # 128 buckets an octave.
    assert figure.value / 256 < figure.resolution <= figure.value / 127
    assert 0 < figure.standard_error < figure.half_width / 1.9
    assert figure.degrees_of_freedom is not None
    assert figure.degrees_of_freedom >= 1


def test_what_has_no_value_says_why_and_knows_nothing_of_its_error() -> None:
    [thin] = [each for each in estimate_run(lab_run(repeats=1)).cells if each.cell == "random-write-4KiB-qd1-fdatasync"]
    figure = figure_of(Quantity.LATENCY_NS_P99_99, thin.operations[Operation.COMMIT], thin.cell)
    assert (figure.value, figure.low, figure.standard_error, figure.resolution) == (None, None, None, 0)
    assert figure.why_none == "fewer than 10 samples lie beyond it"
    assert figure.half_width_share is None
    assert not figure.holds(1.0)


def test_a_printed_number_is_a_figure_as_well() -> None:
    printed = Figure(
        quantity=Quantity.IOPS,
        operation=Operation.READ,
        value=70_418,
        provenance=Provenance.PRINTED,
        resolution=1,
        place="report.txt:88",
        why_none="one number was printed",
    )
    assert printed.half_width is None
    assert not printed.holds(70_418)
