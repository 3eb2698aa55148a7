"""``iosonde check``: compares a run with expected values."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.options import RUN_HELP

if TYPE_CHECKING:
    from iosonde.expectations import CheckedResults


def check(
    run: Annotated[Path, typer.Argument(readable=False, help=RUN_HELP, metavar="RUN", show_default=False)],
    against: Annotated[
        Path, typer.Option("--against", help="TOML file with expected values.", metavar="FILE", show_default=False)
    ],
    json: Annotated[bool, typer.Option("--json", help="Print the verdicts as JSON to stdout.")] = False,
) -> None:
    """Compare a run with expected values, for example from a data sheet or an SLA.

    Each check passes, fails or is undecided. It is undecided if the 95 % confidence interval of the result contains the
    bound, or if the result has no interval. The exit code is 0 if all checks pass, 9 if any check fails, and 10 if no
    check fails and at least one is undecided.

    Example: [bold]iosonde check iosonde-20261120-173000-1f3a --against data-sheet.toml[/bold]
    """
    from iosonde.cli.expected import Expected
    from iosonde.cli.run_outputs import analysed, stop_collecting, tell_failures
    from iosonde.failures import FailureLog
    from iosonde.findings import find_in

    expected = Expected.read(against)
    stop_collecting()
    failures = FailureLog()
    analysis = analysed(run)
    checked = expected.check(analysis, find_in(analysis, failures))
    _print(checked, as_json=json)
    tell_failures(failures, run)
    _end(checked)


def _print(checked: "CheckedResults", *, as_json: bool) -> None:
    if as_json:
        typer.echo(checked.to_json())
    else:
        from iosonde.cli.text_width import print_paper
        from iosonde.report.terminal.checked import render_checked

        print_paper(render_checked(checked))


def _end(checked: "CheckedResults") -> None:
    """Raises for failed and for undecided checks."""
    from iosonde.errors import ExpectationError, UndecidedError
    from iosonde.expectations import Verdict

    failed, undecided = checked.count(Verdict.FAIL), checked.count(Verdict.UNDECIDED)
    number = len(checked.checks)
    if failed:
        raise ExpectationError(
            f"{failed} of {number} checks failed", "`iosonde show RUN CELL` shows all results of a cell"
        )
    if undecided:
        raise UndecidedError(
            f"{undecided} of {number} checks {'is' if undecided == 1 else 'are'} undecided",
            "use a longer measurement time or more repeats, or fix the causes listed above",
        )
