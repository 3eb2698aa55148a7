"""Findings about cells and operations that failed."""

from collections.abc import Callable

from iosonde.records import FaultKind, Outcome, RunRecord
from tests.findings.runs import NOT_DONE, error, only, repeat, run_of, three

FIRES: dict[str, Callable[[], RunRecord]] = {
    "cell-failed": lambda: run_of(repeat(1), repeat(2), repeat(3, **NOT_DONE)),
    "io-errors": lambda: run_of(repeat(1), repeat(2), repeat(3, faults=(error(),))),
}

NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    ("cell-failed", lambda: run_of(repeat(1), repeat(2, outcome=Outcome.CUT), repeat(3))),
    ("io-errors", lambda: run_of(*three(faults=(error(FaultKind.RETRY),)))),
]


def test_a_failed_measurement_is_named_with_its_reason() -> None:
    found = only(FIRES["cell-failed"](), "cell-failed")
    assert found.cells == ("random-read-4KiB-qd8",)
    assert "write at offset 4096 failed: EIO" in found.statement
