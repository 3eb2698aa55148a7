"""Rules: estimates in, statements about validity out. Everything that iosonde says about its numbers is a finding.

A rule is a function from a case to findings, in the file of its subject; `docs/findings.md` describes each by its id.
"""

from iosonde.findings.case import Case
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.findings.rules import RULES, find, find_in
from iosonde.findings.throughput import describe_levels

__all__ = ["RULES", "Case", "Confidence", "Finding", "Severity", "describe_levels", "find", "find_in"]
