"""Sweeps over the size and the offset of the test region in words."""

from collections.abc import Sequence

from iosonde.analysis.cells import CellEstimate
from iosonde.records import Experiment
from iosonde.report.growth_table import growth_tables
from iosonde.report.region_words import region_sentences
from tests.builders import workload
from tests.sweep_builder import cells_of

MIB = 1 << 20
EVEN = (0.99, 1.0, 1.01)


def by_span(latencies_us: dict[int | None, float], repeats: Sequence[float] = EVEN) -> tuple[CellEstimate, ...]:
    return cells_of(
        {
            workload(span_bytes=None if span is None else span * MIB): [1000 * value * each for each in repeats]
            for span, value in latencies_us.items()
        },
        Experiment.MATRIX,
    )


def by_offset(latencies_us: dict[int, float], repeats: Sequence[float] = EVEN) -> tuple[CellEstimate, ...]:
    return cells_of(
        {
            workload(offset_bytes=offset, span_bytes=64 * MIB): [1000 * value * each for each in repeats]
            for offset, value in latencies_us.items()
        },
        Experiment.MATRIX,
    )


def test_the_end_of_a_cache_is_between_two_test_regions() -> None:
    (sentence,) = region_sentences(by_span({64: 20, 256: 20, 1024: 100, None: 120}))
    assert sentence.startswith(
        "4 KiB random reads at depth 8: throughput falls between test regions of 256 MiB and 1 GiB, to 0.20 times "
        "(95 % CI 0."
    )
    assert sentence.endswith("; a cache of a size between the two would explain it.")


def test_without_a_cache_throughput_does_not_fall() -> None:
    (sentence,) = region_sentences(by_span({64: 100, 256: 101, None: 100}))
    assert sentence.endswith("throughput does not fall significantly up to the largest test region (whole).")


def test_repeats_that_vary_too_much_show_no_cache() -> None:
    (sentence,) = region_sentences(by_span({64: 20, 256: 40}, (0.3, 1.0, 2.0)))
    assert "does not fall significantly" in sentence


def test_one_repeat_is_too_few_for_a_cache() -> None:
    (sentence,) = region_sentences(by_span({64: 20, 256: 100}, (1.0,)))
    assert sentence.endswith("test regions are not compared, because fewer than two have confidence intervals.")


def test_misaligned_offsets_that_are_slower_are_named() -> None:
    (sentence,) = region_sentences(by_offset({0: 100, 4096: 101, 512: 160, 2048: 200}))
    assert (
        "64 MiB region at depth 8: offsets that are not multiples of the block size and of 4 KiB are slower" in sentence
    )
    assert "throughput at offset 2 KiB is 0.50 times (95 % CI 0." in sentence
    assert sentence.endswith(") that at 0 B.")


def test_misaligned_offsets_that_cost_nothing_are_not_slower() -> None:
    (sentence,) = region_sentences(by_offset({0: 100, 512: 100}))
    assert sentence.endswith("of 4 KiB was found.")


def test_offsets_without_an_aligned_one_or_without_intervals_are_not_compared() -> None:
    (aligned,) = region_sentences(by_offset({0: 100, 4096: 100}))
    assert aligned.endswith("offsets are not compared, because all of them are aligned, or none is.")
    (once,) = region_sentences(by_offset({0: 100, 512: 200}, (1.0,)))
    assert once.endswith("offsets are not compared, because confidence intervals are missing.")


def test_cells_with_one_region_say_nothing() -> None:
    assert region_sentences(by_span({64: 100})) == []


def test_both_sweeps_have_a_table_relative_to_the_first_row() -> None:
    (spans,) = growth_tables(Experiment.MATRIX, by_span({64: 20, None: 100}))
    assert spans.caption.startswith("Results relative to the smallest test region")
    assert [line.texts[2] for line in spans.lines] == ["64 MiB", "whole"]
    (offsets,) = growth_tables(Experiment.MATRIX, by_offset({0: 100, 512: 160}))
    assert [line.texts[2] for line in offsets.lines] == ["0 B", "512 B"]
