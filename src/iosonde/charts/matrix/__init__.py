"""Charts of user-defined campaigns. Their form depends on the parameters in which the cells differ."""

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
