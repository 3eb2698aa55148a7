"""A figure with its uncertainty."""

import pytest

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.figures import figure_of, figures_of
from iosonde.figures import Figure, Printed
from iosonde.vocabulary import Operation, Provenance, Quantity
from tests.lab_builder import lab_run

MS = 1_000_000


@pytest.fixture(scope="module")
def cell() -> CellEstimate:
    """A cell of reads and writes with three repeats."""
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
    # There are 128 buckets per octave.
    assert figure.value / 256 < figure.resolution <= figure.value / 127
    assert 0 < figure.standard_error < figure.half_width / 1.9
    assert figure.degrees_of_freedom is not None
    assert figure.degrees_of_freedom >= 1


def test_what_has_no_value_says_why_and_knows_nothing_of_its_error() -> None:
    [thin] = [each for each in estimate_run(lab_run(repeats=1)).cells if each.cell == "random-write-4KiB-qd1-fdatasync"]
    figure = figure_of(Quantity.LATENCY_NS_P99_99, thin.operations[Operation.COMMIT], thin.cell)
    assert (figure.value, figure.low, figure.standard_error, figure.resolution) == (None, None, None, 0)
    assert figure.why_none == "fewer than 10 samples are above this percentile"
    assert figure.half_width_share is None
    assert not figure.holds(1.0)


def test_a_printed_number_is_a_figure_as_well() -> None:
    printed = Printed.of("70418").figure(Quantity.IOPS, Operation.READ, "report.txt:88")
    assert (printed.value, printed.resolution, printed.provenance) == (70_418, 1, Provenance.PRINTED)
    assert printed.half_width is None
    assert not printed.holds(70_418)


@pytest.mark.parametrize(
    ("text", "unit", "value", "resolution"),
    [
        ("0.12", MS, 120_000, 10_000),
        ("0.10", MS, 100_000, 10_000),
        ("-1.5e3", 1, -1_500, 100),
        ("7", 1_000, 7_000, 1_000),
    ],
)
def test_digits_say_a_value_and_how_far_they_go(text: str, unit: int, value: float, resolution: float) -> None:
    assert Printed.of(text, unit) == Printed(value, resolution)


@pytest.mark.parametrize("text", ["", "n/a", "nan", "inf", "1,5"])
def test_what_is_no_number_is_no_printed_one(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a (finite )?number"):
        Printed.of(text)


def test_a_printed_number_lies_within_half_a_step_of_its_last_digit() -> None:
    assert Printed.of("0.12", MS).figure(Quantity.LATENCY_NS_P50, Operation.READ).ends == (115_000, 125_000)


def test_a_measured_number_without_an_interval_has_no_ends_however_exact_it_is() -> None:
    assert Figure(quantity=Quantity.IOPS, operation=Operation.READ, value=1.0, resolution=1.0).ends is None
