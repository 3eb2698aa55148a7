"""The health of drives: what would spoil a measurement, and what a measurement would harm."""

from collections.abc import Iterator, Sequence
from typing import Final

from iosonde.findings.fitness.line import FitnessLine, State
from iosonde.records import Drive, DriveHealth, DriveWarning, HealthSource
from iosonde.units import SECOND_NS, format_amount

GROUP: Final = "Health"
NEAR_CELSIUS: Final = 5
"""A drive so close to its warning temperature will probably throttle while it is measured."""

WEAR_NOTED: Final = 80
WEAR_RATED: Final = 100
HOUR_NS: Final = 3600 * SECOND_NS

WARNINGS: Final = {
    DriveWarning.SPARE: "its spare blocks are used up",
    DriveWarning.TEMPERATURE: "its temperature is outside its limits",
    DriveWarning.RELIABILITY: "it is no longer reliable, because of errors",
    DriveWarning.READ_ONLY: "its media can only be read",
    DriveWarning.BACKUP: "the backup of its volatile memory failed",
    DriveWarning.PERSISTENT_MEMORY: "its persistent memory region is read-only or unreliable",
    DriveWarning.SMART_STATUS: "it expects to fail: its SMART status is failed",
}
"""What a drive says with each of its critical warnings."""


def health_lines(drives: Sequence[Drive]) -> Iterator[FitnessLine]:
    """A line for each fact about the health of each drive. Facts that a drive does not report have none."""
    for drive in drives:
        group = GROUP if len(drives) == 1 else f"{GROUP} of {drive.disk}"
        for subject, value, state, reason, command in _lines(drive.health):
            yield FitnessLine(group, subject, value, state, reason, command)


_Line = tuple[str, str, State, str, str]


def _lines(health: DriveHealth) -> Iterator[_Line]:
    if health.source is HealthSource.NONE:
        yield "health", "unknown", State.UNKNOWN, health.missing, ""
        return
    for warning in health.warnings:
        yield "warning", WARNINGS[warning], State.WARNING, "the drive says so itself", "replace the drive"
    yield from _temperature(health)
    yield from _wear(health)
    yield from _errors(health)
    yield from _reallocated(health)
    if health.host_written_bytes is not None:
        yield "written", f"{format_amount(health.host_written_bytes)} since manufacture", State.OK, "", ""
    if health.powered_ns is not None:
        yield "powered", f"{health.powered_ns // HOUR_NS:,} hours", State.OK, "", ""
    if health.missing:
        yield "wear and errors", "unknown", State.UNKNOWN, health.missing, ""


def _temperature(health: DriveHealth) -> Iterator[_Line]:
    now, warning = health.temperature_celsius, health.warning_celsius
    if now is None:
        yield "temperature", "unknown", State.UNKNOWN, "the drive does not report it", ""
        return
    text = f"{now} °C" if warning is None else f"{now} °C (warning from {warning} °C)"
    if warning is not None and now >= warning - NEAR_CELSIUS:
        reason = "the drive is too hot" if now >= warning else "the drive will probably throttle"
        yield "temperature", text, State.WARNING, reason, "let it cool, or improve the air flow"
    else:
        yield "temperature", text, State.OK, "", ""
    if health.throttle_count:
        yield (
            *("throttled", f"{health.throttle_count:,} times since manufacture", State.NOTE),
            *("the drive has been too hot before", "watch the temperature in the report"),
        )


def _wear(health: DriveHealth) -> Iterator[_Line]:
    wear, spare, least = health.wear_percent, health.spare_percent, health.spare_percent_min
    if wear is not None:
        state = State.WARNING if wear >= WEAR_RATED else State.NOTE if wear >= WEAR_NOTED else State.OK
        reason = {State.WARNING: "its rated life is over", State.NOTE: "near the end of its rated life"}.get(state, "")
        yield "wear", f"{wear} % of its rated life used", state, reason, "" if state is State.OK else "use --max-writes"
    if spare is not None:
        low = least is not None and spare < least
        text = f"{spare} %" if least is None else f"{spare} % (warning below {least} %)"
        state = State.WARNING if low else State.OK
        yield (
            "spare blocks",
            text,
            state,
            "the drive is near its end" if low else "",
            "replace the drive" if low else "",
        )


def _errors(health: DriveHealth) -> Iterator[_Line]:
    if health.media_errors is None:
        return
    bad = health.media_errors > 0
    yield (
        *("media errors", f"{health.media_errors:,} since manufacture", State.WARNING if bad else State.OK),
        *("it could not read or write some data" if bad else "", "check its error log" if bad else ""),
    )


def _reallocated(health: DriveHealth) -> Iterator[_Line]:
    if health.reallocated_sectors is None:
        return
    some = health.reallocated_sectors > 0
    yield (
        *("reallocated sectors", f"{health.reallocated_sectors:,}", State.NOTE if some else State.OK),
        *("it replaced sectors that were bad" if some else "", "check that the number does not grow" if some else ""),
    )
