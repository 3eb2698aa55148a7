"""The estimates of burst credits on volumes of random parameters, with noise, correlation and outliers."""

import numpy as np
from numpy.random import Generator

from iosonde.analysis.sustained import Cause, Sustained, cause_of, sustained_of
from tests.transfer_builder import sustained

VOLUMES = 40
RIGHT_MIN = 36
EXACT = 0.05
BLOCK_BYTES = 4096


def rates(random: Generator, base: float, burst: float, bucket: float, level: float) -> list[float]:
    """The bandwidth in MB/s in intervals of 100 ms, of a volume with a level of its bucket, until it is empty."""
    count = round((bucket / (burst - base) + 30) * 10)
    spread, correlation = random.choice([0.01, 0.03, 0.08]), random.choice([0.0, 0.5])
    noise = random.normal(size=count)
    for index in range(1, count):
        noise[index] = correlation * noise[index - 1] + (1 - correlation**2) ** 0.5 * noise[index]
    found = []
    for each in noise:
        iops = burst if level > 0 else base
        level = min(bucket, level + (base - iops) / 10)
        outlier = 0.3 if random.random() < 0.01 else 1.0
        found.append(iops * BLOCK_BYTES / 1e6 * float(np.exp(spread * each)) * outlier)
    return found


def volume(random: Generator) -> tuple[Sustained, float, float, float]:
    """Three stretches of a volume: partly full at first, after a short idle time, and with a full bucket."""
    base = random.uniform(100, 2000)
    burst = base * random.uniform(1.3, 20)
    bucket = random.uniform(5, 60) * (burst - base)
    short_s, long_s = int(random.uniform(0.2, 0.7) * bucket / base) + 1, int(1.5 * bucket / base) + 1
    levels = (bucket * random.uniform(0.3, 1), min(bucket, base * short_s), bucket)
    stretches = [rates(random, base, burst, bucket, level) for level in levels]
    (found,) = sustained_of(sustained(*zip((0, short_s, long_s), stretches, strict=True)))
    return found, base, burst, bucket


def test_bucket_burst_and_base_rate_are_right_in_noise_or_nothing_is_said_of_credits() -> None:
    random = np.random.default_rng(5)
    right = 0
    for _ in range(VOLUMES):
        found, base, burst, bucket = volume(random)
        if cause_of(found, [found]) is not Cause.CREDITS:
            continue
        assert found.first_burst is not None
        assert found.bucket_ios is not None
        pairs = (
            (found.first_burst.base.iops, base),
            (found.first_burst.burst.iops, burst),
            (found.bucket_ios.value, bucket),
        )
        assert all(abs(seen / true - 1) <= EXACT for seen, true in pairs), pairs
        right += 1
    assert right >= RIGHT_MIN
