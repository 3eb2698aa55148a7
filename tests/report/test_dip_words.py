"""Whether a sweep has a dip, in words: told, told not to be there, and nothing without intervals."""

from iosonde.analysis.families import Along
from iosonde.analysis.run import RunAnalysis
from iosonde.report.dip_words import dip_sentence
from tests.builders import workload
from tests.sweep_builder import run_of_cells

EVEN = (0.995, 1.0, 1.005)


def said(latencies_us: dict[int, float], repeats: tuple[float, ...] = EVEN) -> str:
    """The sentence on a sweep over queue depths with these mean latencies."""
    run = run_of_cells(
        {workload(queue_depth=depth): [1000 * each * part for part in repeats] for depth, each in latencies_us.items()}
    )
    return dip_sentence(RunAnalysis(run).estimates.cells, Along.DEPTH)


def test_a_sweep_that_falls_and_rises_again_has_a_dip() -> None:
    assert said({1: 100, 2: 100, 4: 400, 8: 200}) == "A dip of throughput: see the finding dip (random-read-4KiB-qd4)."


def test_a_sweep_that_rises_has_none() -> None:
    assert said({1: 100, 2: 110, 4: 130, 8: 200}) == (
        "No dip: at no queue depth, throughput is significantly below that of a smaller and of a larger one."
    )


def test_a_sweep_without_intervals_or_with_two_points_says_nothing() -> None:
    assert said({1: 100, 2: 100, 4: 400, 8: 200}, (1.0,)) == ""
    assert said({1: 100, 2: 110}) == ""


def test_wide_intervals_do_not_show_that_there_is_no_dip() -> None:
    assert said({1: 100, 2: 110, 4: 130, 8: 200}, (0.6, 1.0, 1.5)) == (
        "Whether throughput has a dip is not decided: at some queue depths, its confidence interval is too wide."
    )
