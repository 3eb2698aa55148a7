"""The cells of a document: the figures that it prints, and the reasons for those that it does not."""

from iosonde.analysis.results import PrintedCell
from iosonde.figures import Printed
from iosonde.records import Operation, Provenance
from iosonde.vocabulary import Quantity

READS = Printed.of("10204").figure(Quantity.IOPS, Operation.READ, "line 3")
CELL = PrintedCell(name="total", subject=Operation.READ, figures=(READS,))


def test_a_figure_that_was_printed_is_given_as_it_is() -> None:
    assert CELL.figure(Quantity.IOPS, Operation.READ) is READS


def test_a_quantity_that_was_left_out_has_no_value_and_says_why() -> None:
    found = CELL.figure(Quantity.LATENCY_NS_P99, Operation.READ)
    assert found is not None
    assert (found.value, found.ends, found.why_none) == (None, None, "the printed results do not include it")
    assert (found.quantity, found.operation, found.place) == (Quantity.LATENCY_NS_P99, Operation.READ, "total")
    assert found.provenance is Provenance.PRINTED


def test_nothing_is_known_of_a_class_of_operations_without_figures() -> None:
    assert CELL.figure(Quantity.IOPS, Operation.WRITE) is None
