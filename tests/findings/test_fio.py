"""Findings about cells that fio measured."""

from collections.abc import Callable

from iosonde.records import RunRecord
from tests.findings.runs import by_fio, sound
from tests.pace_builder import paced_repeat, paced_run

FIRES: dict[str, Callable[[], RunRecord]] = {
    "measured-by-fio": by_fio,
    "waiting-not-counted": lambda: by_fio(rate_per_s=5_000, arrivals="poisson"),
}

NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    ("measured-by-fio", sound),
    ("waiting-not-counted", by_fio),
    ("waiting-not-counted", lambda: paced_run(*(paced_repeat(each) for each in (1, 2, 3)))),
    # Values that fio does not report trigger no finding.
    *((each, by_fio) for each in ("depth-not-reached", "host-limited", "kernel-workers", "slowest-not-counted")),
]
