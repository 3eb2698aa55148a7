"""The memory of I/O buffers that a plan tells, against what the engine takes."""

from collections.abc import Iterator
from typing import Final

import pytest

from iosonde.plans import TargetInfo, campaign_plan, largest_buffers, load_profile
from iosonde.plans.buffers import buffer_bytes
from iosonde.records import Access, CellPlan, CellTurn, Engine, Experiment, Timing, Workload, one_stream, parse_sizes
from iosonde.sources import EngineSource, IoPath, NewFile, OpenRequest
from iosonde.vocabulary import EngineChoice

SPAN_BYTES = 64 << 20
MIB = 1 << 20
SHORT = Timing(warmup_ns=0, measure_ns=10_000_000, interval_ns=10_000_000)
MIXED = parse_sizes("512B:1,64KiB:1", "block_size")

WORKLOADS: Final[dict[str, dict[str, object]]] = {
    "one read": {"read_percent": 100},
    "many reads": {"read_percent": 100, "queue_depth": 256},
    "writes": {"read_percent": 0, "queue_depth": 32},
    "a mix of large blocks": {"read_percent": 70, "block_size_bytes": MIB, "queue_depth": 3},
    "sectors of several jobs": {"read_percent": 50, "block_size_bytes": 512, "queue_depth": 8, "jobs": 3},
    "several sizes": {"read_percent": 0, "block_size_bytes": 65536, "block_sizes": MIXED, "queue_depth": 4},
    "zeros": {"read_percent": 0, "data": "zeros", "queue_depth": 2},
    "what compresses": {"read_percent": 0, "compressible_percent": 50, "queue_depth": 2},
    "duplicates": {"read_percent": 0, "duplicates_percent": 30, "block_size_bytes": 300 << 10, "queue_depth": 2},
    "trims": {"read_percent": 0, "trim_percent": 100, "queue_depth": 2},
}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineSource]:
    source = EngineSource()
    path = tmp_path_factory.mktemp("buffers") / "target"
    source.open(OpenRequest(NewFile(path=path, span_bytes=SPAN_BYTES), write=True, direct=False))
    yield source
    source.end()


@pytest.mark.parametrize("engine", [Engine.PSYNC, Engine.IO_URING])
@pytest.mark.parametrize("name", WORKLOADS)
def test_the_plan_tells_what_the_engine_takes(source: EngineSource, name: str, engine: Engine) -> None:
    if engine not in source.hello.engines:
        pytest.skip(f"no {engine} here: {source.hello.io_uring_refused}")
    asked = {"pattern": Access.RANDOM, "block_size_bytes": 4096, "queue_depth": 1, **WORKLOADS[name]}
    workload = Workload.model_validate(asked)
    plan = CellPlan(cell="one", experiments=(Experiment.PROBE,), streams=one_stream(workload), timing=SHORT)
    turn = CellTurn(order=1, cell="one", repeat=1, seed=1)
    record = source.measure(plan, turn, IoPath(engine), SPAN_BYTES, lambda _: None)
    assert record.own_engine is not None
    assert record.own_engine.buffer_bytes == buffer_bytes(workload, engine)


def test_the_largest_of_a_plan_is_told_with_its_cell() -> None:
    plan = campaign_plan(load_profile("lab"), TargetInfo(span_bytes=8 << 30, fill=True), quick=False, seed=1)
    uring, psync = (largest_buffers(plan, choice) for choice in (EngineChoice.IO_URING, EngineChoice.PSYNC))
    assert uring is not None
    assert psync is not None
    cells = {cell.cell: cell for cell in plan.every_cell}
    assert uring.buffer_bytes == max(buffer_bytes(cell.workload, Engine.IO_URING) for cell in cells.values())
    # A thread for each operation in flight, each with random data of its own.
    assert psync.buffer_bytes > uring.buffer_bytes
    assert largest_buffers(plan, EngineChoice.AUTO) == psync


def test_a_simulated_drive_has_no_data_and_fio_has_buffers_of_its_own() -> None:
    plan = campaign_plan(load_profile("lab"), TargetInfo(span_bytes=8 << 30, fill=True), quick=False, seed=1)
    assert largest_buffers(plan, EngineChoice.SIMULATION) is None
    by_fio = largest_buffers(plan, EngineChoice.FIO)
    assert by_fio is not None
    assert by_fio.cell == "fill"
