"""``iosonde list``: the runs below a directory."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.messages import say
from iosonde.vocabulary import ListOrder

if TYPE_CHECKING:
    from iosonde.report.terminal.run_list import ListedRun
    from iosonde.store import RunLocation


def list_runs(
    folder: Annotated[Path, typer.Argument(readable=False, help="Directory to search.", metavar="DIR")] = Path(),
    sort: Annotated[
        ListOrder, typer.Option("--sort", help="Sort order: newest run or best result first.")
    ] = ListOrder.STARTED,
    json: Annotated[bool, typer.Option("--json", help="Print the list as JSON to stdout.")] = False,
) -> None:
    """List the runs in and below DIR, one per line: target, state, highest 4 KiB random-read IOPS.

    Example: [bold]iosonde list results --sort iops[/bold]

    Hidden directories are skipped. Only the header and the totals of each run are read; `iosonde show RUN` reads and
    checks the whole run.
    """
    from iosonde.report.terminal.run_list import in_order, render_runs
    from iosonde.store import runs_below

    if not folder.is_absolute():
        # A removed working directory can still be read, as an empty one.
        Path.cwd()
    runs = in_order([_looked_at(location) for location in runs_below(folder)], sort)
    if json:
        from pydantic import TypeAdapter

        from iosonde.report.terminal.run_list import ListedRun

        typer.echo(TypeAdapter(list[ListedRun]).dump_json(runs, indent=1).decode())
    elif runs:
        from iosonde.cli.text_width import print_paper

        print_paper(render_runs(runs))
    else:
        say(f"no runs in or below {folder}")


def _looked_at(location: "RunLocation") -> "ListedRun":
    """The line of one location. An error in it does not stop the list."""
    from iosonde.errors import NewerError, RecordError
    from iosonde.failures import FailureLog
    from iosonde.printing import encodable
    from iosonde.report.terminal.run_list import ListedRun, RunState, headline_cells, listed_run
    from iosonde.store import summarise_run

    name = encodable(str(location.path))
    if location.unreadable:
        return ListedRun(name, RunState.UNREADABLE, f"cannot be read: {location.unreadable}")
    try:
        return listed_run(location.path, summarise_run(location.path, headline_cells))
    except RecordError as error:
        reason = error.message.removeprefix(str(location.path)).lstrip("/ ")
        state = RunState.NEWER if isinstance(error, NewerError) else RunState.DAMAGED
        return ListedRun(name, state, reason)
    except Exception as error:  # noqa: BLE001 - a bug affects this line only
        reason = FailureLog().note("the list entry for this run", error).statement
        return ListedRun(name, RunState.UNREADABLE, reason)
