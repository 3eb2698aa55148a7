"""The limits computed from the parameters of a disk, compared with results of the simulated disk."""

from typing import Any

import pytest

from iosonde.plans.models import load_model
from iosonde.plans.models.disk import DiskTable, mean_bytes_per_s, zone_bytes_per_s
from iosonde.units import SECOND_NS, format_bandwidth
from verify.simulated import SimulatedDrive

GB = 10**9
SEQUENTIAL_READ: dict[str, Any] = {"pattern": "sequential", "read_percent": 100, "block_size_bytes": 128 << 10}
SEQUENTIAL_WRITE = SEQUENTIAL_READ | {"read_percent": 0}


def disk(**changes: Any) -> DiskTable:
    table = load_model("disk-7200").table
    return DiskTable.model_validate({**table.model_dump(), **changes})


def seen_bytes_per_s(table: DiskTable, queue_depth: int = 1) -> float:
    """The bandwidth of sequential reads in the outermost zone."""
    span = {"span_bytes": 8 * GB // 4096 * 4096, "measure_ns": 20 * SECOND_NS}
    with SimulatedDrive(table.parameters(), seed=1) as drive:
        seen = drive.run(**span, **SEQUENTIAL_READ, queue_depth=queue_depth, seed=7)
    return seen.service.count * int(SEQUENTIAL_READ["block_size_bytes"]) * SECOND_NS / seen.measured_ns


@pytest.mark.parametrize(
    "changes",
    [{}, {"heads": 1}, {"rotation_rpm": 5400}, {"head_switch_ns": 0, "write_settle_ns": 0}, {"zones": 1}],
    ids=["as it is", "one head", "slower", "without skew of heads", "one zone"],
)
def test_a_stream_gets_the_limit_of_its_zone(changes: dict[str, Any]) -> None:
    outer, inner = zone_bytes_per_s(disk(**changes))
    assert seen_bytes_per_s(disk(**changes)) == pytest.approx(outer, rel=0.02)
    # The stream reads the outermost zone. To get the limit of the innermost, all tracks get the length of its tracks.
    hub = {} if changes.get("zones") == 1 else {"track_outer_bytes": disk().track_inner_bytes}
    assert seen_bytes_per_s(disk(**{**changes, **hub})) == pytest.approx(inner, rel=0.02)


def test_a_slow_interface_is_the_limit_of_both() -> None:
    slow = disk(interface_bytes_per_s=100_000_000)
    assert zone_bytes_per_s(slow) == (100_000_000, 100_000_000)
    # At depth 1 the interface is idle until the next command arrives.
    assert seen_bytes_per_s(slow, queue_depth=8) == pytest.approx(100_000_000, rel=0.02)


def test_the_limits_that_are_shown_are_those() -> None:
    shown = {limit.name: limit.value for limit in load_model("disk-7200").limits}
    assert [shown["bandwidth of the outermost zone"], shown["bandwidth of the innermost zone"]] == [
        format_bandwidth(rate) for rate in zone_bytes_per_s(disk())
    ]


def test_a_fill_takes_as_long_as_the_plan_assumes() -> None:
    small = disk(size_bytes=32 * GB // (1 << 20) * (1 << 20))
    with SimulatedDrive(small.parameters(), seed=1) as drive:
        size_bytes = small.size_bytes
        seen = drive.run(
            **{**SEQUENTIAL_WRITE, "block_size_bytes": 1 << 20},
            queue_depth=8,
            span_bytes=size_bytes,
            amount_bytes=size_bytes,
        )
    assert size_bytes * SECOND_NS / seen.measured_ns == pytest.approx(mean_bytes_per_s(small), rel=0.05)
