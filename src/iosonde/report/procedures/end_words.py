"""The reason for the end of a long trial that can end early, at steady state."""

from iosonde.analysis.procedures import ProcedureRounds
from iosonde.analysis.procedures.determination import Verdict, criteria_of
from iosonde.analysis.totals import total_of
from iosonde.records import CellRecord, Operation
from iosonde.units import format_amount, format_duration
from iosonde.vocabulary import Outcome


def end_text(record: CellRecord, rounds: ProcedureRounds, targets: int) -> str:
    """Why a trial ended; empty if it failed or the record does not say."""
    timing = record.timing
    if record.outcome is Outcome.CUT:
        return "it was interrupted"
    if record.outcome is not Outcome.FINISHED:
        return ""
    if timing.amount_bytes is not None:
        totals = total_of(record.operations, Operation.ALL)
        transferred = timing.done_bytes * targets + (0 if totals is None else totals.bytes)
        if transferred >= timing.amount_bytes * targets:
            return f"it had transferred {format_amount(timing.amount_bytes * targets)}, its whole amount"
    limit_ns = timing.measure_ns if timing.amount_bytes is None else timing.limit_ns
    if limit_ns is not None and record.measured_ns >= limit_ns:
        return f"its time of {format_duration(limit_ns)} was over"
    judged = criteria_of(rounds.samples) if rounds.samples is not None else ()
    return "steady state was reached" if judged and judged[0].verdict is Verdict.REACHED else ""
