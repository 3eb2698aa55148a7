"""The regions of block size and the latency model, in words and as a table."""

from collections.abc import Callable

from iosonde.analysis.cells import CellEstimate
from iosonde.records import Access
from iosonde.report.block_size_words import NO_FIXED, POOR_FIT, STILL_GROWING, block_size_sentences, block_size_table
from tests.builders import workload
from tests.sweep_builder import cells_of

KIB = 1024
SIZES = tuple(4 * KIB << step for step in range(7))


def cells(
    latency_us: Callable[[int], float],
    sizes: tuple[int, ...] = SIZES,
    patterns: tuple[Access | str, ...] = (Access.RANDOM,),
    repeats: tuple[float, ...] = (0.999, 1.0, 1.001),
) -> tuple[CellEstimate, ...]:
    return cells_of(
        {
            workload(pattern=pattern, block_size_bytes=size): [1000 * latency_us(size) * each for each in repeats]
            for pattern in patterns
            for size in sizes
        }
    )


def limited(size: int) -> float:
    return max(100, 3.125 * size / KIB)


def line(size: int) -> float:
    return 80 + size / 400


def test_regions_and_their_limits_are_said() -> None:
    (said,) = block_size_sentences(cells(limited))
    assert said.startswith(
        "Random read at depth 8: 95 % of the best bandwidth from 32 KiB (95 % CI 32 KiB) on; IOPS-bound at 4 KiB to "
        "32 KiB; bandwidth-bound at 32 KiB to 256 KiB. Mean latency does not follow a fixed cost plus size / rate: the "
        "largest error is "
    )


def test_a_fixed_cost_and_a_rate_are_said_where_they_fit() -> None:
    (said,) = block_size_sentences(cells(line))
    assert "Mean latency fits 80.0 µs + size / 400 MB/s; the largest error is " in said


def test_bandwidth_that_still_grows_is_said_to_have_no_limit_yet() -> None:
    (said,) = block_size_sentences(cells(lambda size: 100 + 0.1 * size / KIB))
    assert "bandwidth is still increasing at the largest block size (by 80 % over the last step)" in said
    assert "bandwidth-bound" not in said


def test_a_latency_without_a_fixed_cost_is_said_to_be_size_over_rate() -> None:
    (said,) = block_size_sentences(cells(lambda size: size / KIB))
    assert "Mean latency fits size / 1,024 MB/s; a fixed cost is not measurable" in said


def test_two_sizes_say_nothing_and_three_have_no_model() -> None:
    assert block_size_sentences(cells(line, SIZES[:2])) == []
    assert block_size_table(cells(line, SIZES[:2])) is None
    (said,) = block_size_sentences(cells(line, SIZES[:3]))
    assert "Mean latency" not in said


def test_one_repeat_gives_sizes_without_an_interval() -> None:
    (said,) = block_size_sentences(cells(limited, repeats=(1.0,)))
    assert "95 % of the best bandwidth from 32 KiB on" in said
    table = block_size_table(cells(limited, repeats=(1.0,)))
    assert table is not None
    assert "not every block size has two repeats" in " ".join(table.explained.notes)


def test_more_than_two_sweeps_have_their_models_in_the_table_only() -> None:
    three = cells(line, patterns=(Access.RANDOM, Access.SEQUENTIAL, "permutation"))
    assert not any("Mean latency" in sentence for sentence in block_size_sentences(three))
    table = block_size_table(three)
    assert table is not None
    assert [each.texts[0] for each in table.lines] == ["random read", "sequential read", "permutation read"]
    assert all(each.texts[6].startswith("80.0 (79.") for each in table.lines)


def test_dashes_of_the_table_have_their_reasons() -> None:
    table = block_size_table(cells(lambda size: max(100, size / KIB)))
    assert table is not None
    assert any(STILL_GROWING in note for note in table.explained.notes) is False
    notes = " ".join(table.explained.notes)
    assert POOR_FIT in notes
    growing = block_size_table(cells(lambda size: 100 + 0.1 * size / KIB))
    assert growing is not None
    assert STILL_GROWING in " ".join(growing.explained.notes)
    free = block_size_table(cells(lambda size: size / KIB))
    assert free is not None
    assert NO_FIXED in " ".join(free.explained.notes)
