"""Cells of a campaign of one's own, drawn for what varies among them."""

from iosonde.charts.matrix.charts import matrix_bandwidth, matrix_charts, matrix_iops, matrix_latency, matrix_p99
from iosonde.charts.matrix.form import Choice, Form, choose

__all__ = [
    "Choice",
    "Form",
    "choose",
    "matrix_bandwidth",
    "matrix_charts",
    "matrix_iops",
    "matrix_latency",
    "matrix_p99",
]
