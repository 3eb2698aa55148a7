"""The estimates of burst credits on volumes of random parameters, with noise, correlation and outliers."""

import numpy as np
from numpy.random import Generator

from iosonde.analysis.burst_causes import DropCause, cause_of
from iosonde.analysis.sustained import Sustained, sustained_of
from iosonde.records import CellRecord, Experiment
from tests.builders import SECOND_NS, cell_plan, drive_state, workload
from tests.transfer_builder import MIB, sustained, transfer_record

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
        if cause_of(found, [found]) is not DropCause.CREDITS:
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


def throttled_record(order: int, throttled_ns: int) -> CellRecord:
    """A sustained write whose bandwidth drops, on a drive with this counter of throttling."""
    plan = cell_plan(workload(read_percent=0, block_size_bytes=MIB), Experiment.SUSTAINED)
    return transfer_record(
        plan, [2000.0] * 40 + [700.0] * 80, order=order, repeat=order, drives=(drive_state(throttled_ns=throttled_ns),)
    )


def test_throttling_that_the_drive_reports_is_the_cause_of_a_drop() -> None:
    records = [throttled_record(order, 3 * order * SECOND_NS) for order in (1, 2)]
    (found,) = sustained_of(records)
    assert found.throttled_ns == 6 * SECOND_NS
    assert cause_of(found, (found,)) is DropCause.THROTTLING


def test_a_drive_that_does_not_throttle_has_another_cause() -> None:
    (found,) = sustained_of([throttled_record(order, 0) for order in (1, 2)])
    assert found.throttled_ns == 0
    assert cause_of(found, (found,)) is not DropCause.THROTTLING
