"""Runs without findings, and changes that trigger one."""

from collections.abc import Sequence
from typing import Any

from iosonde.findings import Finding
from iosonde.records import (
    CellRecord,
    Censored,
    CpuUse,
    Engine,
    Fault,
    FaultKind,
    Neighbour,
    Operation,
    Outcome,
    RunRecord,
    ShareTotals,
    Sync,
    TargetShare,
    Workload,
)
from tests.builders import (
    cell_plan,
    cell_record,
    cpu_use,
    engine_facts,
    failed,
    fio_facts,
    run_record,
    target_facts,
    totals_of,
    workload,
)
from tests.judging import findings_of

MS = 1_000_000
SECOND_NS = 10**9
# 5 s at depth 8 with 1 ms each: 40,000 operations.
FULL_COUNT = 40_000
BESIDE = (Neighbour(process=71, device="sda"),)
BUFFERED = {"target": {"direct": False}}
NOT_DONE: dict[str, Any] = {"outcome": Outcome.FAILED, "failure": failed(), "count": 10}


def repeat(number: int = 1, asked: Workload | None = None, count: int | None = None, **others: Any) -> CellRecord:
    asked = asked or workload()
    latency_ns = MS
    if count is None:
        # Count and latency agree with the queue depth by Little's law.
        share = (others.get("queue_depth_achieved") or asked.queue_depth) / 8
        count = round(FULL_COUNT * min(share, 1.0)) // (2 if asked.sync is Sync.FDATASYNC else 1)
        latency_ns = round(MS * max(share, 1.0))
    direction = Operation.READ if asked.read_percent else Operation.WRITE
    operations = {direction: totals_of([latency_ns] * count)}
    if asked.sync is Sync.FDATASYNC:
        operations |= {Operation.FLUSH: totals_of([MS] * count), Operation.COMMIT: totals_of([2 * MS] * count)}
    return cell_record(cell_plan(asked), operations, repeat=number, **others)


def under_way(age_ns: int, count: int = 1) -> Censored:
    """Operations in flight at the end of the measurement, submitted ``age_ns`` before it."""
    return Censored(count=count, age_ns_min=age_ns, age_ns_max=age_ns, latency_ns_max=age_ns)


def run_of(*records: CellRecord, header: dict[str, Any] | None = None, **others: Any) -> RunRecord:
    """A run of these cells. ``header`` changes its header, with nested dicts for nested fields."""
    plans = {record.cell: cell_plan(record.workload) for record in records}
    whole_device = target_facts(span_bytes=100 * 2**30)
    repeats = max((sum(each.cell == cell for each in records) for cell in plans), default=1)
    run = run_record(list(plans.values()), records, target=whole_device, **{"repeats": repeats, **others})
    changed = _deep_update(run.header.model_dump(), header or {})
    return run.model_copy(update={"header": type(run.header).model_validate(changed)})


def _deep_update(values: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    for name, change in changes.items():
        nested = isinstance(change, dict) and isinstance(values[name], dict)
        values[name] = _deep_update(values[name], change) if nested else change
    return values


def three(**others: Any) -> list[CellRecord]:
    return [repeat(number, **others) for number in (1, 2, 3)]


def aimed(*records: CellRecord, **others: Any) -> RunRecord:
    """A run with a requested precision of 2 %."""
    aim = {"kind": "precision", "precision_percent": 2.0, "budget_ns": 60 * SECOND_NS}
    return run_of(*records, header={"plan": {"stop": aim}}, **others)


def sound(**others: Any) -> RunRecord:
    return run_of(*three(), **others)


def error(kind: FaultKind = FaultKind.ERROR) -> Fault:
    return Fault(kind=kind, operation=Operation.READ, errno=5, errno_name="EIO", count=3, offset_bytes_first=4096)


def commits(engine: Engine, achieved: float = 1.0, workers: int = 0) -> list[CellRecord]:
    asked = workload(read_percent=0, queue_depth=1, sync=Sync.FDATASYNC)
    facts = engine_facts(engine).model_copy(update={"kernel_workers": workers})
    return [repeat(number, asked, count=2_500, queue_depth_achieved=achieved, engine=facts) for number in (1, 2, 3)]


def granted(**changes: Any) -> dict[str, Any]:
    return {"engine": engine_facts().model_copy(update=changes)}


def device(**changes: Any) -> dict[str, Any]:
    return {"target": {"device": changes}}


def stolen(share: float) -> CpuUse:
    """The CPU use of one worker, with this share of five seconds as steal."""
    return cpu_use().model_copy(update={"steal_ns": round(share * 5 * SECOND_NS)})


def by_fio(**asked: Any) -> RunRecord:
    """A run measured by fio, without achieved queue depth, CPU use and operations in flight at the end."""
    unknown = {"in_flight_ns": None, "cpu": None, "censored": None, "engine": fio_facts()}
    header = {"engine": "fio", "engine_asked": "fio", "hello": {"engines": ["io_uring", "psync", "fio"]}}
    return run_of(*three(asked=workload(**asked), **unknown), header=header)


def shares(*counts: int) -> dict[str, Any]:
    """Arguments for ``repeat``: a repeat on several targets with these numbers of reads."""
    totals = [
        ShareTotals(count=each, bytes=each * 4096, latency_ns_sum=each * MS, latency_ns_max=MS) for each in counts
    ]
    found = tuple(TargetShare(in_flight_ns=0, operations={Operation.READ: each}) for each in totals)
    asked = workload().model_copy(update={"targets": len(counts)})
    return {"targets": found, "asked": asked, "queue_depth_achieved": 8.0 * len(counts)}


def on_devices(*names: str, records: Sequence[CellRecord] = ()) -> RunRecord:
    """A run with one target on each of these devices."""
    run = run_of(*(records or three()))
    first = run.header.target
    assert first.device is not None
    targets = [
        first.model_copy(update={"path": f"/srv/{number}", "device": first.device.model_copy(update={"name": name})})
        for number, name in enumerate(names, start=1)
    ]
    header = run.header.model_copy(update={"target": targets[0], "more_targets": tuple(targets[1:])})
    return run.model_copy(update={"header": header})


def ids(run: RunRecord) -> set[str]:
    return {finding.id for finding in findings_of(run)}


def only(run: RunRecord, identity: str) -> Finding:
    return next(finding for finding in findings_of(run) if finding.id == identity)
