"""Messages for an interrupted run: what is kept, and how to resume it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from iosonde.analysis.states import trials_measured
from iosonde.campaign.outcomes import add_resume_hint, has_started, resume_hint
from iosonde.campaign.remaining_run import TrialsLeft, turns_left
from iosonde.cli.messages import say
from iosonde.cli.procedure_text import no_gap
from iosonde.cli.signals import ENDING
from iosonde.errors import IosondeError, MeasurementError, OutputError, RecordError
from iosonde.printing import printable, quoted, trials_text
from iosonde.records import RunRecord
from iosonde.store import load_header, load_run


@contextmanager
def keeping(directory: Path, run: str, *, with_page: bool) -> Iterator[None]:
    """Handles each end of a run: prints what is kept and the command that resumes it.

    If an error ends the run, writes the tables and, ``with_page``, a report of the results so far.
    """
    ENDING.advice = printable(f"`iosonde resume {quoted(directory)}` continues the run if anything was measured")
    try:
        yield
    except KeyboardInterrupt:
        _tell(directory, run)
        raise
    except MeasurementError:
        # The run is complete, and the error has its own hint.
        raise
    except IosondeError as error:
        if not has_started(directory, run):
            raise
        kept = _tell_what_is_kept(directory)
        if kept is not None and kept.cells and not isinstance(error, OutputError):
            _derive(directory, with_page=with_page)
        if kept is not None and kept.finished and isinstance(error, OutputError):
            way = f"iosonde report {quoted(directory)}"
            first = "free some space and run" if "space" in error.hint else "when it can be written, run"
            error.hint = f"nothing is left to measure: {first} `{way}`, or `{way} --html FILE` elsewhere"
        else:
            add_resume_hint(error, directory)
        raise


def _tell(directory: Path, run: str) -> None:
    ENDING.told = True
    if not has_started(directory, run):
        say(f"{ENDING.word} before anything was measured")
        return
    say(ENDING.word)
    kept = _tell_what_is_kept(directory)
    report = f"`iosonde report {quoted(directory)}`"
    if kept is not None and kept.finished:
        say(f"hint: {report} writes the report; nothing is left to measure")
        return
    way = resume_hint(load_header(directory), directory)
    say(f"hint: `{way}` continues the run; {report} shows the results so far")


def _tell_what_is_kept(directory: Path) -> RunRecord | None:
    """Prints what is kept, and which procedure begins again. Returns the run; None if it cannot be read."""
    try:
        run = load_run(directory, intervals=False)
    except RecordError as error:
        say(error.message)
        return None
    plan = run.header.plan
    left = TrialsLeft(run, turns_left(run, failed_again=False))
    again = left.begins_again
    measured = trials_measured(run.cells)
    number = measured if again is None else len(left.kept)
    say(f"saved {trials_text(number, plan.trials_least, is_fixed=plan.is_fixed)} in {directory}")
    if again is not None:
        more = measured - number
        also = f"; its {more} {'trial so far is' if more == 1 else 'trials so far are'} saved, and in no result"
        say(f"{again.name} begins again when the run is resumed: {no_gap(again)}{also if more > 0 else ''}")
    return run


def _derive(directory: Path, *, with_page: bool) -> None:
    """Derives tables and report from the saved trials, so that the directory is complete for later readers."""
    from iosonde.cli.run_outputs import derive, tell_failures

    try:
        derived = derive(directory, with_page=with_page)
    except IosondeError as error:
        # The error that ended the run is printed last, and no other error replaces it.
        say(f"no {'report' if with_page else 'tables'} written: {error.message}")
        return
    tell_failures(derived.failures, directory)
    if derived.page is not None:
        say(f"{derived.page} shows the results so far")
