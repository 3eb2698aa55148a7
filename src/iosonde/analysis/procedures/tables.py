"""The flat tables of standard procedures: the value of each cell in each round, and the determinations."""

from collections.abc import Sequence

from iosonde.analysis.columns import Table, integer, maybe_integer, real, text
from iosonde.analysis.procedures.determination import Determination, determinations_of
from iosonde.analysis.procedures.from_run import procedures_of
from iosonde.analysis.procedures.round_value import RoundValue
from iosonde.analysis.procedures.rounds import PhaseRounds, ProcedureRounds
from iosonde.records import RunRecord


def procedure_tables(run: RunRecord) -> dict[str, Table]:
    """``rounds`` and ``determinations``; no tables without procedures."""
    procedures = procedures_of(run)
    if not procedures:
        return {}
    judged = [(each, phase) for each in procedures for phase in each.every_judged]
    return {"rounds": _round_table(procedures), "determinations": _determination_table(judged)}


def _round_table(procedures: Sequence[ProcedureRounds]) -> Table:
    rows: list[tuple[ProcedureRounds, PhaseRounds, int, str, RoundValue]] = [
        (each, phase, number, cell, value)
        for each in procedures
        for phase in each.phases
        for number, row in enumerate(phase.values, 1)
        for cell, value in zip(phase.cells, row, strict=True)
    ]
    workloads = [phase.workloads[cell] for _, phase, _, cell, _ in rows]
    return {
        "procedure": text([each.procedure.name for each, *_ in rows]),
        "attempt": integer([each.attempt for each, *_ in rows]),
        "phase": text([phase.name for _, phase, *_ in rows]),
        "role": text([phase.role.value for _, phase, *_ in rows]),
        "round": integer([number for _, _, number, *_ in rows]),
        "in_window": text(["yes" if number in phase.window else "no" for _, phase, number, *_ in rows]),
        "tracked": text([_tracked_by(phase, cell) for _, phase, _, cell, _ in rows]),
        "cell": text([cell for *_, cell, _ in rows]),
        "pattern": text([str(each.pattern) for each in workloads]),
        "read_percent": integer([each.read_percent for each in workloads]),
        "block_size_bytes": integer([each.block_size_bytes for each in workloads]),
        "block_sizes": text([each.block_sizes and str(each.block_sizes) for each in workloads]),
        "queue_depth": integer([each.queue_depth for each in workloads]),
        "jobs": integer([each.jobs for each in workloads]),
        "iops": real([value.iops for *_, value in rows]),
        "bytes_per_s": real([value.bytes_per_s for *_, value in rows]),
        "latency_ns_mean": real([value.latency_ns_mean for *_, value in rows]),
        "latency_ns_max": maybe_integer([value.latency_ns_max for *_, value in rows]),
    }


def _tracked_by(phase: PhaseRounds, cell: str) -> str | None:
    """The quantities by which a cell is tracked: ``iops``, or several with a plus sign; None if it is not."""
    return "+".join(each.quantity.value for each in phase.tracked if each.cell == cell) or None


def _determination_table(judged: Sequence[tuple[ProcedureRounds, PhaseRounds]]) -> Table:
    rows: list[tuple[str, str, Determination]] = [
        (each.procedure.name, phase.name, found) for each, phase in judged for found in determinations_of(phase)
    ]
    found = [each for *_, each in rows]
    return {
        "procedure": text([name for name, *_ in rows]),
        "phase": text([name for _, name, _ in rows]),
        "cell": text([each.cell for each in found]),
        "quantity": text([each.quantity.value for each in found]),
        "round_first": integer([each.rounds[0] for each in found]),
        "round_last": integer([each.rounds[-1] for each in found]),
        "average": real([each.average for each in found]),
        "range_allowed": real([each.range_allowed for each in found]),
        "range_measured": real([each.range_measured for each in found]),
        "excursion_allowed": real([each.excursion_allowed for each in found]),
        "excursion_measured": real([each.excursion_measured for each in found]),
        "slope": real([each.slope for each in found]),
        "intercept": real([each.intercept for each in found]),
        "correlation": real([each.correlation for each in found]),
        "is_steady": text(["yes" if each.is_steady else "no" for each in found]),
        "reached": maybe_integer([each.reached for each in found]),
        "left": maybe_integer([each.left for each in found]),
    }
