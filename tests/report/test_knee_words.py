"""Knees and scaling in words: what is said, and what is not said where it can't be told."""

from collections.abc import Sequence

import pytest

from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.knee import DepthPoint, find_knee
from iosonde.analysis.scaling import scaling_of
from iosonde.records import Operation
from iosonde.report.knee_words import knee_sentence, knee_table, scaling_sentences
from tests.lab_builder import lab_run

DEPTHS = (1, 2, 4, 8, 16, 32)


def points(rates: Sequence[float], repeats: int = 1) -> list[DepthPoint]:
    return [
        DepthPoint(
            depth, rate, depth / rate * 1e9, round(2e9 * depth / rate), repeats=((rate, depth / rate),) * repeats
        )
        for depth, rate in zip(DEPTHS, rates, strict=False)
    ]


def said(rates: Sequence[float], repeats: int = 1) -> str:
    return knee_sentence(Operation.READ, find_knee(points(rates, repeats)))


def test_a_knee_says_its_depth_who_named_it_what_it_gives_and_what_it_costs() -> None:
    assert said((1000, 2000, 3900, 4000, 4000, 4000), repeats=2) == (
        "Random reads: the knee is at depth 4 (by all three rules; 95 % interval 4 to 4): 98 % of the best throughput "
        "(4,000 IOPS at depth 8) for 1.0 times the mean latency and 1.0 times the p99 of depth 1."
    )


def test_rules_that_differ_are_named_side_by_side() -> None:
    assert "(95 % of the best 8, power 4, Kneedle 4; no interval from one repeat)" in said(
        (1000, 2000, 3600, 3900, 4000, 4000)
    )


@pytest.mark.parametrize(
    ("rates", "words"),
    [
        ((1000, 2000, 3000, 3000), "it takes at least 5 depths with figures, and there are 4."),
        ((90, 95, 100, 99, 98, 97), "every depth from 1 on gives at least 90 % of the best throughput (100 IOPS"),
        ((10, 20, 40, 80, 160, 320), "throughput still grows by 100 % from depth 16 to 32, the deepest measured."),
        (
            (100, 120, 144, 173, 207, 249),
            "rules or repeats differ by more than half of the sweep (95 % of the best 32,",
        ),
    ],
)
def test_a_knee_that_can_t_be_told_says_why(rates: Sequence[float], words: str) -> None:
    sentence = said(rates)
    assert sentence.startswith("Random reads: the knee is not identifiable: ")
    assert words in sentence


def test_bounds_and_the_law_say_their_numbers() -> None:
    rates = [1000 * depth / (1 + 0.05 * (depth - 1) + 0.002 * depth * (depth - 1)) for depth in DEPTHS]
    bounds, law = scaling_sentences(Operation.READ, scaling_of(points(rates)))
    assert bounds.startswith("By bounds, random reads need at least 7.")
    assert "1,000 us at depth 1." in bounds
    assert law == (
        "The Universal Scalability Law fits random reads within 0 %: contention 5.0 %, coherency 0.2 %, throughput "
        "peaks near depth 22."
    )


def test_a_law_that_does_not_fit_says_how_far_it_is_off_and_nothing_else() -> None:
    _, law = scaling_sentences(Operation.WRITE, scaling_of(points([1000 * min(depth, 8) for depth in DEPTHS])))
    assert law.startswith("The Universal Scalability Law does not describe random writes: it misses them by up to ")
    assert "contention" not in law


def test_too_few_points_say_nothing_of_the_law() -> None:
    assert len(scaling_sentences(Operation.READ, scaling_of(points((1000, 2000, 3000))))) == 1


def test_the_table_has_each_rule_and_the_depth_to_use() -> None:
    knee = estimate_run(lab_run()).knee(Operation.READ)
    table = knee_table([(Operation.READ, knee)])
    assert table is not None
    assert [line.texts[1] for line in table.lines] == ["95 % of the best", "power", "Kneedle", "depth to use"]
    assert all(len(line.texts) == len(table.heads) for line in table.lines)
    assert knee_table([(Operation.READ, find_knee([]))]) is None
