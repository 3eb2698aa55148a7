"""Findings about the frequency of the CPUs."""

from collections.abc import Callable, Sequence
from typing import Any

from iosonde.findings import Severity
from iosonde.records import CellRecord, RunRecord
from iosonde.vocabulary import FrequencySource
from tests.builders import SECOND_NS, cpu_at, workload
from tests.findings.runs import ids, only, repeat, run_of
from tests.findings.test_hosts import two_hosts

GHZ = 10**9


def cell(queue_depth: int, ghz: Sequence[float], busy: float = 0.6, **others: Any) -> list[CellRecord]:
    """A cell with one repeat at each of these frequencies."""
    return [
        repeat(number, workload(queue_depth=queue_depth), cpu=cpu_at(round(each * GHZ), busy), **others)
        for number, each in enumerate(ghz, 1)
    ]


def slow_and_fast(*fast: float, **others: Any) -> RunRecord:
    return run_of(*cell(8, (2.11, 2.09, 2.10)), *cell(4, fast or (3.41, 3.39, 3.40), **others))


def throttled() -> RunRecord:
    falls = (3.4, 3.41, 3.4, 2.2, 2.21, 2.2)
    return run_of(*cell(8, falls), *cell(4, falls))


FIRES: dict[str, Callable[[], RunRecord]] = {"frequency-differs": slow_and_fast}

NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    # A difference of less than 10 %.
    ("frequency-differs", lambda: slow_and_fast(2.29, 2.28, 2.27)),
    # A difference within the scatter over repeats.
    ("frequency-differs", lambda: slow_and_fast(2.0, 4.2, 2.2)),
    # Too few repeats, and a single cell.
    ("frequency-differs", lambda: slow_and_fast(3.4, 3.4)),
    ("frequency-differs", lambda: run_of(*cell(8, (3.4, 3.41, 3.4)))),
    # The CPU was idle for most of the time.
    ("frequency-differs", lambda: slow_and_fast(busy=0.4)),
    # A constant, as most virtual machines report it.
    ("frequency-differs", lambda: run_of(*cell(8, (2.6,) * 3), *cell(4, (2.6,) * 3))),
    # Throttled in the last of three repeats: too few to tell it from scatter.
    ("frequency-differs", lambda: run_of(*cell(8, (3.4, 3.4, 2.2)))),
]


def test_the_fastest_and_the_slowest_cell_are_named_with_their_ratio() -> None:
    found = only(slow_and_fast(), "frequency-differs")
    assert found.severity is Severity.NOTE
    assert "was 3.40 GHz in random-read-4KiB-qd4 and 2.10 GHz in random-read-4KiB-qd8: 1.62 times as high" in (
        found.statement
    )
    assert found.cells == ("random-read-4KiB-qd4", "random-read-4KiB-qd8")
    assert ("governor", "performance") in found.evidence


def test_a_frequency_that_falls_during_the_run_is_found_where_all_cells_have_the_same_mean() -> None:
    found = only(throttled(), "frequency-differs")
    assert found.statement.startswith(
        "The CPU frequency fell by 35 % from the first half of the repeats to the second half."
    )
    assert set(found.cells) == {"random-read-4KiB-qd4", "random-read-4KiB-qd8"}


def test_an_unknown_frequency_is_no_finding() -> None:
    known = cell(8, (2.1, 2.1, 2.1))
    unknown = [each.model_copy(update={"cpu": each.cpu.model_copy(update={"frequency": None})})
               for each in cell(4, (3.4, 3.4, 3.4)) if each.cpu is not None]  # fmt: skip
    assert "frequency-differs" not in ids(run_of(*known, *unknown))


def test_a_simulated_drive_and_fio_have_no_cpu_time_and_no_finding() -> None:
    cells = (*cell(8, (2.1, 2.1, 2.1)), *cell(4, (3.4, 3.4, 3.4)))
    assert "frequency-differs" not in ids(run_of(*(each.model_copy(update={"cpu": None}) for each in cells)))


def test_hosts_are_not_compared_with_each_other() -> None:
    cells = (*cell(8, (2.1, 2.11, 2.1)), *(each.model_copy(update={"host": 1}) for each in cell(4, (3.4, 3.41, 3.4))))
    header = two_hosts().header
    run = run_of(*cells)
    both = header.model_copy(update={"plan": run.header.plan})
    assert "frequency-differs" not in ids(run.model_copy(update={"header": both}))


def test_workers_that_share_a_cpu_are_busy_together() -> None:
    two = cpu_at(2 * GHZ, 0.3, FrequencySource.CPUINFO)
    shared = two.model_copy(update={"threads": two.threads * 2})
    assert shared.frequency is not None
    cells = [*(repeat(each, cpu=shared) for each in (1, 2, 3)), *cell(4, (3.4, 3.41, 3.4))]
    assert "frequency-differs" in ids(run_of(*cells))
    spread = shared.model_copy(update={"frequency": shared.frequency.model_copy(update={"cpus": 2})})
    cells = [*(repeat(each, cpu=spread) for each in (1, 2, 3)), *cell(4, (3.4, 3.41, 3.4))]
    assert "frequency-differs" not in ids(run_of(*cells))
    assert all(each.measured_ns == 5 * SECOND_NS for each in cells)
