"""Compares the results of a run or of a document with a file of expected values.

The verdict depends on the 95 % interval of a value, or on the rounding of a printed one. If the interval contains the
bound, or if there is no interval, the verdict is undecided.
"""

from iosonde.expectations.file import ExpectationsTable, expectations_schema
from iosonde.expectations.judge import Checked, CheckedResults, check_results
from iosonde.expectations.read_expectations import read_expectations
from iosonde.expectations.verdict import Verdict

__all__ = [
    "Checked",
    "CheckedResults",
    "ExpectationsTable",
    "Verdict",
    "check_results",
    "expectations_schema",
    "read_expectations",
]
