"""``iosonde check``: compares a run with expected values."""

from pathlib import Path
from typing import Annotated

import typer

from iosonde.cli.options import AGAINST_HELP, RUN_HELP


def check(
    run: Annotated[Path, typer.Argument(readable=False, help=RUN_HELP, metavar="RUN", show_default=False)],
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            help=f"{AGAINST_HELP} Default: the values that the run was started with (--for or --against).",
            metavar="NAME|FILE",
            show_default=False,
        ),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the verdicts as JSON to stdout.")] = False,
) -> None:
    """Compare a run with expected values, for example from a data sheet or an SLA.

    Each check passes, fails or is undecided. It is undecided if the 95 % confidence interval of the result contains the
    bound, or if the result has no interval. The exit code is 0 if all checks pass, 9 if any check fails, and 10 if no
    check fails and at least one is undecided. The requirements of a purpose also have a verdict for all of them.

    Example: [bold]iosonde check iosonde-20261120-173000-1f3a --against intel-d3-s4510[/bold]
    """
    from iosonde.cli.bounds import bounds_named
    from iosonde.cli.run_outputs import analysed, stop_collecting, tell_failures
    from iosonde.cli.verdicts import print_checks, verdict_error
    from iosonde.expectations.expected import own_values
    from iosonde.failures import FailureLog
    from iosonde.findings import find_in

    expected = bounds_named(against)
    stop_collecting()
    failures = FailureLog()
    analysis = analysed(run)
    expected = expected or own_values(analysis.run, run)
    checked = expected.check(analysis, find_in(analysis, failures))
    print_checks(checked, as_json=json)
    tell_failures(failures, run)
    error = verdict_error(checked, expected.way_out)
    if error is not None:
        raise error
