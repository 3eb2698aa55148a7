"""Interference in mixes, in words and as a table."""

from iosonde.analysis.cells import CellEstimate
from iosonde.records import Experiment
from iosonde.report.mix_words import NOT_EVALUATED, interference_sentences, interference_table
from tests.builders import workload
from tests.sweep_builder import cells_of

EVEN = (0.99, 1.0, 1.01)


def cells(latencies_us: dict[int, float], repeats: tuple[float, ...] = EVEN) -> tuple[CellEstimate, ...]:
    return cells_of(
        {
            workload(read_percent=read): [1000 * value * each for each in repeats]
            for read, value in latencies_us.items()
        },
        Experiment.MIX,
    )


def said(latencies_us: dict[int, float], repeats: tuple[float, ...] = EVEN) -> list[str]:
    found = cells(latencies_us, repeats)
    return interference_sentences(found, found)


def test_the_worst_mix_of_each_direction_and_the_excess_are_said() -> None:
    within, reads, writes, excess = said({100: 100, 70: 195, 50: 160, 0: 200})
    assert within.startswith(
        "Compared with the writes of the same mix, reads take 1.00 times as long in the mix with 7"
    )
    assert reads.startswith("Compared with pure reads, p99 of reads rises most in the mix with 70 % reads: 1.95 ")
    assert writes == (
        "p99 of writes is highest in the mix with 70 % reads: 0.97 times that of pure writes (no confidence interval)."
    )
    assert excess.startswith(
        "Mean latency of the mix with 70 % reads is 50 % above the weighted mean of pure reads and pure writes (95 % CI"
    )


def test_a_mix_that_costs_what_its_parts_cost_is_said_to_be_no_slower() -> None:
    assert said({100: 100, 50: 150, 0: 200})[-1] == (
        "No mix has a mean latency significantly above the weighted mean of pure reads and pure writes."
    )


def test_mixes_without_pure_workloads_are_said_not_to_be_evaluated() -> None:
    within, *others = said({70: 100, 50: 100})
    assert within.startswith(
        "Compared with the writes of the same mix, reads take 1.00 times as long in the mix with 7"
    )
    assert others == [NOT_EVALUATED]
    assert interference_table(cells({70: 100}), cells({70: 100})) is None


def test_many_mixes_are_told_by_their_extremes() -> None:
    within, *_ = said({90: 100, 70: 100, 50: 100, 30: 100, 10: 100})
    assert within.count("as long in the mix with") == 2
    assert within.endswith(", between these values in the other 3 mixes.")


def test_a_mix_with_a_wide_interval_is_not_said_to_cost_nothing() -> None:
    *_, excess = said({100: 100, 70: 130, 0: 200}, (0.3, 1.0, 4.0))
    assert excess.startswith("The data do not decide whether a mix has a mean latency above the weighted mean")


def test_pure_workloads_alone_say_nothing() -> None:
    assert said({100: 100, 0: 200}) == []


def test_one_repeat_says_that_there_is_no_interval() -> None:
    within, reads, writes, excess = said({100: 100, 70: 195, 0: 200}, (1.0,))
    assert writes == (
        "p99 of writes is highest in the mix with 70 % reads: 0.97 times that of pure writes (no confidence interval)."
    )
    assert within.endswith("1.00 times as long in the mix with 70 % reads (no confidence interval).")
    assert reads.endswith("1.95 times (no confidence interval).")
    assert excess.endswith("by +50 % (no confidence interval: a cell has a single repeat).")


def test_a_row_of_the_table_rests_on_both_of_its_pure_workloads() -> None:
    found = cells({100: 100, 70: 195, 0: 200})
    table = interference_table(found, found)
    assert table is not None
    assert table.lines[0].rests_on == ("random-read-4KiB-qd8", "random-write-4KiB-qd8")


def test_the_table_has_each_mix_with_its_ratios() -> None:
    found = cells({100: 100, 70: 195, 0: 200})
    table = interference_table(found, found)
    assert table is not None
    ((name, *ratios),) = [line.texts for line in table.lines]
    assert name == "random-mix70-4KiB-qd8"
    assert ratios[0] == "1.95"
    assert ratios[6] == "1.50"
    assert len(table.heads) == len(ratios) + 1
