"""``iosonde list``: the runs below a folder."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iosonde.cli.messages import say
from iosonde.vocabulary import ListOrder

if TYPE_CHECKING:
    from iosonde.report.terminal.run_list import ListedRun
    from iosonde.store import RunLocation


def list_runs(
    folder: Annotated[Path, typer.Argument(readable=False, help="The folder to look below.", metavar="DIR")] = Path(),
    sort: Annotated[
        ListOrder, typer.Option("--sort", help="What comes first: the newest run, or the best figure.")
    ] = ListOrder.STARTED,
    json: Annotated[bool, typer.Option("--json", help="Print the list as JSON to stdout.")] = False,
) -> None:
    """List the runs below DIR, a line each: target, state, highest 4 KiB random read. Hidden folders are left out.

    Example: [bold]iosonde list results --sort iops[/bold]

    Only heads and totals are read; `iosonde show RUN` reads all of a run, and checks it.
    """
    from iosonde.report.terminal.run_list import in_order, render_runs
    from iosonde.store import runs_below

    runs = in_order([_looked_at(location) for location in runs_below(folder)], sort)
    if json:
        from pydantic import TypeAdapter

        from iosonde.report.terminal.run_list import ListedRun

        typer.echo(TypeAdapter(list[ListedRun]).dump_json(runs, indent=1).decode())
    elif runs:
        from iosonde.cli.paper import print_paper

        print_paper(render_runs(runs))
    else:
        say(f"no run lies in or below {folder}")


def _looked_at(location: "RunLocation") -> "ListedRun":
    """The line of one location. Whatever is wrong with it, the list goes on."""
    from iosonde.errors import NewerError, RecordError
    from iosonde.failures import FailureLog
    from iosonde.printing import encodable
    from iosonde.report.terminal.run_list import ListedRun, RunState, headline_cells, listed_run
    from iosonde.store import glance_at

    name = encodable(str(location.path))
    if location.unreadable:
        return ListedRun(name, RunState.UNREADABLE, f"can't be read: {location.unreadable}")
    try:
        return listed_run(location.path, glance_at(location.path, headline_cells))
    except RecordError as error:
        reason = error.message.removeprefix(str(location.path)).lstrip("/ ")
        state = RunState.NEWER if isinstance(error, NewerError) else RunState.DAMAGED
        return ListedRun(name, state, reason)
    except Exception as error:  # noqa: BLE001 - a mistake of ours costs this line, and no other
        reason = FailureLog().note("the line of this run", error).statement
        return ListedRun(name, RunState.UNREADABLE, reason)
