"""Standard procedures: their rounds, measurement windows, steady state, and the figures that they report."""

from iosonde.analysis.procedures.determination import Criterion, Determination, Verdict, criteria_of, determinations_of
from iosonde.analysis.procedures.from_run import procedures_of, window_orders
from iosonde.analysis.procedures.reported import ReportedCell, window_words
from iosonde.analysis.procedures.round_value import RoundValue
from iosonde.analysis.procedures.rounds import Counted, PhaseRounds, ProcedureRounds

__all__ = [
    "Counted",
    "Criterion",
    "Determination",
    "PhaseRounds",
    "ProcedureRounds",
    "ReportedCell",
    "RoundValue",
    "Verdict",
    "criteria_of",
    "determinations_of",
    "procedures_of",
    "window_orders",
    "window_words",
]
