"""The contrasts of a run in words and as a table."""

from collections.abc import Mapping, Sequence

from iosonde.analysis.contrasts import contrasts_of
from iosonde.records import Access, Sync, Workload
from iosonde.report.contrast_words import contrast_sentences, contrast_table, valid_contrasts
from tests.builders import workload
from tests.sweep_builder import cells_of

EVEN = (99_000.0, 100_000.0, 101_000.0)
SEQUENTIAL = Access.SEQUENTIAL


def said(cells: Mapping[Workload, Sequence[float]]) -> list[str]:
    return contrast_sentences(contrasts_of(cells_of(cells)))


def scaled(factor: float) -> list[float]:
    return [each * factor for each in EVEN]


def test_a_difference_is_said_with_its_interval() -> None:
    assert said({workload(): scaled(2), workload(pattern=SEQUENTIAL): EVEN}) == [
        "4 KiB random reads against 4 KiB sequential reads at depth 8: 0.50 times the IOPS (95 % CI 0.48 to 0.52)."
    ]


def test_a_difference_that_is_not_significant_is_said_to_be_none() -> None:
    (sentence,) = said(
        {workload(): (80_000, 100_000, 120_000), workload(pattern=SEQUENTIAL): (90_000, 100_000, 111_000)}
    )
    assert sentence.endswith("; the difference is not significant.")


def test_durable_writes_are_compared_with_plain_ones() -> None:
    cells = {workload(read_percent=0, sync=Sync.FDATASYNC): scaled(4), workload(read_percent=0): EVEN}
    (sentence,) = said(cells)
    assert sentence.startswith("4 KiB random writes + fdatasync against 4 KiB random writes at depth 8: 0.25 times")


def test_sizes_are_told_from_the_smallest_to_the_largest_and_where_they_come_together() -> None:
    factors = {4: 2.0, 16: 1.0, 64: 1.0}
    (sentence,) = said(
        {
            workload(pattern=pattern, block_size_bytes=kib * 1024): scaled(factor if pattern is Access.RANDOM else 1)
            for pattern in (Access.RANDOM, SEQUENTIAL)
            for kib, factor in factors.items()
        }
    )
    assert sentence.startswith(
        "Random reads against sequential reads at depth 8: 0.50 times the IOPS at 4 KiB (95 % CI"
    )
    assert "1.00 times at 64 KiB" in sentence
    assert sentence.endswith("no significant difference of more than 5 % from 16 KiB on.")


def test_one_repeat_is_said_to_have_no_interval() -> None:
    (sentence,) = said({workload(): EVEN[:1], workload(pattern=SEQUENTIAL): scaled(2)})
    assert sentence.endswith("no confidence interval because a cell has a single repeat.")


def test_an_interval_of_several_times_the_ratio_is_not_read_out() -> None:
    (sentence,) = said({workload(): (50_000, 200_000), workload(pattern=SEQUENTIAL): (60_000, 170_000)})
    assert "(the 95 % CI is too wide for a comparison)" in sentence


def test_no_significant_difference_says_what_wide_intervals_allow() -> None:
    apart = {Access.RANDOM: (30_000, 100_000, 280_000), SEQUENTIAL: (40_000, 100_000, 260_000)}
    (sentence,) = said(
        {
            workload(pattern=pattern, block_size_bytes=kib * 1024): repeats
            for pattern, repeats in apart.items()
            for kib in (4, 16)
        }
    )
    head, allowed = sentence.split(": the 95 % CIs include factors of up to ")
    assert head.endswith("; at any block size, the data do not decide")
    assert float(allowed.removesuffix(".")) > 4


def test_the_largest_difference_is_named_if_it_is_between_the_ends() -> None:
    levels = {4: 1.0, 16: 0.5, 64: 0.98}
    cells = {
        workload(pattern=pattern, block_size_bytes=kib * 1024): [each / share for each in EVEN]
        for kib, level in levels.items()
        for pattern, share in ((Access.RANDOM, level), (SEQUENTIAL, 1.0))
    }
    (sentence,) = said(cells)
    assert " at 4 KiB" in sentence
    assert "0.50 times at 16 KiB" in sentence
    assert " at 64 KiB" in sentence


def test_a_run_without_a_pair_says_nothing() -> None:
    assert said({workload(): EVEN, workload(queue_depth=1): EVEN}) == []
    assert contrast_table(contrasts_of(cells_of({workload(): EVEN}))) is None


def test_invalid_cells_are_not_compared_in_words() -> None:
    cells = cells_of({workload(): EVEN, workload(pattern=SEQUENTIAL): EVEN})
    assert valid_contrasts(cells, {"sequential-read-4KiB-qd8"}) == ()


def test_more_than_four_pairs_of_workloads_are_left_to_the_table() -> None:
    cells = {
        workload(pattern=pattern, queue_depth=depth): EVEN
        for pattern in (Access.RANDOM, SEQUENTIAL)
        for depth in (1, 2, 4, 8, 16)
    }
    assert said(cells)[-1] == "See the table for 1 more comparison."
    table = contrast_table(contrasts_of(cells_of(cells)))
    assert table is not None
    assert len(table.lines) == 5
    assert table.lines[0].rests_on == ("sequential-read-4KiB-qd1",)
