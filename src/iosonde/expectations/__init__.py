"""What is expected of a run, from a file that somebody wrote, and whether the run meets it.

A verdict is passed by the 95 % interval of a figure: where that holds the bound, or where there is none, nothing is
decided.
"""

from iosonde.expectations.file import ExpectationsTable, expectations_schema
from iosonde.expectations.judge import Checked, CheckedRun, Verdict, check_run, judge
from iosonde.expectations.read_expectations import read_expectations

__all__ = [
    "Checked",
    "CheckedRun",
    "ExpectationsTable",
    "Verdict",
    "check_run",
    "expectations_schema",
    "judge",
    "read_expectations",
]
