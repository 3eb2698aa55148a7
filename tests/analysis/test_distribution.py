"""The latency figures that follow from counts, from printed percentiles, from a printed mean, or from none of them."""

import pytest
from pydantic import ValidationError

from iosonde.analysis.distribution import ADDED_UP, MIXED, NOT_ADDED, NOT_PRINTED, UNCOUNTED, latency_figure
from iosonde.analysis.histogram import percentiles
from iosonde.analysis.latency import service_of
from iosonde.figures import Figure, Printed
from iosonde.records import Distribution, Moments, Operation, Percentiles, Provenance
from iosonde.vocabulary import Quantity
from tests.builders import totals_of

US, MS = 1_000, 1_000_000
COUNTED = service_of(totals_of([US * each for each in range(1, 2_001)]))
MEAN = Moments(mean_ns=Printed.of("0.52", MS))
TABLE = Percentiles(percent=(50.0, 99.0, 100.0), ns=tuple(Printed.of(each, MS) for each in ("0.50", "1.98", "2.00")))


def mean_of(*repeats: Distribution | None) -> Figure:
    return latency_figure(Quantity.LATENCY_NS_MEAN, Operation.READ, repeats, "document:4")


def p99_of(*repeats: Distribution | None) -> Figure:
    return latency_figure(Quantity.LATENCY_NS_P99, Operation.READ, repeats)


def moments(mean: str, count: int | None = None) -> Moments:
    return Moments(mean_ns=Printed.of(mean, MS), count=count)


def test_counts_answer_for_a_mean_exactly() -> None:
    found = mean_of(COUNTED)
    assert (found.value, found.resolution, found.provenance) == (1_000_500, 0, Provenance.MEASURED)
    assert found.place == "document:4"


def test_counts_answer_for_a_percentile_to_the_width_of_a_bucket() -> None:
    found = p99_of(COUNTED)
    (expected,) = percentiles(COUNTED.histogram, (99.0,), smallest_ns=COUNTED.ns_min, largest_ns=COUNTED.ns_max)
    assert found.value == expected
    assert found.resolution == 8_192
    assert found.ends is None


def test_counts_answer_for_no_percentile_with_too_few_samples_beyond_it() -> None:
    found = latency_figure(Quantity.LATENCY_NS_P99_9, Operation.READ, [COUNTED])
    assert (found.value, found.why_none) == (None, "fewer than 10 samples are above this percentile")


def test_counts_of_several_repeats_are_added_up() -> None:
    found = latency_figure(Quantity.LATENCY_NS_P99_9, Operation.READ, [COUNTED] * 6)
    assert found.value == pytest.approx(1_998 * US, rel=0.004)
    assert found.why_none == ADDED_UP


def test_printed_percentiles_answer_for_what_was_printed() -> None:
    found = p99_of(TABLE)
    assert (found.value, found.resolution, found.provenance) == (1_980_000, 10_000, Provenance.PRINTED)


def test_no_percentile_is_read_between_printed_ones() -> None:
    found = latency_figure(Quantity.LATENCY_NS_P90, Operation.READ, [TABLE])
    assert (found.value, found.why_none) == (None, NOT_PRINTED)


def test_no_mean_is_made_of_percentiles() -> None:
    assert (mean_of(TABLE).value, mean_of(TABLE).why_none) == (None, NOT_PRINTED)


def test_a_mean_that_stood_beside_percentiles_is_known() -> None:
    beside = Percentiles(percent=TABLE.percent, ns=TABLE.ns, moments=MEAN)
    assert mean_of(beside).value == pytest.approx(520_000)


def test_a_printed_mean_answers_for_no_percentile() -> None:
    assert mean_of(MEAN).ends == (515_000, 525_000)
    assert (p99_of(MEAN).value, p99_of(MEAN).why_none) == (None, NOT_PRINTED)


def test_printed_percentiles_of_several_repeats_are_never_averaged() -> None:
    assert (p99_of(TABLE, TABLE).value, p99_of(TABLE, TABLE).why_none) == (None, NOT_ADDED)


def test_printed_means_of_several_repeats_make_one_by_their_counts() -> None:
    found = mean_of(moments("0.10", 3_000), moments("0.50", 1_000))
    assert found.value == pytest.approx(200_000)
    assert found.resolution == pytest.approx(10_000)
    assert found.provenance is Provenance.DERIVED
    assert found.ends is None


def test_printed_means_without_counts_make_none() -> None:
    found = mean_of(moments("0.10", 3_000), moments("0.50"))
    assert (found.value, found.why_none) == (None, UNCOUNTED)


def test_counts_and_printed_numbers_make_no_figure_together() -> None:
    assert (p99_of(COUNTED, TABLE).value, p99_of(COUNTED, TABLE).why_none) == (None, MIXED)


@pytest.mark.parametrize("repeats", [(), (None,), (COUNTED, None)])
def test_a_distribution_that_is_absent_is_not_measured(repeats: tuple[Distribution | None, ...]) -> None:
    found = mean_of(*repeats)
    assert (found.value, found.provenance, found.why_none) == (None, Provenance.UNKNOWN, "not measured")


@pytest.mark.parametrize(
    ("percent", "ns", "why"),
    [
        ((50.0, 99.0), (1.0,), "2 percentiles, but 1 values"),
        ((99.0, 50.0), (1.0, 2.0), "percentiles are not in ascending order"),
        ((50.0, 99.0), (2.0, 1.0), "latencies are not in ascending order"),
    ],
)
def test_a_table_that_no_latencies_can_have_is_refused(
    percent: tuple[float, ...], ns: tuple[float, ...], why: str
) -> None:
    with pytest.raises(ValidationError, match=why):
        Percentiles(percent=percent, ns=tuple(Printed(each, 1.0) for each in ns))
