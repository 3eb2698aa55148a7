"""Errors for failed measurements and damaged data, with the command that continues the run."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from iosonde.analysis.states import failed_repeats
from iosonde.campaign.recorded_targets import recorded_targets
from iosonde.errors import DataError, IosondeError, MeasurementError, RecordError
from iosonde.printing import quoted
from iosonde.records import CellRecord, LaterPass, Outcome, RunHeader, RunRecord, Verification
from iosonde.sources import ExistingFile
from iosonde.store import load_header
from iosonde.vocabulary import FailureKind, FaultKind


def check_later_pass(later: LaterPass) -> None:
    """Raises DataError if targets do not contain what was written."""
    _check_data(later.targets, "leave the target unchanged, and check the kernel log (dmesg) and the device's health")


def _check_data(found: Iterable[Verification], hint: str) -> None:
    found = tuple(found)
    damaged = sum(each.steps_damaged for each in found)
    if damaged:
        kinds = ", ".join(dict.fromkeys(str(kind) for each in found for kind in each.damaged))
        blocks = "1 block does" if damaged == 1 else f"{damaged:,} blocks do"
        raise DataError(f"{blocks} not contain the data that was written ({kinds})", hint)


def check_campaign(run: RunRecord, directory: Path, page: Path | None) -> None:
    """Raises DataError if a target did not contain what was written.

    Raises MeasurementError if cells or operations failed. The hints name the report at ``page``, or the command that
    shows it if there is none.
    """
    report = f"`iosonde report {quoted(directory)}`" if page is None else str(page)
    _check_data((each for cell in run.cells for each in cell.verification), f"see {report} for the offsets")
    failed = failed_repeats(run.cells)
    if failed:
        counts = f"{len(failed)} of {len(run.cells)} measurements failed"
        raise MeasurementError(
            f"{counts}, the first in {failed[0].cell}: {_reason(failed[0])}",
            f"{_fix(failed[0])}see {report} for the reasons; {_again(run, directory)}",
        )
    _check_operations(run, f"{_check_device(run)}; see {report} for all errors")


def _check_operations(run: RunRecord, hint: str) -> None:
    """Raises MeasurementError if operations failed, even though all trials finished. Retries are not errors."""
    faulty = [(cell, fault) for cell in run.cells for fault in cell.faults if fault.kind is not FaultKind.RETRY]
    if not faulty:
        return
    number, trials = sum(fault.count for _, fault in faulty), len({cell.order for cell, _ in faulty})
    (cell, first), names = faulty[0], dict.fromkeys(fault.errno_name or "short transfer" for _, fault in faulty)
    where = "" if first.offset_bytes_first is None else f" at offset {first.offset_bytes_first}"
    operations = "1 operation" if number == 1 else f"{number:,} operations"
    some = f" in {trials} of {len(run.cells)} measurements" if len(run.cells) > 1 else ""
    raise MeasurementError(
        f"{operations} failed{some} ({', '.join(names)}), the first in {cell.cell}: {first.operation}{where}", hint
    )


def _check_device(run: RunRecord) -> str:
    if run.header.is_simulated:
        return "check the faults configured in the model"
    return "check the kernel log (dmesg) and the device's health"


_FIXES: Final = {
    FailureKind.NO_SPACE: "free some space on the target's file system; ",
    FailureKind.NOTHING_COMPLETED: "if the target is healthy, use a longer measurement time; ",
}


def _again(run: RunRecord, directory: Path) -> str:
    if run.header.is_simulated:
        return "resuming does not help, because the model gives the same results again"
    if run.header.plan.procedures:
        return "a procedure cannot repeat single trials: fix the cause and start a new run"
    return f"run `{resume_hint(run.header, directory)} --failed` to repeat the failed trials"


def resume_hint(header: RunHeader, directory: Path) -> str:
    """The command that resumes a run, with the permits that it needs again.

    A file that the run did not create needs --overwrite, and a device that it wrote --destroy and each consent.
    """
    targets = recorded_targets(header, header.targets)
    asks = header.plan.changes and any(isinstance(each, ExistingFile) and not each.mark for each in targets)
    destroyed = [each.granted.name for each in header.targets if each.granted is not None]
    consents = dict.fromkeys(consent for each in header.targets for consent in each.consents)
    permits = [
        *(["--overwrite"] if asks else []),
        *(f"--destroy {quoted(each)}" for each in destroyed),
        *(f"--consent {quoted(each)}" for each in consents),
    ]
    return " ".join(["iosonde resume", quoted(directory), *permits])


def check_probe(run: RunRecord) -> None:
    """Raises DataError if a target did not contain what was written.

    Raises MeasurementError if the workload or some of its operations failed.
    """
    cell = run.cells[0]
    _check_data(
        cell.verification, "check the kernel log (dmesg) and the device's health; use --json to list all offsets"
    )
    if cell.outcome is Outcome.FAILED:
        raise MeasurementError(
            f"the workload failed: {_reason(cell)}", f"{_fix(cell) or 'fix the cause; '}then run again"
        )
    _check_operations(run, _check_device(run))


def _reason(cell: CellRecord) -> str:
    return cell.failure.message if cell.failure else "unknown reason"


def _fix(cell: CellRecord) -> str:
    """How to fix a failure, if its kind alone says so."""
    return _FIXES.get(cell.failure.kind, "") if cell.failure is not None else ""


def has_started(directory: Path, run: str) -> bool:
    """Whether a directory contains this run, so that it can be resumed."""
    try:
        return load_header(directory).run == run
    except RecordError:
        return False


def add_resume_hint(error: IosondeError, directory: Path) -> None:
    """Adds the command that resumes the run to an error's hint, if the run can be resumed."""
    if not error.final:
        way = resume_hint(load_header(directory), directory)
        error.hint = f"{error.hint.removesuffix(', then run again')}; then run `{way}` to continue"
