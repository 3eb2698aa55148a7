"""A workload is translated into fio arguments and back, and stays the same."""

import shlex
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from iosonde.errors import UsageError
from iosonde.plans import probe_request
from iosonde.plans.other_tools.fio_jobs import chosen_job, read_command
from iosonde.plans.other_tools.fio_translation import translate
from iosonde.records import CellPlan, CellTurn, Experiment, Plan, Sync, Timing, Workload, one_stream
from iosonde.records.pattern import BlockSizes
from iosonde.sources.fio import check_fio_can
from iosonde.sources.fio.job import Setup, arguments_of
from iosonde.units import parse_bytes
from iosonde.vocabulary import Arrivals, Data, Poll
from iosonde.workload_keys import PROBE_KEYS

KIB = 1 << 10
MIB = 1 << 20
MS = 1_000_000
SPAN_BYTES = 256 * MIB

PATTERNS = st.sampled_from(
    [
        "random",
        "sequential",
        "permutation",
        "zipf:1.1",
        "zipf:0.5",
        "pareto:0.2",
        "hot:80/20",
        "hot:50/5,30/15",
        "runs:7",
    ]
)
BLOCKS = st.sampled_from([512, 4 * KIB, 12 * KIB, 64 * KIB, 1 * MIB])
MIXES = st.none() | st.sampled_from(
    [
        BlockSizes(((512, 50), (4096, 50))),
        BlockSizes(((4096, 70), (65536, 30))),
        BlockSizes(((4096, 10), (8192, 35), (16384, 55))),
    ]
)
SHAPES = st.fixed_dictionaries(
    {
        "pattern": PATTERNS,
        "read_percent": st.integers(0, 100) | st.sampled_from([0, 100]),
        "block_size_bytes": BLOCKS,
        "block_sizes": MIXES,
        "queue_depth": st.integers(1, 256),
        "jobs": st.integers(1, 8),
        "sync": st.sampled_from(Sync),
        "flush_every": st.sampled_from([1, 1, 16]),
        "data": st.sampled_from(Data),
        "rate_per_s": st.none() | st.sampled_from([400, 8_000, 1_000_000]),
        "arrivals": st.sampled_from(Arrivals),
        "offset_bytes": st.sampled_from([0, 0, 4 * MIB]),
        "span_bytes": st.none() | st.just(128 * MIB),
        "burst_operations": st.none() | st.sampled_from([1, 64]),
        "think_ns": st.sampled_from([1_000, 2_500_000, 10**9]),
    }
)
TIMES = st.tuples(st.sampled_from([0, 200, 1_000]), st.sampled_from([1_500, 5_000, 3_600_000]))


def asked_of(shape: dict[str, Any]) -> Workload:
    """A workload of this shape, without keys that have no effect, such as those of writes in a read-only workload."""
    shape = dict(shape)
    if shape["rate_per_s"] is None:
        shape["arrivals"] = None
    if shape["burst_operations"] is None:
        shape["think_ns"] = None
    if shape["sync"] is not Sync.FDATASYNC:
        shape["flush_every"] = 1
    if shape["read_percent"] == 100:
        shape |= {"sync": Sync.NONE, "flush_every": 1, "data": Data.RANDOM}
    if shape["block_sizes"] is not None:
        shape["block_size_bytes"] = shape["block_sizes"].largest_bytes
    return Workload.model_validate(shape)


def region(workload: Workload, span_bytes: int) -> tuple[int, int]:
    """Offset and length of the blocks in use. The shares of sequential jobs may not cover the end of the region."""
    used = span_bytes - workload.offset_bytes if workload.span_bytes is None else workload.span_bytes
    if str(workload.pattern) == "sequential":
        each = workload.block_size_bytes * workload.jobs
        used = used // each * each if workload.jobs > 1 else used
    return workload.offset_bytes, used


@settings(max_examples=400, deadline=None)
@given(SHAPES, TIMES, st.sampled_from(["io_uring", "libaio"]), st.booleans(), st.sampled_from(Poll))
def test_a_workload_that_fio_can_measure_comes_back_as_it_was(
    shape: dict[str, Any], times: tuple[int, int], ioengine: str, direct: bool, poll: Poll
) -> None:
    try:
        asked = asked_of(shape)
    except ValidationError:
        assume(False)
        raise
    timing = Timing(warmup_ns=times[0] * MS, measure_ns=times[1] * MS, interval_ns=500 * MS)
    cell = CellPlan(cell="cell", experiments=(Experiment.PROBE,), streams=one_stream(asked), timing=timing)
    plan = Plan(
        profile="p", quick=False, seed=1, repeats=1, span_bytes=SPAN_BYTES, preparation=(), cells=(cell,), turns=()
    )
    try:
        check_fio_can(plan)
    except UsageError:
        assume(False)
    setup = Setup(("/data/a:b c",), ioengine, direct=direct, poll=poll, span_bytes=SPAN_BYTES)
    words = arguments_of(cell, CellTurn(order=1, cell="cell", repeat=1, seed=99), setup)

    command = read_command(shlex.join(["fio", *words]), lambda name: name, {})
    found = translate(chosen_job(command.jobs, None), command.program)
    said: dict[str, Any] = {flag.flag: flag.value for flag in found.flags}
    values = {key.name: said.get(key.flag, key.default) for key in PROBE_KEYS}
    back, back_timing = probe_request(values, targets=1)

    assert found.target == "/data/a:b c"
    assert ("--buffered" in said) == (not direct)
    polls = {Poll.INTERRUPT: None, Poll.IOPOLL: "iopoll", Poll.SQPOLL: "sqpoll"}
    assert said.get("--poll") == (polls[poll] if ioengine == "io_uring" else None)
    assert (back_timing.warmup_ns, back_timing.measure_ns) == (timing.warmup_ns, timing.measure_ns)
    assert region(back, parse_bytes(said["--size"], "--size")) == region(asked, SPAN_BYTES)
    nowhere = {"offset_bytes": 0, "span_bytes": None}
    assert back.model_copy(update=nowhere) == asked.model_copy(update=nowhere)
