"""A target can be opened as soon as the previous engine has ended, although the kernel may still hold its ring."""

from pathlib import Path

import pytest

from iosonde.records import Access, CellPlan, CellTurn, Engine, Experiment, Timing, Workload, one_stream
from iosonde.sources import EngineSource, ExistingFile, IoPath, NewFile, OpenRequest

SIZE_BYTES = 16 << 20
MS = 1_000_000
ROUNDS = 8


@pytest.mark.parametrize("how", ["ended", "killed"])
def test_a_file_can_be_opened_at_once_behind_an_engine_that_had_a_ring_on_it(how: str, tmp_path: Path) -> None:
    workload = Workload(pattern=Access.RANDOM, read_percent=0, block_size_bytes=4096, queue_depth=32)
    timing = Timing(warmup_ns=0, measure_ns=200 * MS, interval_ns=200 * MS)
    cell = CellPlan(cell="writes", experiments=(Experiment.PROBE,), streams=one_stream(workload), timing=timing)
    path, counts = tmp_path / "file", []
    for number in range(ROUNDS):
        source = EngineSource()
        if Engine.IO_URING not in source.hello.engines:
            source.end()
            pytest.skip(f"io_uring can't be had: {source.hello.io_uring_refused}")
        try:
            file = (ExistingFile if number else NewFile)(path=path, span_bytes=SIZE_BYTES)
            source.open(OpenRequest(file, write=True, direct=False))
            turn = CellTurn(order=1, cell="writes", repeat=1, seed=number)
            record = source.measure(cell, turn, IoPath(Engine.IO_URING), SIZE_BYTES, lambda _: None)
        finally:
            if how == "killed":
                source.kill()
            source.end()
        counts.append(sum(totals.count for totals in record.operations.values()))
    # The disk may stall for the whole duration of a short cell.
    assert any(counts), counts
