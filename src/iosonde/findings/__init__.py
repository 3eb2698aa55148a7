"""Rules take the estimates of a run and return findings. A finding is one statement about the validity of results.

Each rule is a function from a case to findings, in the file of its subject. `docs/findings.md` describes each id.
"""

from iosonde.findings.case import Case
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.findings.rules import RULES, find, find_in
from iosonde.findings.throughput import describe_regimes

__all__ = ["RULES", "Case", "Confidence", "Finding", "Severity", "describe_regimes", "find", "find_in"]
