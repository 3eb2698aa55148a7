"""The comparison of a run with the expected values in its record."""

from typing import TYPE_CHECKING

from iosonde.analysis.run import RunAnalysis
from iosonde.failures import FailureLog
from iosonde.findings import Finding

if TYPE_CHECKING:
    from iosonde.expectations import CheckedResults


def stored_checks(
    analysis: RunAnalysis, findings: tuple[Finding, ...], failures: FailureLog
) -> "CheckedResults | None":
    """The comparison with the expected values in the record of a run; None if it has none."""
    # Few runs have expected values, and their schema takes long to load.
    if analysis.run.header.expected is None:
        return None
    from iosonde.expectations.expected import check_stored

    return check_stored(analysis, findings, failures)
