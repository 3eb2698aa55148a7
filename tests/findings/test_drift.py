"""Findings about a target that changes over the run."""

import random
from collections.abc import Callable, Sequence

from iosonde.records import Experiment, RunRecord
from tests.builders import workload
from tests.findings.runs import ids, only
from tests.sweep_builder import run_of_cells


def repeated(shares: Sequence[Sequence[float]]) -> RunRecord:
    """A sweep over depths: for each cell the throughput of its repeats, relative to its own level."""
    cells = {
        workload(queue_depth=1 << step): [1e9 * (1 << step) / (10_000 * (1 << step) * share) for share in own]
        for step, own in enumerate(shares)
    }
    return run_of_cells(cells, Experiment.QUEUE_DEPTH)


FALLING = (1.0, 0.8, 0.7)
FIRES: dict[str, Callable[[], RunRecord]] = {
    "drift": lambda: repeated([FALLING] * 6),
}
NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    ("drift", lambda: repeated([FALLING] * 4)),
    ("drift", lambda: repeated([(1.0, 0.99, 0.98)] * 6)),
    ("drift", lambda: repeated([FALLING, FALLING[::-1]] * 4)),
    ("drift", lambda: repeated([FALLING[:2]] * 8)),
]


def test_the_direction_and_the_median_change_are_stated() -> None:
    fell = only(repeated([FALLING] * 6), "drift").statement
    assert fell.startswith("Throughput fell over the run: in 6 of 6 cells, each repeat is lower than the one before")
    assert "by chance, it would be about 1.0" in fell
    assert fell.endswith("The median change from the first repeat to the last is -30 %.")
    assert "Throughput rose over the run" in only(repeated([FALLING[::-1]] * 6), "drift").statement


def test_cells_with_a_level_of_their_own_do_not_hide_the_trend() -> None:
    mixed = [*([FALLING] * 9), (0.7, 0.8, 0.75)]
    assert "in 9 of 10 cells" in only(repeated(mixed), "drift").statement


def test_repeats_without_a_trend_rarely_have_one() -> None:
    seed = 20_261_126
    draw = random.Random(seed)
    found = sum(
        "drift" in ids(repeated([[draw.lognormvariate(0, 0.2) for _ in range(3)] for _ in range(8)]))
        for _ in range(200)
    )
    assert found <= 2, f"seed {seed}: {found} of 200"


def test_intervals_that_a_trend_widens_are_not_called_valid_as_well() -> None:
    found = ids(repeated([(1.0, 0.8, 0.6)] * 6))
    assert "drift" in found
    assert "repeats-differ" not in found
