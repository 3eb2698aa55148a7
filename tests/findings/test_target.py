"""What is said of the target."""

from collections.abc import Callable

from iosonde.findings import Confidence, Severity
from iosonde.records import RunRecord
from tests.builders import workload
from tests.findings.runs import BUFFERED, on_devices, only, repeat, run_of, shares, sound, three

FIRES: dict[str, Callable[[], RunRecord]] = {
    "targets-share-device": lambda: on_devices("sda", "sdb", "sda"),
    "targets-uneven": lambda: on_devices("sda", "sdb", records=three(**shares(30_000, 10_000))),
    "buffered-io": lambda: sound(header=BUFFERED),
    "span-fits-cache": lambda: sound(header={"target": {"span_bytes": 8 * 2**30}}),
    "content-unknown": lambda: sound(header={"target": {"written": "data"}}),
    "written-unknown": lambda: sound(header={"target": {"kind": "device", "written": "unknown"}}),
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
    ("reads-of-holes", lambda: run_of(*(repeat(each, workload(read_percent=0, trim_percent=50)) for each in (1, 2)))),
]


def test_a_cache_that_surely_holds_the_span_weighs_more_than_one_that_might() -> None:
    direct = only(sound(header={"target": {"span_bytes": 8 * 2**30}}), "span-fits-cache")
    assert (direct.severity, direct.confidence) == (Severity.NOTE, Confidence.POSSIBLE)
    buffered = only(sound(header={"target": {"direct": False, "span_bytes": 8 * 2**30}}), "span-fits-cache")
    assert (buffered.severity, buffered.confidence) == (Severity.INVALID, Confidence.LIKELY)
    assert "128GiB" in buffered.deciding_test
