"""Findings about data that was read back after it was written."""

from collections.abc import Callable

from iosonde.records import Damage, DamageKind, RunRecord, Verification
from tests.findings.runs import MS, repeat, run_of


def read_back(*, damaged: int = 0) -> Verification:
    """The verify pass of a target of a thousand blocks, with this number of lost ones."""
    first = tuple(
        Damage(kind=DamageKind.LOST, offset_bytes=4096 * each, sequence_expected=7) for each in range(damaged)
    )
    return Verification(
        finished=True,
        step_bytes=4096,
        steps_checked=1000,
        steps_free=0,
        damaged={DamageKind.LOST: damaged} if damaged else {},
        first=first,
        duration_ns=MS,
    )


FIRES: dict[str, Callable[[], RunRecord]] = {
    "not-as-written": lambda: run_of(
        *(repeat(each, verification=(read_back(damaged=each - 1),)) for each in (1, 2, 3)),
    ),
}

NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    ("not-as-written", lambda: run_of(*(repeat(each, verification=(read_back(),)) for each in (1, 2)))),
]
