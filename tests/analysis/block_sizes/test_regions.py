"""The IOPS-bound and bandwidth-bound regions of a sweep over block sizes."""

import random
from collections.abc import Callable, Sequence

from iosonde.analysis.block_sizes import Regions, size_sweeps
from iosonde.records import Arrivals
from tests.builders import workload
from tests.sweep_builder import cells_of

KIB = 1024
SIZES = tuple(4 * KIB << step for step in range(7))
EVEN = (0.999, 1.0, 1.001)


def regions(
    latency_us: Callable[[int], float], repeats: Sequence[float] = EVEN, sizes: Sequence[int] = SIZES
) -> Regions | None:
    cells = {workload(block_size_bytes=size): [1000 * latency_us(size) * each for each in repeats] for size in sizes}
    (sweep,) = size_sweeps(cells_of(cells))
    return sweep.regions


def limited(size: int) -> float:
    """100 µs up to 32 KiB, and then 3.2 µs per KiB: at depth 8 this is 80,000 IOPS, then 2,560 MB/s."""
    return max(100, 3.125 * size / KIB)


def test_a_limit_of_iops_and_one_of_bandwidth_bound_the_regions() -> None:
    found = regions(limited)
    assert found is not None
    assert found.iops_bound == (4 * KIB, 32 * KIB)
    assert found.bandwidth_bound == (32 * KIB, 256 * KIB)
    assert found.saturation is not None
    assert (found.saturation.size_bytes, found.saturation.low_bytes, found.saturation.high_bytes) == (32 * KIB,) * 3


def test_bandwidth_that_still_grows_has_no_limit() -> None:
    found = regions(lambda size: 100 + 0.1 * size / KIB)
    assert found is not None
    assert found.saturation is None
    assert found.bandwidth_bound is None
    assert found.growth_share > 0.5


def test_a_bandwidth_that_every_size_reaches_is_bound_everywhere() -> None:
    found = regions(lambda size: size / KIB)
    assert found is not None
    assert found.bandwidth_bound == (4 * KIB, 256 * KIB)
    assert found.iops_bound is None


def test_the_interval_of_the_smallest_size_holds_every_size_that_may_be_it() -> None:
    # Bandwidth grows by 1 % with every doubling above 32 KiB: the largest size is the best.
    found = regions(lambda size: limited(size) * (32 * KIB / size) ** 0.0144, (0.8, 1.0, 1.25))
    assert found is not None
    assert found.saturation is not None
    assert found.saturation.low_bytes is not None
    assert found.saturation.high_bytes is not None
    assert found.saturation.low_bytes < found.saturation.size_bytes < found.saturation.high_bytes


def test_a_single_repeat_has_no_interval() -> None:
    found = regions(limited, (1.0,))
    assert found is not None
    assert found.saturation is not None
    assert (found.saturation.size_bytes, found.saturation.low_bytes) == (32 * KIB, None)


def test_the_true_smallest_size_lies_in_the_interval_as_often_as_is_said() -> None:
    seed, hits, campaigns = 3, 0, 200
    draw = random.Random(seed)
    for _ in range(campaigns):
        scattered = {
            workload(block_size_bytes=size): [1000 * limited(size) * draw.gauss(1, 0.04) for _ in range(4)]
            for size in SIZES
        }
        (sweep,) = size_sweeps(cells_of(scattered))
        assert sweep.regions is not None
        saturation = sweep.regions.saturation
        hits += (
            saturation is not None
            and saturation.low_bytes is not None
            and saturation.high_bytes is not None
            and saturation.low_bytes <= 32 * KIB <= saturation.high_bytes
        )
    assert hits / campaigns > 0.95, (seed, hits)


def test_open_loops_and_two_sizes_are_no_sweep() -> None:
    cells = {workload(block_size_bytes=size, rate_per_s=1000, arrivals=Arrivals.POISSON): [100_000.0] for size in SIZES}
    assert size_sweeps(cells_of(cells)) == ()
    assert size_sweeps(cells_of({workload(block_size_bytes=size): [100_000.0] for size in SIZES[:2]})) == ()
