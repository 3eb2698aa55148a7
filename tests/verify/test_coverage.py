"""A short version of the coverage of intervals, on a queue with known throughput and mean latency."""

from scipy.stats import binom

from verify.coverage import Case, run_to_precision

RUNS = 12
# Four servers of 100 µs that are always busy.
THROUGHPUT = 40_000
MEAN_NS = 200_000


def test_intervals_behind_the_stopping_rule_hold_as_often_as_they_say() -> None:
    told = [run_to_precision(Case("mmc", "closed loop", "queue_depth = 8", RUNS, 4.0), seed) for seed in range(RUNS)]
    assert all(each.met for each in told), "each of them stopped because it knew enough"
    for place, truth in ((0, THROUGHPUT), (1, MEAN_NS)):
        held = sum(each.figures[place].holds(truth) for each in told)
        assert binom.cdf(held, RUNS, 0.92) > 0.001, held
