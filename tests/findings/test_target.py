"""Findings about the target."""

from collections.abc import Callable
from typing import Any

import pytest

from iosonde.findings import Confidence, Severity
from iosonde.records import RunRecord, Sync
from iosonde.units import parse_bytes
from tests.builders import workload
from tests.findings.runs import BUFFERED, ids, on_devices, only, repeat, run_of, shares, sound, three

FIRES: dict[str, Callable[[], RunRecord]] = {
    "targets-share-device": lambda: on_devices("sda", "sdb", "sda"),
    "targets-uneven": lambda: on_devices("sda", "sdb", records=three(**shares(30_000, 10_000))),
    "buffered-io": lambda: sound(header=BUFFERED),
    "span-fits-cache": lambda: sound(header={"target": {"span_bytes": 8 * 2**30}}),
    "content-unknown": lambda: sound(header={"target": {"written": "data"}}),
    "written-unknown": lambda: sound(header={"target": {"kind": "device", "written": "unknown"}}),
    "reads-after-purge": lambda: sound(header={"target": {"kind": "device", "written": "purged"}}),
    "reads-of-holes": lambda: run_of(
        *(repeat(each, workload(read_percent=65, trim_percent=5)) for each in (1, 2, 3)),
    ),
}

NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    ("targets-share-device", lambda: on_devices("sda", "sdb", "sdc")),
    ("targets-uneven", lambda: on_devices("sda", "sdb", records=three(**shares(21_000, 19_000)))),
    ("span-fits-cache", lambda: sound(header={"target": {"kind": "null", "span_bytes": 2**30}})),
    ("written-unknown", lambda: sound(header={"target": {"kind": "null", "written": "unknown"}})),
    ("content-unknown", lambda: sound(header={"target": {"kind": "device", "written": "unknown"}})),
    ("reads-after-purge", lambda: sound(header={"target": {"kind": "device", "written": "unknown"}})),
    ("reads-of-holes", lambda: run_of(*(repeat(each, workload(read_percent=0, trim_percent=50)) for each in (1, 2)))),
]


DURABLE: list[dict[str, Any]] = [{"sync": Sync.FDATASYNC, "flush_every": 1}, {"sync": Sync.DSYNC}]


@pytest.mark.parametrize("durable", DURABLE)
def test_buffered_writes_that_are_flushed_one_by_one_are_valid(durable: dict[str, Any]) -> None:
    writes = workload(read_percent=0, **durable)
    run = run_of(*(repeat(each, writes) for each in (1, 2, 3)), header=BUFFERED)
    assert only(run, "buffered-io").severity is Severity.NOTE
    assert "span-fits-cache" not in ids(run)


def test_buffered_writes_that_are_not_flushed_are_said_to_complete_in_memory() -> None:
    small = {"target": {"direct": False, "span_bytes": 8 * 2**30}}
    run = run_of(*(repeat(each, workload(read_percent=0)) for each in (1, 2, 3)), header=small)
    assert only(run, "span-fits-cache").severity is Severity.INVALID
    assert only(run, "span-fits-cache").statement.endswith("Most writes probably completed in memory.")


@pytest.mark.parametrize("device_bytes", [10**9, 2**30, 7 * 2**30, 250 * 10**9, 256 * 2**30])
@pytest.mark.parametrize("targets", [1, 3])
def test_the_size_suggested_for_a_small_test_region_no_longer_raises_the_finding(
    device_bytes: int, targets: int
) -> None:
    def run(span_bytes: int) -> RunRecord:
        record = on_devices(*["sda"] * targets)
        each = [
            target.model_copy(
                update={
                    "span_bytes": span_bytes,
                    "device": target.device and target.device.model_copy(update={"size_bytes": device_bytes}),
                }
            )
            for target in record.header.targets
        ]
        return record.model_copy(
            update={"header": record.header.model_copy(update={"target": each[0], "more_targets": tuple(each[1:])})}
        )

    advice = only(run(2**20), "span-fits-cache").deciding_test
    wider = parse_bytes(advice.split("--size ")[1].split(". ")[0], "")
    assert wider >= device_bytes / 10 / targets
    assert wider <= device_bytes / 10 / targets * 1.1 + 1
    assert "span-fits-cache" not in ids(run(wider))


def test_a_cache_that_surely_holds_the_span_weighs_more_than_one_that_might() -> None:
    direct = only(sound(header={"target": {"span_bytes": 8 * 2**30}}), "span-fits-cache")
    assert (direct.severity, direct.confidence) == (Severity.NOTE, Confidence.POSSIBLE)
    buffered = only(sound(header={"target": {"direct": False, "span_bytes": 8 * 2**30}}), "span-fits-cache")
    assert (buffered.severity, buffered.confidence) == (Severity.INVALID, Confidence.LIKELY)
    assert "128GiB" in buffered.deciding_test
