"""A signal that arrives as a cell ends."""

import pytest

from iosonde.plans.models import load_model
from iosonde.records import (
    Access,
    CellPlan,
    CellTurn,
    Engine,
    Experiment,
    IntervalRecord,
    Outcome,
    SimulationFacts,
    Timing,
    Workload,
    one_stream,
)
from iosonde.sources import (
    EngineSource,
    Interrupted,
    IoPath,
    OpenRequest,
    SimulatedDrive,
)

MS = 1_000_000
INTERVALS = 5


def test_a_cell_that_ended_as_the_signal_came_is_cut_and_measured_again() -> None:
    model = load_model("mm1")
    drive = SimulationFacts(model="mm1", title=model.title, table=model.parameters, seed=1)
    workload = Workload(pattern=Access.RANDOM, read_percent=100, block_size_bytes=4096, queue_depth=1)
    timing = Timing(warmup_ns=0, measure_ns=INTERVALS * 10 * MS, interval_ns=10 * MS)
    plan = CellPlan(cell="short", experiments=(Experiment.PROBE,), streams=one_stream(workload), timing=timing)
    seen = 0

    def signal_at_the_end(_: IntervalRecord) -> None:
        nonlocal seen
        seen += 1
        if seen == INTERVALS:
            raise KeyboardInterrupt

    source = EngineSource()
    try:
        source.open(OpenRequest(SimulatedDrive(span_bytes=model.size_bytes, drive=drive), write=False, direct=True))
        turn = CellTurn(order=1, cell="short", repeat=1, seed=7)
        with pytest.raises(Interrupted) as interrupted:
            source.measure(plan, turn, IoPath(Engine.SIMULATION), model.size_bytes, signal_at_the_end)
    finally:
        source.end()
    # The engine had finished the cell, but the front end may have missed intervals.
    assert seen == INTERVALS
    assert interrupted.value.cell.outcome is Outcome.CUT
