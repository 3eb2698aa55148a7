"""The memory of the front end does not grow with the length of a trial."""

import os
from pathlib import Path

import pytest

from iosonde.analysis.interval_series import SERIES_MAX
from iosonde.analysis.within_repeat import within_repeat
from iosonde.campaign.simulated import simulated_drive
from iosonde.records import CellTurn, Engine, IntervalRecord, Operation, Timing
from iosonde.sources import EngineSource, IoPath, OpenRequest, SimulatedDrive
from iosonde.units import SECOND_NS
from iosonde.vocabulary import Arrivals
from tests.builders import cell_plan, workload

HOURS = 100
HOUR_NS = 3600 * SECOND_NS
GROWTH_BYTES_MAX = 16 << 20


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_trial_of_a_hundred_hours_takes_no_more_memory_than_one_of_ten() -> None:
    source = EngineSource()
    drive, size_bytes = simulated_drive("sim:fixed", 1, 0)
    source.open(OpenRequest(SimulatedDrive(span_bytes=size_bytes, drive=drive), write=False, direct=True))
    timing = Timing(warmup_ns=0, measure_ns=HOURS * HOUR_NS, interval_ns=SECOND_NS)
    asked = workload(queue_depth=4).model_copy(update={"rate_per_s": 4, "arrivals": Arrivals.CONSTANT})
    cell = cell_plan(asked, timing=timing)
    memory: list[int] = []
    passed = 0

    def add(_: IntervalRecord) -> None:
        nonlocal passed
        passed += 1
        if passed % (10 * 3600) == 0:
            memory.append(resident_bytes())

    turn = CellTurn(order=1, cell=cell.cell, repeat=1, seed=1)
    record = source.measure(cell, turn, IoPath(Engine.SIMULATION), size_bytes, add)
    source.end()
    assert passed == HOURS * 3600
    assert len(memory) == HOURS // 10
    assert max(memory) - memory[0] < GROWTH_BYTES_MAX
    assert len(record.intervals) <= SERIES_MAX
    assert record.operations[Operation.READ].count == pytest.approx(HOURS * 3600 * 4, abs=4)
    assert within_repeat(record) is not None
