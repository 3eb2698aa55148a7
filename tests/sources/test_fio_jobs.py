"""The fio arguments of a cell's workload."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from iosonde.errors import UsageError
from iosonde.records import CellPlan, CellTurn, Experiment, Plan, Sync, Timing, one_stream
from iosonde.sources.fio import check_fio_can
from iosonde.sources.fio.job import Setup, arguments_of
from iosonde.vocabulary import OnError, Poll
from tests.builders import workload

MIB = 1 << 20
MS = 1_000_000
TIMING = Timing(warmup_ns=200 * MS, measure_ns=1_500 * MS, interval_ns=500 * MS)
PLAIN: dict[str, Any] = {"queue_depth": 4}


def planned(timing: Timing = TIMING, **asked: Any) -> CellPlan:
    return CellPlan(
        cell="cell", experiments=(Experiment.PROBE,), streams=one_stream(workload(**(PLAIN | asked))), timing=timing
    )


def words_of(
    *files: str, timing: Timing = TIMING, ioengine: str = "io_uring", poll: Poll = Poll.INTERRUPT, **asked: Any
) -> list[str]:
    setup = Setup(files or ("/proc/77/fd/5",), ioengine, direct=True, poll=poll, span_bytes=64 * MIB)
    return arguments_of(planned(timing, **asked), CellTurn(order=1, cell="cell", repeat=1, seed=99), setup)


def test_a_job_in_full() -> None:
    assert words_of() == [
        "--output-format=json+",
        "--eta=never",
        "--status-interval=500ms",
        "--readonly",
        "--name=target-1",
        "--filename=/proc/77/fd/5",
        "--thread=1",
        "--group_reporting=1",
        "--new_group=1",
        "--allow_file_create=0",
        "--fallocate=none",
        "--invalidate=0",
        "--randrepeat=0",
        "--lat_percentiles=1",
        "--clat_percentiles=0",
        "--continue_on_error=io",
        "--ioengine=io_uring",
        "--direct=1",
        "--iodepth=4",
        "--numjobs=1",
        "--randseed=99",
        "--offset=0",
        f"--size={64 * MIB}",
        "--rw=randread",
        "--norandommap=1",
        "--bs=4096",
        "--time_based=1",
        "--runtime=1500ms",
        "--ramp_time=200ms",
    ]


def test_with_on_error_stop_fio_ends_all_jobs_at_the_first_error() -> None:
    setup = Setup(
        ("/data/a",), "io_uring", direct=True, poll=Poll.INTERRUPT, span_bytes=64 * MIB, on_error=OnError.STOP
    )
    words = arguments_of(planned(TIMING), CellTurn(order=1, cell="cell", repeat=1, seed=99), setup)
    assert {"--continue_on_error=none", "--exitall_on_error=1"} <= set(words)
    assert "--continue_on_error=io" not in words


# Changes to the plain workload, and the arguments that differ from those of ``test_a_job_in_full``.
SAID: list[tuple[dict[str, Any], set[str]]] = [
    ({"read_percent": 0}, {"--rw=randwrite"}),
    ({"read_percent": 70}, {"--rw=randrw", "--rwmixread=70"}),
    ({"pattern": "sequential"}, {"--rw=read"}),
    ({"pattern": "sequential", "read_percent": 0}, {"--rw=write"}),
    ({"pattern": "permutation"}, {"--norandommap=0"}),
    ({"pattern": "zipf:1.1"}, {"--random_distribution=zipf:1.1"}),
    ({"pattern": "pareto:0.2"}, {"--random_distribution=pareto:0.2"}),
    ({"pattern": "hot:50/5,30/15,20/80"}, {"--random_distribution=zoned:50/5:30/15:20/80"}),
    ({"pattern": "runs:10"}, {"--percentage_random=10"}),
    ({"block_size_bytes": 128 << 10}, {"--bs=131072"}),
    (
        {"block_sizes": "4KiB:70,64KiB:30", "block_size_bytes": 64 << 10},
        {"--bssplit=4096/70:65536/30"},
    ),
    ({"block_sizes": "4KiB:1,64KiB:3", "block_size_bytes": 64 << 10}, {"--bssplit=4096/25:65536/75"}),
    ({"jobs": 3}, {"--numjobs=3"}),
    (
        {"pattern": "sequential", "jobs": 3, "block_size_bytes": MIB},
        {"--rw=read", "--bs=1048576", "--numjobs=3", f"--size={21 * MIB}", f"--offset_increment={21 * MIB}"},
    ),
    ({"offset_bytes": 16 * MIB}, {f"--offset={16 * MIB}", f"--size={48 * MIB}"}),
    ({"offset_bytes": 16 * MIB, "span_bytes": 8 * MIB}, {f"--offset={16 * MIB}", f"--size={8 * MIB}"}),
    ({"read_percent": 0, "sync": "dsync"}, {"--rw=randwrite", "--sync=dsync"}),
    ({"read_percent": 0, "sync": "fdatasync", "queue_depth": 1}, {"--rw=randwrite", "--iodepth=1", "--fdatasync=1"}),
    (
        {"read_percent": 0, "sync": "fdatasync", "queue_depth": 1, "flush_every": 8},
        {"--rw=randwrite", "--iodepth=1", "--fdatasync=8"},
    ),
    ({"read_percent": 0, "data": "zeros"}, {"--rw=randwrite", "--zero_buffers=1"}),
    (
        {"read_percent": 0, "data": "compressible"},
        {"--rw=randwrite", "--refill_buffers=1", "--buffer_compress_percentage=50"},
    ),
    ({"rate_per_s": 5_000, "arrivals": "poisson"}, {"--rate_iops=5000", "--rate_process=poisson"}),
    (
        {"rate_per_s": 6_000, "arrivals": "constant", "jobs": 2},
        {"--numjobs=2", "--rate_iops=3000", "--rate_process=linear"},
    ),
    (
        {"rate_per_s": 1_000, "arrivals": "poisson", "read_percent": 70},
        {"--rw=randrw", "--rwmixread=70", "--rate_iops=700,300", "--rate_process=poisson"},
    ),
    (
        {"rate_per_s": 1_000, "arrivals": "poisson", "read_percent": 0},
        {"--rw=randwrite", "--rate_iops=,1000", "--rate_process=poisson"},
    ),
    (
        {"burst_operations": 64, "think_ns": 10 * MS},
        {"--thinktime=10000us", "--thinktime_blocks=64", "--thinktime_blocks_type=issue"},
    ),
]


@pytest.mark.parametrize(("asked", "said"), SAID, ids=[str(asked) for asked, _ in SAID])
def test_what_is_asked_is_said(asked: dict[str, Any], said: set[str]) -> None:
    check_fio_can(plan_of(planned(**asked)))
    assert set(words_of(**asked)) - set(words_of()) == said


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
@pytest.mark.parametrize("asked", [asked for asked, _ in SAID], ids=[str(asked) for asked, _ in SAID])
def test_fio_takes_what_is_said(asked: dict[str, Any], tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.touch()
    os.truncate(target, 64 * MIB)
    words = words_of(str(target), ioengine="null", **asked)
    ended = subprocess.run(["fio", "--parse-only", *words], capture_output=True, text=True, check=False, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_job_that_writes_may_write_and_no_other() -> None:
    assert "--readonly" in words_of(read_percent=100)
    assert "--readonly" not in words_of(read_percent=99)


def test_each_target_is_a_group_of_its_own() -> None:
    words = words_of("/proc/77/fd/5", "/proc/77/fd/6", "/proc/77/fd/7", targets=2)
    assert [word for word in words if word.startswith(("--name", "--filename"))] == [
        "--name=target-1",
        "--filename=/proc/77/fd/5",
        "--name=target-2",
        "--filename=/proc/77/fd/6",
    ]


def test_a_colon_in_a_name_parts_no_names() -> None:
    assert "--filename=/srv/a\\:b" in words_of("/srv/a:b")


def test_a_cell_with_an_amount_ends_with_that() -> None:
    amount = Timing(warmup_ns=0, measure_ns=1_000 * MS, interval_ns=60_000 * MS, amount_bytes=8 * MIB)
    words = words_of(timing=amount, jobs=2)
    assert f"--io_size={4 * MIB}" in words
    assert not {word for word in words if word.startswith(("--runtime", "--time_based", "--ramp_time"))}
    # fio reports its status every 2 s at least, so that iosonde can detect a hang within a longer interval.
    assert "--status-interval=2000ms" in words


@pytest.mark.parametrize(("poll", "word"), [(Poll.IOPOLL, "--hipri=1"), (Poll.SQPOLL, "--sqthread_poll=1")])
def test_polling_is_asked_of_io_uring_only(poll: Poll, word: str) -> None:
    assert word in words_of(poll=poll)
    assert word not in words_of(poll=poll, ioengine="libaio")


def plan_of(cell: CellPlan) -> Plan:
    return Plan(profile="p", quick=False, seed=1, repeats=1, span_bytes=64 * MIB, cells=(cell,), turns=())


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"pattern": "strided:64KiB"}, "accesses the same blocks in each pass of a strided pattern"),
    ({"pattern": "permutation", "jobs": 2}, "accesses every block; fio does not divide the blocks"),
    (
        {"pattern": "permutation", "block_sizes": "4KiB:70,64KiB:30", "block_size_bytes": 64 << 10},
        "shortens blocks in a permutation if block sizes are mixed",
    ),
    ({"pattern": "sequential", "read_percent": 50}, "uses separate offsets for sequential reads and writes"),
    ({"pattern": "runs:10", "read_percent": 50}, "uses separate offsets for sequential reads and writes"),
    ({"pattern": "zipf:1"}, "does not support an exponent of exactly 1"),
    ({"pattern": "zipf:1.1:together"}, "always scatters the hot blocks"),
    ({"pattern": "pareto:0.2:together"}, "always scatters the hot blocks"),
    ({"pattern": "hot:80/20:scattered"}, "cannot be scattered"),
    ({"pattern": "hot:80.5/20"}, "zones only as whole percentages"),
    ({"pattern": "hot:0/20,100/80"}, "does not support zones without accesses"),
    ({"trim_percent": 10, "read_percent": 90}, "can trim block devices, but not files"),
    ({"block_sizes": "4KiB:1,64KiB:2", "block_size_bytes": 64 << 10}, "block-size shares only as whole percentages"),
    ({"read_percent": 0, "sync": Sync.FDATASYNC}, "do not wait for earlier writes"),
    ({"read_percent": 50, "sync": Sync.FDATASYNC, "queue_depth": 1}, "also flushes after reads"),
    ({"rate_per_s": 200_000, "arrivals": "poisson"}, "inaccurate above 100,000 operations per second per job"),
    ({"rate_per_s": 1_000, "arrivals": "poisson", "jobs": 3}, "requires an integer rate per job and direction"),
    (
        {"rate_per_s": 5, "arrivals": "constant", "read_percent": 70},
        "requires an integer rate per job and direction",
    ),
    ({"burst_operations": 8, "think_ns": 1_500}, "whole microseconds"),
    ({"on_ns": 10**9, "off_ns": 2 * 10**9}, "no duty cycle"),
]


def test_fio_is_given_no_time_limit_for_an_amount() -> None:
    timing = Timing(warmup_ns=0, measure_ns=1, interval_ns=10**9, amount_bytes=64 << 20, limit_ns=10**9)
    with pytest.raises(UsageError, match="no time limit for an amount"):
        check_fio_can(plan_of(planned().model_copy(update={"timing": timing})))


def test_fio_decides_nothing_within_a_trial() -> None:
    with pytest.raises(UsageError, match="cannot end a trial when its samples are steady"):
        check_fio_can(plan_of(planned(TIMING.model_copy(update={"decide_ns": TIMING.interval_ns}))))


@pytest.mark.parametrize(("asked", "reason"), REFUSED, ids=[str(asked) for asked, _ in REFUSED])
def test_what_fio_would_do_otherwise_is_refused_with_the_engine_that_can(asked: dict[str, Any], reason: str) -> None:
    with pytest.raises(UsageError, match=reason) as refused:
        check_fio_can(plan_of(planned(**asked)))
    assert refused.value.message.startswith(("cell: fio", "cell: each fio job"))
    assert "--engine auto" in refused.value.hint


def test_an_amount_that_jobs_can_not_share_is_refused() -> None:
    timing = Timing(warmup_ns=0, measure_ns=MS, interval_ns=MS, amount_bytes=MIB)
    with pytest.raises(UsageError, match="only whole blocks"):
        check_fio_can(plan_of(planned(timing, jobs=3)))


def test_a_warm_up_as_long_as_the_duration_is_refused() -> None:
    timing = Timing(warmup_ns=1_000 * MS, measure_ns=1_000 * MS, interval_ns=100 * MS)
    with pytest.raises(UsageError, match="can exit before the measurement starts"):
        check_fio_can(plan_of(planned(timing)))


def test_a_zipf_of_more_ranks_than_fio_adds_up_is_refused() -> None:
    cell = planned(pattern="zipf:0.9")
    wide = plan_of(cell).model_copy(update={"span_bytes": 10_000_001 * 4096})
    with pytest.raises(UsageError, match="computes zipf from the first 10,000,000 ranks only"):
        check_fio_can(wide)
    check_fio_can(wide.model_copy(update={"span_bytes": 10_000_000 * 4096}))


def test_constant_arrivals_have_no_bound() -> None:
    check_fio_can(plan_of(planned(rate_per_s=600_000, arrivals="constant")))
