"""Findings about the engine and its io-wq workers."""

from collections.abc import Callable

from iosonde.records import CpuUse, Engine, RunRecord
from tests.builders import cpu_use, engine_facts, workload
from tests.findings.runs import MS, SECOND_NS, commits, device, granted, only, run_of, sound, three


def handed_over(kernel_workers_ns: int) -> CpuUse:
    """CPU use of one second in the engine's worker, and of ``kernel_workers_ns`` in io-wq workers."""
    return cpu_use(SECOND_NS).model_copy(update={"kernel_workers_ns": kernel_workers_ns})


FIRES: dict[str, Callable[[], RunRecord]] = {
    "debug-build": lambda: sound(build_profile="debug"),
    "engine-fallback": lambda: run_of(
        *three(engine=engine_facts(Engine.PSYNC)),
        header={"engine": "psync", "hello": {"engines": ["psync", "null"], "io_uring_refused": "EPERM"}},
    ),
    "engine-by-cell": lambda: run_of(*three(), *commits(Engine.PSYNC)),
    "polling-refused": lambda: run_of(
        *three(**granted(fallbacks=("polled completions refused: EOPNOTSUPP",))), header={"poll_asked": "iopoll"}
    ),
    "registration-refused": lambda: run_of(*three(**granted(fallbacks=("registered buffers refused: ENOMEM",)))),
    "kernel-workers": lambda: run_of(*three(**granted(kernel_workers=2))),
}

NEAR_MISSES: list[tuple[str, Callable[[], RunRecord]]] = [
    ("engine-fallback", lambda: sound(header={"engine_asked": "psync", "engine": "psync"})),
    ("engine-by-cell", lambda: run_of(*three(), *commits(Engine.IO_URING))),
    ("polling-refused", lambda: run_of(*three(**granted(poll_mode="iopoll")), header={"poll_asked": "iopoll"})),
    ("polling-refused", lambda: run_of(*commits(Engine.IO_URING), header={"poll_asked": "iopoll"})),
    ("registration-refused", lambda: run_of(*three(**granted(fallbacks=("polled completions refused: EOPNOTSUPP",))))),
    ("engine-by-cell", lambda: run_of(*three(engine=None))),
    ("kernel-workers", lambda: run_of(*commits(Engine.IO_URING, workers=1))),
    ("kernel-workers", lambda: run_of(*three(**granted(kernel_workers=1), cpu=handed_over(MS)))),
    (
        "kernel-workers",
        lambda: run_of(*three(**granted(kernel_workers=1), asked=workload(read_percent=0, trim_percent=30))),
    ),
    (
        "kernel-workers",
        lambda: run_of(*three(**granted(kernel_workers=1, poll_mode="sqpoll"), cpu=handed_over(SECOND_NS))),
    ),
    (
        "kernel-workers",
        lambda: run_of(*three(**granted(kernel_workers=1, poll_mode="sqpoll", sqpoll_threads=1), cpu=handed_over(MS))),
    ),
]


def test_with_sqpoll_as_well_kernel_threads_are_told_where_each_kind_is_counted() -> None:
    deep = three(**granted(kernel_workers=3, poll_mode="sqpoll", sqpoll_threads=1), cpu=handed_over(SECOND_NS))
    assert "3 io-wq workers" in only(run_of(*deep), "kernel-workers").statement


def test_kernel_threads_are_told_with_their_share_of_the_time_and_the_way_out() -> None:
    deep = three(**granted(kernel_workers=3), cpu=handed_over(SECOND_NS), asked=workload(queue_depth=256))
    found = only(run_of(*deep, header=device(queue_tags=64)), "kernel-workers")
    assert "Up to 3 io-wq workers" in found.statement
    assert ("requests per device queue", "64") in found.evidence
    assert "repeat 3: 3 workers used 50 % of the cell's CPU time" in dict(found.evidence).values()
    assert found.advice.startswith("Keep at most 64 operations in flight")
