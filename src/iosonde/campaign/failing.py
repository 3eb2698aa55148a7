"""What an end that nobody wanted means for whoever asked: as errors, with the way on."""

from collections.abc import Iterable
from pathlib import Path

from iosonde.analysis.states import failed_repeats
from iosonde.campaign.recorded_targets import recorded_targets
from iosonde.errors import DataError, IosondeError, MeasurementError, RecordError
from iosonde.printing import quoted
from iosonde.records import CellRecord, LaterPass, Outcome, RunHeader, RunRecord, Verification
from iosonde.sources import ExistingFile
from iosonde.store import load_header
from iosonde.vocabulary import FailureKind


def check_later_pass(later: LaterPass) -> None:
    """Raises DataError when targets do not hold what was written."""
    _check_data(later.targets, "leave the target as it is, and check the kernel log (dmesg) and the device's health")


def _check_data(found: Iterable[Verification], hint: str) -> None:
    found = tuple(found)
    damaged = sum(each.steps_damaged for each in found)
    if damaged:
        kinds = ", ".join(dict.fromkeys(str(kind) for each in found for kind in each.damaged))
        raise DataError(f"{damaged:,} blocks do not contain what was written ({kinds})", hint)


def check_campaign(run: RunRecord, directory: Path, report: Path) -> None:
    """Raises DataError when a target did not hold what was written, and MeasurementError when cells have failed."""
    _check_data((each for cell in run.cells for each in cell.verification), f"{report} has their offsets")
    failed = failed_repeats(run.cells)
    if failed:
        counts = f"{len(failed)} of {len(run.cells)} measurements failed"
        raise MeasurementError(
            f"{counts}, the first in {failed[0].cell}: {_reason(failed[0])}",
            f"{_mend(failed[0])}{report} says why; {_again(run, directory)}",
        )


def _again(run: RunRecord, directory: Path) -> str:
    if run.header.is_simulated:
        return "a simulated drive fails as its model says, and would fail again"
    return f"`{way_on(run.header, directory)} --failed` measures them again"


def way_on(header: RunHeader, directory: Path) -> str:
    """The command that goes on with a run: a file that is not the run's own has to be given up once more."""
    targets = recorded_targets(header, header.targets)
    asks = header.plan.changes and any(isinstance(each, ExistingFile) and not each.mark for each in targets)
    return f"iosonde resume {quoted(directory)}{' --overwrite' if asks else ''}"


def check_probe(run: RunRecord) -> None:
    """Raises DataError when a target did not hold what was written, and MeasurementError when the workload failed."""
    cell = run.cells[0]
    _check_data(cell.verification, "check the kernel log (dmesg) and the device's health; --json has all offsets")
    if cell.outcome is Outcome.FAILED:
        raise MeasurementError(
            f"the workload failed: {_reason(cell)}", f"{_mend(cell) or 'fix the cause; '}then run again"
        )


def _reason(cell: CellRecord) -> str:
    return cell.failure.message if cell.failure else "no reason was given"


def _mend(cell: CellRecord) -> str:
    """What to do about a failure, where its kind alone says so."""
    full = cell.failure is not None and cell.failure.kind is FailureKind.NO_SPACE
    return "free some space on the target's file system; " if full else ""


def has_begun(directory: Path, run: str) -> bool:
    """Whether a directory holds this run, so that it can go on."""
    try:
        return load_header(directory).run == run
    except RecordError:
        return False


def add_way_on(error: IosondeError, directory: Path) -> None:
    """Adds to an error's hint the command that goes on with what is kept, where the run can go on."""
    if not error.final:
        way = way_on(load_header(directory), directory)
        error.hint = f"{error.hint.removesuffix(', then run again')}; then `{way}` continues the run"
