"""The charts of standard procedures: convergence, windows, matrices, histograms."""

from iosonde.charts.procedures.convergence import convergence, latency_convergence
from iosonde.charts.procedures.histogram import confidence_levels
from iosonde.charts.procedures.matrix import matrix_heat_map, matrix_lines
from iosonde.charts.procedures.solid_bars import solid_bars, solid_maxima
from iosonde.charts.procedures.window import measurement_window

__all__ = [
    "confidence_levels",
    "convergence",
    "latency_convergence",
    "matrix_heat_map",
    "matrix_lines",
    "measurement_window",
    "solid_bars",
    "solid_maxima",
]
