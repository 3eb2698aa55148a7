"""The charts of standard procedures: convergence, windows, matrices, histograms, long workloads."""

from iosonde.charts.procedures.convergence import convergence, latency_convergence
from iosonde.charts.procedures.histogram import confidence_levels
from iosonde.charts.procedures.matrix import matrix_heat_map, matrix_lines
from iosonde.charts.procedures.over_time import longest_over_time, mean_latency_over_time, rate_by_state, rate_over_time
from iosonde.charts.procedures.solid_bars import solid_bars, solid_maxima
from iosonde.charts.procedures.window import measurement_window

__all__ = [
    "confidence_levels",
    "convergence",
    "latency_convergence",
    "longest_over_time",
    "matrix_heat_map",
    "matrix_lines",
    "mean_latency_over_time",
    "measurement_window",
    "rate_by_state",
    "rate_over_time",
    "solid_bars",
    "solid_maxima",
]
