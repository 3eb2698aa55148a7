"""What is expected of a run or of printed results, from a file that somebody wrote, and whether they meet it.

A verdict is passed by the 95 % interval of a figure, or by what the digits of a printed one leave: where that holds the
bound, or where there is none, nothing is decided.
"""

from iosonde.expectations.file import ExpectationsTable, expectations_schema
from iosonde.expectations.judge import Checked, CheckedResults, Verdict, check_results
from iosonde.expectations.read_expectations import read_expectations

__all__ = [
    "Checked",
    "CheckedResults",
    "ExpectationsTable",
    "Verdict",
    "check_results",
    "expectations_schema",
    "read_expectations",
]
