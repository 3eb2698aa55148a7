"""Rules about what drives report of themselves: throttling, heat, errors, their link, and their own warnings."""

from collections.abc import Callable, Iterator
from typing import Final

from iosonde.analysis.drive_counters import THROTTLED_SHARE_MIN, DriveChange, changes_of
from iosonde.findings.case import Case, count_of, distinct
from iosonde.findings.drift import is_sustained
from iosonde.findings.finding import Confidence, Finding, Severity
from iosonde.findings.fitness.health import WARNINGS, WEAR_RATED
from iosonde.records import CellRecord, DriveHealth, Outcome
from iosonde.units import format_percent

EVIDENCE_MAX: Final = 10


def drive_throttled(case: Case) -> Iterator[Finding]:
    """The drives report that they throttled while cells were measured."""
    shares: dict[str, list[float]] = {}
    trials = 0
    for record, change in _finished(case):
        if change.throttled_ns is not None and record.measured_ns:
            trials += 1
            share = change.throttled_ns / record.measured_ns
            # A drive may count whole seconds, so a short time of throttling only shows as another beginning.
            if share >= THROTTLED_SHARE_MIN or change.of("throttle_count"):
                shares.setdefault(record.cell, []).append(min(share, 1.0))
    if not shares:
        return
    hot = sorted(shares, key=lambda cell: -max(shares[cell]))
    number, most = sum(len(each) for each in shares.values()), max(shares[hot[0]])
    whose = "the drive" if len(case.run.header.targets) == 1 else "a drive"
    long = f"it throttled for {format_percent(most)} of the measurement time"
    yield Finding(
        id="drive-throttled",
        severity=Severity.DOUBTFUL,
        confidence=Confidence.CERTAIN,
        statement=(
            f"By its own counter, {whose} throttled during {number} of {case.trials(trials)} with a count, in "
            f"{count_of(len(hot), 'cell')}. In {hot[0]}, {long if most else 'it began to throttle'}."
        ),
        evidence=tuple(
            (
                cell,
                f"{case.trials(len(shares[cell]))}, at most {format_percent(max(shares[cell]))} of the time",
            )
            for cell in hot[:EVIDENCE_MAX]
        ),
        advice=(
            "These results describe a drive that limits itself, usually because it is too hot. Cool it, "
            "or add idle time between cells; a longer measurement heats it more."
        ),
        deciding_test="Run these cells again on a cool drive, one at a time.",
        cells=distinct(hot),
    )


def drive_hot(case: Case) -> Iterator[Finding]:
    """A drive reached its own warning temperature while cells were measured."""

    def degrees(change: DriveChange) -> str:
        hot = [
            f"{disk} {after.temperature_celsius} °C, warning from {after.warning_celsius} °C"
            for disk, (_, after) in zip(change.disks, change.drives, strict=True)
            if _is_hot(after)
        ]
        counted = change.of("hot_ns")
        return ", ".join(hot) or ("above the warning temperature in the meantime" if counted else "")

    found = _where(case, degrees)
    if found:
        yield Finding(
            id="drive-hot",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=(
                f"A drive was at or above its own warning temperature in {count_of(len(found), 'cell')}, first in "
                f"{found[0][0]}. Such a drive may slow itself down."
            ),
            evidence=tuple(found[:EVIDENCE_MAX]),
            advice="Cool the drive, or add idle time between cells. `--max-temperature` ends a run before this.",
            deciding_test="Run these cells again on a cool drive, one at a time.",
            cells=tuple(cell for cell, _ in found),
        )


def media_errors(case: Case) -> Iterator[Finding]:
    """A drive counted errors of its media that it could not correct, while cells were measured."""

    def errors(change: DriveChange) -> str:
        number = change.of("media_errors")
        return count_of(number, "error") if number else ""

    found = _where(case, errors)
    if found:
        yield Finding(
            id="media-errors",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=(
                f"The drive counted errors of its media that it could not correct in {count_of(len(found), 'cell')}, "
                f"first in {found[0][0]}. Retries make operations slow, and data may be lost."
            ),
            evidence=tuple(found[:EVIDENCE_MAX]),
            advice="Do not use this drive for data. Replace it, or read its error log.",
            deciding_test="Read the whole drive: `iosonde run DEVICE --profile reads` shows where reads fail.",
            cells=tuple(cell for cell, _ in found),
        )


def link_changed(case: Case) -> Iterator[Finding]:
    """The link of a drive had another speed or width after a cell than at the start of the run."""
    first = {drive.disk: drive.health.link for drive in case.run.header.drives}

    def changed(change: DriveChange) -> str:
        pairs = [
            f"{disk}: {first[disk]}, then {after.link}"
            for disk, (_, after) in zip(change.disks, change.drives, strict=True)
            if first.get(disk) and after.link and after.link != first[disk]
        ]
        return ", ".join(pairs)

    found = _where(case, changed)
    if found:
        yield Finding(
            id="link-changed",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=(
                f"The link of a drive changed during the run, first in {found[0][0]}: {found[0][1]}. Its highest "
                "bandwidth changed as well."
            ),
            evidence=tuple(found[:EVIDENCE_MAX]),
            advice="Check slot, cable and backplane, and the kernel log (dmesg). Power saving can also lower the link.",
            deciding_test="Run again in another slot, or with another cable.",
            cells=tuple(cell for cell, _ in found),
        )


def drive_warns(case: Case) -> Iterator[Finding]:
    """A drive warns of its own state, or has used up its rated life."""
    ended = case.run.end.drives if case.run.end is not None else ()
    latest = {drive.disk: drive.health for drive in (*case.run.header.drives, *ended)}
    found = [(disk, text) for disk, health in latest.items() for text in _warnings(health)]
    if found:
        yield Finding(
            id="drive-warns",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.CERTAIN,
            statement=f"The drive {found[0][0]} warns: {found[0][1]}. Its results may not be those of a healthy drive.",
            evidence=tuple(found[:EVIDENCE_MAX]),
            advice="Back up its data and replace it. Compare results with those of a healthy drive of the same model.",
            deciding_test="Run again on another drive of the same model.",
        )


def _finished(case: Case) -> Iterator[tuple[CellRecord, DriveChange]]:
    """The finished trials with the change of their drives. In a sustained transfer, changes are the result."""
    measured = {each.order for each in case.run.cells}
    for record, change in changes_of(case.run):
        is_judged = record.order in measured and record.outcome is Outcome.FINISHED and not is_sustained(record)
        if is_judged and change is not None:
            yield record, change


def _where(case: Case, told: Callable[[DriveChange], str]) -> list[tuple[str, str]]:
    """Each cell with what is first told of one of its trials, in run order."""
    found: dict[str, str] = {}
    for record, change in _finished(case):
        if text := told(change):
            found.setdefault(record.cell, text)
    return list(found.items())


def _is_hot(health: DriveHealth) -> bool:
    now, warning = health.temperature_celsius, health.warning_celsius
    return now is not None and warning is not None and now >= warning


def _warnings(health: DriveHealth) -> Iterator[str]:
    yield from (WARNINGS[each] for each in health.warnings)
    if health.wear_percent is not None and health.wear_percent >= WEAR_RATED:
        yield f"{health.wear_percent} % of its rated life is used"
