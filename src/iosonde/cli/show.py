"""``iosonde show``: a run, or one of its cells, on the terminal."""

from pathlib import Path
from typing import Annotated

import typer

from iosonde.cli.options import RUN_HELP


def show(
    run: Annotated[Path, typer.Argument(readable=False, help=RUN_HELP, metavar="RUN", show_default=False)],
    cell: Annotated[
        str | None,
        typer.Argument(help="Name of a cell, or a unique part of it.", metavar="CELL", show_default=False),
    ] = None,
    repeat: Annotated[
        int | None,
        typer.Option(
            "--repeat", help="With CELL: show only this repeat.", min=1, max=10**6, metavar="N", show_default=False
        ),
    ] = None,
    findings: Annotated[bool, typer.Option("--findings", help="Show all findings in full.")] = False,
    no_pager: Annotated[
        bool,
        typer.Option(
            "--no-pager", help="Print without a pager. Default: use a pager if stdout is a terminal, as git does."
        ),
    ] = False,
) -> None:
    """Show a run on the terminal: summary, all cells and small charts. With CELL: all details of one cell.

    Example: [bold]iosonde show iosonde-20261120-173000-1f3a random-read-4KiB-qd1[/bold]
    """
    from iosonde.cli.pager import print_paged
    from iosonde.cli.run_outputs import analysed, stop_collecting, tell_failures
    from iosonde.errors import UsageError
    from iosonde.failures import FailureLog
    from iosonde.findings import find_in

    if cell is None and repeat is not None:
        raise UsageError("--repeat requires a cell", "specify the cell: iosonde show RUN CELL --repeat N")
    # The findings need the intervals too, which are the bulk of a journal.
    stop_collecting()
    analysis = analysed(run)
    failures = FailureLog()
    said = find_in(analysis, failures)
    if cell is None:
        from iosonde.report.terminal.run_view import render_run

        print_paged(render_run(analysis, said, all_findings=findings, failures=failures), paged=not no_pager)
        tell_failures(failures, run)
        return
    from iosonde.report.terminal.cell_choice import chosen_cell
    from iosonde.report.terminal.cell_view import render_cell

    chosen = chosen_cell(analysis.run, cell, repeat)
    print_paged(render_cell(analysis.run, chosen, said, all_findings=findings, failures=failures), paged=not no_pager)
    tell_failures(failures, run)
