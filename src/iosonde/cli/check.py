"""``iosonde check``: a run against what was expected of it."""

from pathlib import Path
from typing import Annotated

import typer

from iosonde.cli.options import RUN_HELP


def check(
    run: Annotated[Path, typer.Argument(readable=False, help=RUN_HELP, metavar="RUN", show_default=False)],
    against: Annotated[
        Path, typer.Option("--against", help="A TOML file of expected values.", metavar="FILE", show_default=False)
    ],
    json: Annotated[bool, typer.Option("--json", help="Print the verdicts as JSON to stdout.")] = False,
) -> None:
    """Hold a run against expected values, such as a data sheet's or an SLA's: pass, fail or undecided.

    The 95 % interval of a figure decides; where it holds the bound, or where there is none, nothing is decided. The
    exit code is 0 where all pass, 9 where one fails, and 10 where none fails and one is undecided.

    Example: [bold]iosonde check iosonde-20261120-173000-1f3a --against data-sheet.toml[/bold]
    """
    from iosonde.cli.publish import analysed, stop_collecting, tell_failures
    from iosonde.errors import ExpectationError, UndecidedError
    from iosonde.expectations import Verdict, check_run, read_expectations
    from iosonde.failures import FailureLog
    from iosonde.findings import find_in
    from iosonde.plans.mistakes import read_text

    text = read_text(str(against), "a file of expected values", "see docs/guides/expectations.md")
    expected = read_expectations(text, str(against))
    stop_collecting()
    analysis = analysed(run)
    failures = FailureLog()
    findings = find_in(analysis, failures)
    checked = check_run(analysis.run.header.run, analysis.estimates, findings, expected, (str(against), text))
    if json:
        from pydantic import TypeAdapter

        typer.echo(TypeAdapter(type(checked)).dump_json(checked, indent=1).decode())
    else:
        from iosonde.cli.paper import print_paper
        from iosonde.report.terminal.checked import render_checked

        print_paper(render_checked(checked))
    tell_failures(failures, run)
    failed, undecided = checked.count(Verdict.FAIL), checked.count(Verdict.UNDECIDED)
    number = len(checked.checks)
    if failed:
        raise ExpectationError(
            f"{failed} of {number} checks failed", "`iosonde show RUN CELL` shows all that was measured of a cell"
        )
    if undecided:
        raise UndecidedError(
            f"{undecided} of {number} checks are undecided",
            "measure longer, with more repeats, or mend what is said above",
        )
