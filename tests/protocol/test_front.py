"""The front's side of the wall: it says what was recorded, and understands what was answered."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from iosonde.analysis.totals import merge_totals
from iosonde.campaign.simulated import simulated_drive
from iosonde.errors import EngineError, IosondeError, TargetError, UsageError
from iosonde.records import (
    INTERVAL_FORM,
    Access,
    CellPlan,
    CellRecord,
    CellTurn,
    Engine,
    Experiment,
    IntervalRecord,
    Operation,
    Outcome,
    Phase,
    SimulationFacts,
    Sync,
    Timing,
    Workload,
    one_stream,
)
from iosonde.sources import (
    EngineSource,
    IoPath,
    NewFile,
    NullTarget,
    OpenRequest,
    SimulatedDrive,
)
from iosonde.sources.engine.assemble import assemble_cell
from iosonde.sources.engine.refusals import refusal

FOLDER = Path(__file__).parent
TRANSCRIPTS = FOLDER.parent / "fixtures/wall"
SPAN_BYTES = 16 << 20
MS = 1_000_000
SHORT = Timing(warmup_ns=100 * MS, measure_ns=300 * MS, interval_ns=100 * MS)


def replaying(name: str, folder: Path) -> EngineSource:
    return EngineSource([sys.executable, FOLDER / "replay.py", TRANSCRIPTS / name, str(folder)])


def cell(timing: Timing = SHORT, **workload: object) -> CellPlan:
    asked = Workload.model_validate(
        {"pattern": Access.RANDOM, "read_percent": 100, "block_size_bytes": 4096, "queue_depth": 4, **workload}
    )
    return CellPlan(cell="recorded", experiments=(Experiment.PROBE,), streams=one_stream(asked), timing=timing)


def new_file(path: Path) -> OpenRequest:
    return OpenRequest(NewFile(path=path, span_bytes=SPAN_BYTES), write=True, direct=False)


def filling(targets: int = 1) -> CellPlan:
    return cell(
        SHORT.model_copy(update={"amount_bytes": SPAN_BYTES}),
        pattern=Access.SEQUENTIAL,
        read_percent=0,
        block_size_bytes=1 << 20,
        queue_depth=2,
        targets=targets,
    )


def measure(
    source: EngineSource, plan: CellPlan, engine: Engine, order: int = 1
) -> tuple[CellRecord, list[IntervalRecord]]:
    intervals: list[IntervalRecord] = []
    turn = CellTurn(order=order, cell=plan.cell, repeat=1, seed=7)
    return source.measure(plan, turn, IoPath(engine), SPAN_BYTES, intervals.append), intervals


@pytest.fixture
def ending() -> Iterator[list[EngineSource]]:
    sources: list[EngineSource] = []
    yield sources
    for source in sources:
        source.end()


def test_a_job_on_nothing_is_asked_for_as_recorded_and_its_answer_becomes_a_record(
    tmp_path: Path, ending: list[EngineSource]
) -> None:
    source = replaying("null.jsonl", tmp_path)
    ending.append(source)
    assert source.calibrate() > 0
    assert source.hello.overhead_ns_per_io is not None
    assert source.hello.clock_read_ns
    opened = source.open(OpenRequest(NullTarget(span_bytes=SPAN_BYTES), write=True, direct=True))
    assert (opened.size_bytes, opened.identity, opened.alignment.source) == (SPAN_BYTES, None, "none")
    record, intervals = measure(source, cell(read_percent=70), Engine.NULL)
    assert record.outcome is Outcome.FINISHED
    assert record.intervals == tuple(intervals)
    assert {Operation.READ, Operation.WRITE} == set(record.operations)
    source.close()


@pytest.mark.parametrize(("limit_ms", "is_whole"), [(50, False), (10_000, True)])
def test_a_cell_with_an_amount_and_a_limit_ends_with_whichever_is_first(
    limit_ms: int, is_whole: bool, ending: list[EngineSource]
) -> None:
    source = EngineSource()
    ending.append(source)
    drive, size_bytes = simulated_drive("sim:fixed", 1, 0)
    source.open(OpenRequest(SimulatedDrive(span_bytes=size_bytes, drive=drive), write=True, direct=True))
    timing = SHORT.model_copy(update={"amount_bytes": SPAN_BYTES, "limit_ns": limit_ms * MS, "warmup_ns": 0})
    record, _ = measure(source, cell(timing), Engine.SIMULATION)
    assert record.outcome is Outcome.FINISHED
    assert (record.operations[Operation.READ].bytes == SPAN_BYTES) is is_whole
    assert (record.measured_ns == limit_ms * MS) is not is_whole
    assert record.timing == timing


def test_totals_are_the_measured_intervals_added_up(tmp_path: Path, ending: list[EngineSource]) -> None:
    source = replaying("null.jsonl", tmp_path)
    ending.append(source)
    source.calibrate()
    source.open(OpenRequest(NullTarget(span_bytes=SPAN_BYTES), write=True, direct=True))
    record, intervals = measure(source, cell(read_percent=70), Engine.NULL)
    measured = [each.operations[Operation.READ] for each in intervals if each.phase is Phase.MEASURE]
    warmup = [each.operations[Operation.READ] for each in intervals if each.phase is Phase.WARMUP]
    reads = record.operations[Operation.READ]
    assert reads.count == sum(each.count for each in measured) == sum(reads.latency.count)
    assert record.warmup[Operation.READ].count == sum(each.count for each in warmup)
    assert record.measured_ns == 300 * MS


def test_a_file_is_filled_flushed_and_measured_as_recorded(tmp_path: Path, ending: list[EngineSource]) -> None:
    source = replaying("file.jsonl", tmp_path)
    ending.append(source)
    opened = source.open(new_file(tmp_path / "target"))
    assert opened.created
    assert opened.identity is not None
    assert opened.identity.size_bytes == SPAN_BYTES
    fill = filling()
    record, _ = measure(source, fill, Engine.PSYNC)
    assert record.operations[Operation.WRITE].bytes == SPAN_BYTES
    source.sync()
    record, _ = measure(source, cell(queue_depth=2), Engine.PSYNC)
    assert record.own_engine is not None
    assert record.own_engine.workers == 2
    record, _ = measure(source, cell(queue_depth=1, read_percent=0, sync=Sync.FDATASYNC), Engine.PSYNC)
    assert set(record.operations) == {Operation.WRITE, Operation.FLUSH, Operation.COMMIT}
    source.close()


def test_two_files_are_measured_at_the_same_time_as_recorded(tmp_path: Path, ending: list[EngineSource]) -> None:
    source = replaying("targets.jsonl", tmp_path)
    ending.append(source)
    for name in ("first", "second"):
        source.open(new_file(tmp_path / name))
    fill = filling(targets=2)
    record, _ = measure(source, fill, Engine.PSYNC)
    assert [share.operations[Operation.WRITE].bytes for share in record.targets] == [SPAN_BYTES, SPAN_BYTES]
    source.sync()
    record, _ = measure(source, cell(queue_depth=2, targets=2), Engine.PSYNC)
    assert (
        sum(share.operations[Operation.READ].count for share in record.targets)
        == record.operations[Operation.READ].count
    )
    record, _ = measure(source, cell(queue_depth=2), Engine.PSYNC)
    assert len(record.targets) == 1
    source.close()


def test_a_simulated_drive_is_opened_and_measured_as_recorded(tmp_path: Path, ending: list[EngineSource]) -> None:
    source = replaying("simulation.jsonl", tmp_path)
    ending.append(source)
    table = {
        "kind": "queueing",
        "size_bytes": SPAN_BYTES,
        "servers": 2,
        "service": "exponential",
        "service_ns": 100_000,
    }
    drive = SimulationFacts(model="mine", title="mine", table=table, seed=7)
    opened = source.open(OpenRequest(SimulatedDrive(span_bytes=SPAN_BYTES, drive=drive), write=True, direct=True))
    assert (opened.size_bytes, opened.identity) == (SPAN_BYTES, None)
    fill = filling()
    record, _ = measure(source, fill, Engine.SIMULATION)
    assert record.drives[0].health.host_written_bytes == SPAN_BYTES
    assert record.cpu is None
    source.sync()


def test_what_an_open_loop_adds_is_added_up_as_well() -> None:
    lines = (TRANSCRIPTS / "simulation.jsonl").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line).get("event", {}) for line in lines]
    paced = [event["interval"] for event in events if event.get("type") == "interval" and event["id"] == 6]
    intervals = [INTERVAL_FORM.validate_python(interval) for interval in paced]
    measured = [each.operations[Operation.READ] for each in intervals if each.phase is Phase.MEASURE]
    total = merge_totals(measured)
    assert total is not None
    assert total.response is not None
    assert total.lag is not None
    assert sum(total.response.histogram.count) == total.count
    assert total.response.ns_sum == sum(each.response.ns_sum for each in measured if each.response is not None)
    assert total.response.ns_sum >= total.latency_ns_sum, "an operation is wanted before it is submitted"


def test_an_engine_that_does_io_has_to_say_what_cpu_time_it_took() -> None:
    lines = (TRANSCRIPTS / "null.jsonl").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line).get("event", {}) for line in lines]
    result = next(event["result"] for event in events if event.get("type") == "finished")
    turn = CellTurn(order=1, cell="recorded", repeat=1, seed=7)
    with pytest.raises(EngineError, match="cpu is missing"):
        assemble_cell(cell(), turn, [], {**result, "cpu": None})


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("target_missing", TargetError),
        ("bad_model", UsageError),
        ("engine_refused", EngineError),
        ("never heard of", EngineError),
    ],
)
def test_a_refusal_becomes_an_error_with_the_engine_s_words_and_a_hint(kind: str, error: type[IosondeError]) -> None:
    raised = refusal({"type": "error", "id": 1, "kind": kind, "message": "what the engine saw"})
    assert type(raised) is error
    assert raised.message == "what the engine saw"
    assert raised.hint


def test_an_engine_of_another_protocol_is_refused() -> None:
    hello = (
        '{"type":"hello","protocol":99,"version":"9","build_profile":"release","engines":[],"io_uring_refused":null}'
    )
    with pytest.raises(EngineError, match="protocol version 99"):
        EngineSource([sys.executable, "-c", f"print('{hello}', flush=True); input()"])


def speaking(words: str) -> list[str]:
    """A program that says hello and then, at the first command, what it is told to."""
    hello = '{"type":"hello","protocol":2,"version":"1","build_profile":"release","engines":[],"io_uring_refused":null}'
    return [sys.executable, "-c", f"import sys\nprint('{hello}', flush=True)\ninput()\n{words}"]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("sys.exit(3)", "exited with code 3"),
        ("import os; os.kill(os.getpid(), 9)", "killed by SIGKILL"),
        ("print('not json', flush=True); input()", "a line is not JSON"),
        ("print('[]', flush=True); input()", "a line is not a JSON object"),
        ("print('x' * (5 << 20), flush=True); input()", "a line is longer than"),
        (
            'print(\'{"type":"synced","id":77}\', flush=True); input()',
            "expected a response to command 1, received one to 77",
        ),
    ],
)
def test_a_broken_engine_is_named_in_one_line(words: str, complaint: str, ending: list[EngineSource]) -> None:
    source = EngineSource(speaking(words))
    ending.append(source)
    with pytest.raises(EngineError, match=complaint):
        source.sync()


def states_of(source: EngineSource, purge_after: int) -> list[str]:
    """The states of a drive after each of three trials, with a purge after one of them."""
    states = []
    for order in range(1, 4):
        record, _ = measure(source, cell(read_percent=0), Engine.SIMULATION, order)
        states.append(record.drives[0].state_hash)
        if order == purge_after:
            assert source.purge_simulated()
    return states


def simulated(word: str, ending: list[EngineSource]) -> EngineSource:
    source = EngineSource()
    ending.append(source)
    drive, size_bytes = simulated_drive(word, 1, 0)
    source.open(OpenRequest(SimulatedDrive(span_bytes=size_bytes, drive=drive), write=True, direct=True))
    return source


def test_a_purge_of_a_simulated_drive_changes_its_state_in_the_same_way_each_time(ending: list[EngineSource]) -> None:
    first, again, never = (states_of(simulated("sim:usb-stick", ending), purge_after) for purge_after in (2, 2, 0))
    assert first == again
    assert first[:2] == never[:2]
    assert first[2] != never[2]


def test_a_purge_leaves_the_counters_of_a_simulated_drive(ending: list[EngineSource]) -> None:
    source = simulated("sim:usb-stick", ending)
    before, _ = measure(source, cell(read_percent=0), Engine.SIMULATION)
    assert source.purge_simulated()
    after, _ = measure(source, cell(read_percent=100), Engine.SIMULATION, 2)
    assert after.drives[0].health.host_written_bytes == before.drives[0].health.host_written_bytes


@pytest.mark.parametrize("word", ["sim:disk-7200", "sim:cloud-burst", "sim:fixed"])
def test_a_drive_without_an_erased_state_is_not_purged(word: str, ending: list[EngineSource]) -> None:
    assert not simulated(word, ending).purge_simulated()


def test_without_simulated_drives_nothing_is_purged(ending: list[EngineSource]) -> None:
    source = EngineSource()
    ending.append(source)
    source.open(OpenRequest(NullTarget(span_bytes=SPAN_BYTES), write=True, direct=True))
    assert not source.purge_simulated()
