"""The verdicts after a comparison with expected values: what is printed, and the error to end with."""

from typing import TYPE_CHECKING, Final

import typer

from iosonde.cli.messages import say
from iosonde.errors import ExpectationError, IosondeError, UndecidedError

# Few runs have expected values, and their files' schema takes long to load.
if TYPE_CHECKING:
    from iosonde.analysis.run import RunAnalysis
    from iosonde.expectations import CheckedResults
    from iosonde.expectations.expected import Expected
    from iosonde.failures import FailureLog
    from iosonde.findings import Finding


MEASURE_LONGER: Final = "measure longer or with more repeats, or fix the causes listed above"
_UNMEASURED: Final = "none of the workloads of {name} was measured in this run"


def print_checks(checked: "CheckedResults", *, as_json: bool = False) -> None:
    """Prints the verdict of each check, and the overall verdict if they are the requirements of a purpose."""
    if as_json:
        typer.echo(checked.to_json())
        return
    from iosonde.cli.text_width import print_paper
    from iosonde.report.terminal.checked import render_checked

    print_paper(render_checked(checked))


def compared(
    analysis: "RunAnalysis", findings: "tuple[Finding, ...]", failures: "FailureLog", expected: "Expected | None"
) -> "CheckedResults | None":
    """The comparison with these values, or with those in the record. Says on stderr if none of them applies.

    None if there are no expected values.
    """
    if expected is None:
        from iosonde.report.stored_checks import stored_checks

        return stored_checks(analysis, findings, failures)
    checked = expected.check(analysis, findings)
    if checked.is_unmeasured:
        say(f"warning: {_UNMEASURED.format(name=checked.name)}")
        say(f"hint: {expected.way_out}")
    return checked


def verdict_error(checked: "CheckedResults", way_out: str = "") -> IosondeError | None:
    """The error to end with if a check failed or is undecided, else None.

    ``way_out`` is the hint if none of the values applies to a cell.
    """
    from iosonde.expectations import Verdict

    number, failed, undecided = len(checked.checks), checked.count(Verdict.FAIL), checked.count(Verdict.UNDECIDED)
    if checked.is_unmeasured and way_out:
        return UndecidedError(_UNMEASURED.format(name=checked.name), way_out)
    if checked.purpose is not None:
        return _purpose_error(checked, number, failed, undecided)
    if failed:
        return ExpectationError(
            f"{failed} of {number} checks failed", "`iosonde show RUN CELL` shows all results of a cell"
        )
    if undecided:
        return UndecidedError(
            f"{undecided} of {number} checks {'is' if undecided == 1 else 'are'} undecided",
            MEASURE_LONGER,
        )
    return None


def _purpose_error(checked: "CheckedResults", number: int, failed: int, undecided: int) -> IosondeError | None:
    if failed:
        return ExpectationError(
            f"not good enough for {checked.name}: {failed} of {number} requirements missed",
            "the report has all requirements with their sources",
        )
    if undecided:
        return UndecidedError(
            f"undecided whether it is good enough for {checked.name}: {undecided} of {number} requirements",
            MEASURE_LONGER,
        )
    return None
