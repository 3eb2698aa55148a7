"""The data of writes: the engine writes real files, and the tests compress and deduplicate them."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import zstandard

from iosonde.records import Access, CellPlan, CellTurn, Data, Engine, Experiment, Timing, Workload, one_stream
from iosonde.records.pattern import Permutation
from iosonde.sources import (
    EngineSource,
    IoPath,
    NewFile,
    OpenRequest,
)
from iosonde.units import SECOND_NS

MIB = 1 << 20
SIZE = 32 * MIB
PAGE = 4096
# The largest unit that file systems and drives compress.
RECORD = 128 << 10
POINTS_OFF_MAX = 3.0
SHARES = (0, 25, 50, 75, 100)


@contextmanager
def engine() -> Iterator[EngineSource]:
    source = EngineSource()
    try:
        yield source
    finally:
        source.end()


def content(folder: Path, way: Engine = Engine.PSYNC, **asked: object) -> bytes:
    """The content of a file after one write of each block."""
    asked = {"pattern": Access.SEQUENTIAL, "block_size_bytes": PAGE, "queue_depth": 4, **asked}
    workload = Workload.model_validate({"read_percent": 0, **asked})
    timing = Timing(warmup_ns=0, measure_ns=SECOND_NS, interval_ns=SECOND_NS, amount_bytes=SIZE)
    cell = CellPlan(cell="write", experiments=(Experiment.PROBE,), streams=one_stream(workload), timing=timing)
    path = folder / "content.data"
    path.unlink(missing_ok=True)
    with engine() as source:
        source.open(OpenRequest(NewFile(path=path, span_bytes=SIZE), write=True, direct=False))
        source.measure(cell, CellTurn(order=1, cell="write", repeat=1, seed=5), IoPath(way), SIZE, lambda _: None)
    return path.read_bytes()


def saved_percent(data: bytes, unit: int, level: int) -> float:
    """The space saved by compressing each unit by itself. A unit that does not shrink is stored uncompressed."""
    press = zstandard.ZstdCompressor(level=level)
    kept = sum(min(len(press.compress(data[at : at + unit])), unit) for at in range(0, len(data), unit))
    return 100 * (1 - kept / len(data))


def duplicates_percent(data: bytes, unit: int) -> float:
    """The share of units that repeat the content of an earlier unit."""
    hashes = {hashlib.blake2b(data[at : at + unit]).digest() for at in range(0, len(data), unit)}
    return 100 * (1 - len(hashes) * unit / len(data))


def check(data: bytes, compressible: int, duplicates: int, block_size_bytes: int) -> None:
    for level in (1, 3):
        for unit in (PAGE, RECORD):
            assert saved_percent(data, unit, level) == pytest.approx(compressible, abs=POINTS_OFF_MAX), (level, unit)
    for unit in {PAGE, block_size_bytes}:
        assert duplicates_percent(data, unit) == pytest.approx(duplicates, abs=POINTS_OFF_MAX), unit


@pytest.mark.parametrize("block_size_bytes", [PAGE, 16 << 10, MIB])
@pytest.mark.parametrize("share", SHARES)
def test_data_compresses_by_the_share_that_was_asked_for(tmp_path: Path, share: int, block_size_bytes: int) -> None:
    data = content(tmp_path, compressible_percent=share, block_size_bytes=block_size_bytes)
    check(data, share, 0, block_size_bytes)


@pytest.mark.parametrize("block_size_bytes", [PAGE, 64 << 10])
@pytest.mark.parametrize("share", SHARES)
def test_as_many_blocks_are_duplicates_as_were_asked_for(tmp_path: Path, share: int, block_size_bytes: int) -> None:
    data = content(tmp_path, duplicates_percent=share, block_size_bytes=block_size_bytes)
    check(data, 0, share, block_size_bytes)


@pytest.mark.parametrize(("compressible", "duplicates"), [(25, 50), (50, 25), (75, 75), (40, 10)])
def test_both_together_are_as_they_were_asked_for(tmp_path: Path, compressible: int, duplicates: int) -> None:
    data = content(tmp_path, compressible_percent=compressible, duplicates_percent=duplicates)
    check(data, compressible, duplicates, PAGE)


@pytest.mark.parametrize("queue_depth", [1, 32])
def test_blocks_that_are_written_in_any_order_hold_it_as_well(tmp_path: Path, queue_depth: int) -> None:
    with engine() as source:
        if Engine.IO_URING not in source.hello.engines:
            pytest.skip(f"io_uring is refused here ({source.hello.io_uring_refused})")
    shares = {"compressible_percent": 50, "duplicates_percent": 25}
    data = content(tmp_path, Engine.IO_URING, pattern=Permutation(), queue_depth=queue_depth, jobs=2, **shares)
    check(data, 50, 25, PAGE)


def test_threads_that_write_many_blocks_in_a_row_repeat_none_of_them(tmp_path: Path) -> None:
    check(content(tmp_path, queue_depth=32), 0, 0, PAGE)


def test_small_blocks_hold_it_in_each_of_them(tmp_path: Path) -> None:
    data = content(tmp_path, block_size_bytes=512, compressible_percent=50, queue_depth=1)
    assert saved_percent(data, PAGE, 3) == pytest.approx(50, abs=POINTS_OFF_MAX)
    assert {data[at + 256 : at + 512] for at in range(0, len(data), 512)} == {bytes(256)}


def test_the_words_mean_nothing_to_gain_half_and_all(tmp_path: Path) -> None:
    for word, share, same in ((Data.RANDOM, 0, 0), (Data.COMPRESSIBLE, 50, 0), (Data.ZEROS, 100, 100)):
        check(content(tmp_path, data=word), share, same, PAGE)
