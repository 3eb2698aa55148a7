"""The rounds of the procedures of a run."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from iosonde.analysis.latency import leading
from iosonde.analysis.procedures.judged_samples import judged_samples
from iosonde.analysis.procedures.round_value import RoundValue
from iosonde.analysis.procedures.rounds import PhaseRounds, ProcedureRounds
from iosonde.analysis.procedures.titles import titled_apart
from iosonde.analysis.rounds import drain_ns, gap_ns
from iosonde.analysis.samples import value_of
from iosonde.analysis.states import WindowOrders, measured_repeats
from iosonde.analysis.totals import total_of
from iosonde.records import (
    CellRecord,
    CellTurn,
    PhasePlan,
    Procedure,
    RunRecord,
    SteadyState,
    Workload,
)
from iosonde.vocabulary import Outcome, Quantity

_Trial = tuple[CellTurn, CellRecord]


def procedures_of(run: RunRecord) -> tuple[ProcedureRounds, ...]:
    """The procedures of a run with the rounds of their last attempts; none if the run has no procedures.

    Their titles are different.
    """
    trials = _last_attempts(run)

    def samples_of(procedure: Procedure) -> PhaseRounds | None:
        first = {turn.phase: record for turn, record in reversed(trials.get(procedure.name, ()))}
        found = (judged_samples(phase, first[phase.name]) for phase in procedure.phases if phase.name in first)
        return next(filter(None, found), None)

    return tuple(
        ProcedureRounds(
            procedure=each,
            phases=_phases(run, each, trials.get(each.name, ()), round_value),
            samples=samples_of(each),
            attempt=max((turn.attempt for turn, _ in trials.get(each.name, ())), default=1),
            is_begun=each.name in trials,
        )
        for each in titled_apart(run.header.plan.procedures)
    )


def phases_of(
    run: RunRecord, procedure: Procedure, value: Callable[[CellRecord], RoundValue]
) -> tuple[PhaseRounds, ...]:
    """The rounds of the last attempt of a procedure, with other values of its trials, such as those on one target."""
    return _phases(run, procedure, _last_attempts(run).get(procedure.name, ()), value)


def _phases(
    run: RunRecord, procedure: Procedure, trials: Sequence[_Trial], value: Callable[[CellRecord], RoundValue]
) -> tuple[PhaseRounds, ...]:
    planned = {cell.cell: cell for cell in run.header.plan.cells}

    def phase_of(phase: PhasePlan) -> PhaseRounds:
        mine = [each for each in trials if each[0].phase == phase.name]
        names = dict.fromkeys((*phase.cells, *(turn.cell for turn, _ in mine)))
        workloads = {name: planned[name].workload for name in names if name in planned}
        return _phase(phase, mine, workloads, procedure.gap_ns_max, value)

    return tuple(map(phase_of, procedure.phases))


def window_orders(run: RunRecord) -> WindowOrders:
    """The trials that results include: those in the windows of the last attempt of each procedure."""
    last: set[int] = set()
    earlier: set[int] = set()
    trials = _last_attempts(run)
    for procedure in run.header.plan.procedures:
        mine = trials.get(procedure.name, [])
        last_phase = {turn.cell: turn.phase for turn, _ in mine}
        for phase in procedure.phases:
            own = [(turn, record) for turn, record in mine if turn.phase == phase.name]
            rows = _complete(phase, own)
            size = phase.stop.window if isinstance(phase.stop, SteadyState) else len(rows)
            for row in rows[-size:] if rows else [own]:
                for turn, _ in row:
                    (last if last_phase[turn.cell] == phase.name else earlier).add(turn.order)
    return WindowOrders(frozenset(last), frozenset(earlier))


def last_attempts(run: RunRecord) -> frozenset[int]:
    """The orders of the trials of the last attempt of each procedure."""
    return frozenset(turn.order for trials in _last_attempts(run).values() for turn, _ in trials)


def discarded_attempts(run: RunRecord) -> int:
    """The number of trials of earlier attempts of procedures that began again; no result includes them."""
    return len({record.order for record in run.cells} - last_attempts(run)) if run.header.plan.procedures else 0


def trials_of_procedure(run: RunRecord, name: str) -> tuple[CellRecord, ...]:
    """The trials of the last attempt of a procedure, in run order."""
    return tuple(record for _, record in _last_attempts(run).get(name, ()))


def trials_of_phase(run: RunRecord, name: str, phase: str) -> tuple[CellRecord, ...]:
    """The trials of one phase of the last attempt of a procedure, in run order."""
    return tuple(record for turn, record in _last_attempts(run).get(name, ()) if turn.phase == phase)


def _last_attempts(run: RunRecord) -> dict[str, list[_Trial]]:
    """The trials of the last attempt of each procedure that has begun, in run order."""
    # A trial on several hosts has a record and a turn for each. Cells of procedures have a single stream.
    records = {each.order: each for each in reversed(run.cells)}
    turns = {each.order: each for each in reversed(run.turns)}
    by_procedure: dict[str, list[_Trial]] = defaultdict(list)
    attempts: dict[str, int] = defaultdict(int)
    for start in run.procedure_starts:
        attempts[start.procedure] = max(attempts[start.procedure], start.attempt)
    for turn in sorted(turns.values(), key=lambda each: each.order):
        record = records.get(turn.order)
        if turn.procedure is None or record is None:
            continue
        attempts[turn.procedure] = max(attempts[turn.procedure], turn.attempt)
        by_procedure[turn.procedure].append((turn, record))
    return {name: [each for each in found if each[0].attempt == attempts[name]] for name, found in by_procedure.items()}


def _phase(
    phase: PhasePlan,
    trials: Sequence[_Trial],
    workloads: Mapping[str, Workload],
    gap_ns_max: int,
    value: Callable[[CellRecord], RoundValue],
) -> PhaseRounds:
    rows = _complete(phase, trials)
    cells = phase.cells or tuple(turn.cell for turn, _ in rows[0]) if rows else phase.cells
    counted = {record.order for record in measured_repeats([record for _, record in trials])}
    gaps = list(_gaps([each for row in rows for each in row]))
    drains = [drain_ns(record) for row in rows for _, record in row]
    known = [gap for _, gap in gaps if gap is not None]
    return PhaseRounds(
        name=phase.name,
        role=phase.role,
        cells=cells,
        workloads=workloads,
        values=tuple(
            tuple(value(record) if record.order in counted else RoundValue() for _, record in row) for row in rows
        ),
        rule=phase.stop if isinstance(phase.stop, SteadyState) else None,
        broken=frozenset(number for number, gap in gaps if gap is not None and gap > gap_ns_max)
        if len(known) == len(gaps)
        else None,
        gap_ns_longest=max(known, default=None),
        drain_ns_longest=max((each for each in drains if each is not None), default=None),
    )


def _complete(phase: PhasePlan, trials: Sequence[_Trial]) -> list[list[_Trial]]:
    """The trials of each complete round. Cells at operating points are known only from the trials.

    In a phase that runs until steady state, a round with an interrupted trial is not complete. In other phases, the
    results of an interrupted trial are those up to its end.
    """
    rows: dict[int, list[_Trial]] = defaultdict(list)
    for turn, record in trials:
        rows[turn.round or 1].append((turn, record))
    length = len(phase.cells) or max(map(len, rows.values()), default=0)
    whole = [rows[number] for number in sorted(rows) if len(rows[number]) == length]
    if not isinstance(phase.stop, SteadyState):
        return whole
    return [row for row in whole if all(record.outcome is not Outcome.CUT for _, record in row)]


def _gaps(trials: Sequence[_Trial]) -> Iterator[tuple[int, int | None]]:
    """The round of each trial but the first, with the time since the trial before it."""
    for (_, before), (turn, after) in pairwise(trials):
        yield turn.round or 1, gap_ns(before, after)


def round_value(record: CellRecord) -> RoundValue:
    """The values of one trial that counts. If no operation completed, it is a throughput of 0, without latency."""
    totals = total_of(record.operations, record.workload.subject)
    if totals is None or not totals.count:
        return RoundValue(iops=0.0, bytes_per_s=0.0) if record.is_silent else RoundValue()
    found = leading(totals)
    return RoundValue(
        iops=value_of([totals], record.measured_ns, Quantity.IOPS),
        bytes_per_s=value_of([totals], record.measured_ns, Quantity.BYTES_PER_S),
        latency_ns_mean=value_of([totals], record.measured_ns, Quantity.LATENCY_NS_MEAN),
        latency_ns_min=found.latency_ns_min,
        latency_ns_max=found.latency_ns_max,
        latency=found.latency,
    )
