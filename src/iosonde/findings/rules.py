"""All rules, and what they find."""

from collections.abc import Callable, Iterator
from typing import Final

from iosonde.analysis.run import RunAnalysis
from iosonde.failures import STRICT, FailureLog
from iosonde.findings.case import Case
from iosonde.findings.cell_rules import CELL_RULES
from iosonde.findings.course_rules import COURSE_RULES
from iosonde.findings.device_rules import DEVICE_RULES
from iosonde.findings.discard_rules import DISCARD_RULES
from iosonde.findings.end_rules import END_RULES
from iosonde.findings.engine_rules import ENGINE_RULES
from iosonde.findings.fio_rules import FIO_RULES
from iosonde.findings.host_rules import HOST_RULES
from iosonde.findings.level_rules import LEVEL_RULES
from iosonde.findings.little_rules import LITTLE_RULES
from iosonde.findings.model import Finding, gravest_first
from iosonde.findings.pace_rules import PACE_RULES
from iosonde.findings.precision_rules import PRECISION_RULES
from iosonde.findings.run_rules import RUN_RULES
from iosonde.findings.slowest_rules import SLOWEST_RULES
from iosonde.findings.stall_rules import STALL_RULES
from iosonde.findings.target_rules import TARGET_RULES
from iosonde.findings.together_rules import TOGETHER_RULES
from iosonde.findings.trim_rules import TRIM_RULES
from iosonde.findings.verify_rules import VERIFY_RULES
from iosonde.findings.witness_rules import WITNESS_RULES

Rule = Callable[[Case], Iterator[Finding]]

RULES: Final[tuple[Rule, ...]] = (
    *RUN_RULES,
    *FIO_RULES,
    *COURSE_RULES,
    *HOST_RULES,
    *TARGET_RULES,
    *DEVICE_RULES,
    *TOGETHER_RULES,
    *CELL_RULES,
    *LITTLE_RULES,
    *WITNESS_RULES,
    *LEVEL_RULES,
    *STALL_RULES,
    *PRECISION_RULES,
    *DISCARD_RULES,
    *SLOWEST_RULES,
    *ENGINE_RULES,
    *END_RULES,
    *PACE_RULES,
    *TRIM_RULES,
    *VERIFY_RULES,
)


FINDINGS: Final = "findings"
"""The section in whose place it stands that a rule could not be asked."""


def find(case: Case, failures: FailureLog = STRICT) -> tuple[Finding, ...]:
    """What there is to say about a run, most severe first; rules of one gravity keep their order."""
    return gravest_first(finding for rule in RULES for finding in _asked(rule, case, failures))


def find_in(analysis: RunAnalysis, failures: FailureLog) -> tuple[Finding, ...]:
    """The same of a run; a rule that fails, or the analysis that all of them need, costs nothing else."""
    case = failures.attempt("the analysis that findings need", lambda: Case.of(analysis), lambda _: None, FINDINGS)
    return () if case is None else find(case, failures)


def _asked(rule: Rule, case: Case, failures: FailureLog) -> tuple[Finding, ...]:
    name = rule.__name__.strip("_").replace("_", " ")
    return failures.attempt(f"the rule of findings on {name}", lambda: tuple(rule(case)), lambda _: (), FINDINGS)
