"""The health of the drives at the start of a run and at its end, as pairs of a name and a value."""

from collections.abc import Callable, Iterator
from typing import Final

from iosonde.charts.quantities import NO_VALUE
from iosonde.findings.fitness.health import HOUR_NS, WARNINGS
from iosonde.records import DriveHealth, HealthSource, RunRecord
from iosonde.report.blocks import FactGroup
from iosonde.units import format_amount, format_duration

SOURCES: Final = {
    HealthSource.NONE: NO_VALUE,
    HealthSource.SMART_LOG: "SMART / Health log",
    HealthSource.SMARTCTL: "smartctl",
    HealthSource.HWMON: "temperature sensor",
    HealthSource.SIMULATION: "model",
}

MEDIA_UNKNOWN: Final = "unknown, and so is the write amplification: the drive does not report it"

_Text = Callable[[int], str]


def _count(value: int) -> str:
    return f"{value:,}"


def _percent(value: int) -> str:
    return f"{value} %"


def _celsius(value: int) -> str:
    return f"{value} °C"


def _hours(value: int) -> str:
    return f"{value // HOUR_NS:,} hours"


_VALUES: Final[tuple[tuple[str, str, _Text], ...]] = (
    ("temperature", "temperature_celsius", _celsius),
    ("warning temperature", "warning_celsius", _celsius),
    ("rated life used", "wear_percent", _percent),
    ("spare blocks", "spare_percent", _percent),
    ("written by the host", "host_written_bytes", format_amount),
    ("written to the media", "media_written_bytes", format_amount),
    ("time above the warning temperature", "hot_ns", format_duration),
    ("throttled for", "throttled_ns", format_duration),
    ("times throttled", "throttle_count", _count),
    ("media errors", "media_errors", _count),
    ("reallocated sectors", "reallocated_sectors", _count),
    ("entries in the error log", "error_log_entries", _count),
    ("unsafe shutdowns", "unsafe_shutdowns", _count),
    ("powered", "powered_ns", _hours),
)
"""The name of each fact, the field that it is in, and its text."""


def health_groups(run: RunRecord) -> Iterator[FactGroup]:
    """A group for each disk below the targets."""
    ended = {drive.disk: drive.health for drive in run.end.drives} if run.end is not None else {}
    for drive in run.header.drives:
        yield FactGroup(f"Health of {drive.disk}", tuple(_facts(drive.health, ended.get(drive.disk))))


def _facts(before: DriveHealth, after: DriveHealth | None) -> Iterator[tuple[str, str]]:
    yield "reported by", SOURCES[before.source]
    if before.missing:
        yield "unknown because", before.missing
    if before.link is not None:
        yield "link", _pair(before.link, None if after is None else after.link)
    for name, field, text in _VALUES:
        was, now = getattr(before, field), None if after is None else getattr(after, field)
        if was is not None:
            yield name, _pair(text(was), None if now is None else text(now))
    if before.media_written_bytes is None and before.source not in {HealthSource.NONE, HealthSource.HWMON}:
        yield "written to the media", MEDIA_UNKNOWN
    warnings = (after or before).warnings
    if before.source in {HealthSource.SMART_LOG, HealthSource.SMARTCTL}:
        yield "warnings", ", ".join(WARNINGS[each] for each in warnings) or "none"


def _pair(before: str, after: str | None) -> str:
    """The value at the start, and that at the end if it is another."""
    return before if after is None or after == before else f"{before}, at the end {after}"
