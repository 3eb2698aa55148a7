"""What an end that nobody wanted means for whoever asked: as errors, with the way on."""

from pathlib import Path

from iosonde.errors import IosondeError, MeasurementError, RecordError
from iosonde.records import Outcome, RunRecord
from iosonde.store import load_header


def check_campaign(run: RunRecord, directory: Path, report: Path) -> None:
    """Raises MeasurementError when cells of a run have failed."""
    failed = [cell for cell in run.cells if cell.outcome is Outcome.FAILED]
    if failed:
        raise MeasurementError(
            f"{len(failed)} of {len(run.cells)} measurements failed, the first in {failed[0].cell}",
            f"{report} says why; {_again(run, directory)}",
        )


def _again(run: RunRecord, directory: Path) -> str:
    if run.header.is_simulated:
        return "a simulated drive fails by its model, and would fail again"
    return f"`iosonde resume {directory} --failed` measures them again"


def check_probe(run: RunRecord) -> None:
    """Raises MeasurementError when the one workload failed."""
    cell = run.cells[0]
    if cell.outcome is Outcome.FAILED:
        reason = cell.failure.message if cell.failure else "no reason was given"
        raise MeasurementError(f"the workload failed: {reason}", "mend the cause and run again")


def has_begun(directory: Path, run: str) -> bool:
    """Whether a directory holds this run, so that it can go on."""
    try:
        return load_header(directory).run == run
    except RecordError:
        return False


def add_way_on(error: IosondeError, directory: Path) -> None:
    """Adds to an error's hint the command that goes on with what is kept, where the run can go on."""
    if not error.final:
        error.hint = f"{error.hint.removesuffix(', then run again')}; then `iosonde resume {directory}` goes on"
