"""Shows how a device can be purged, what a purge would destroy, and how it ended."""

from collections.abc import Iterable, Iterator
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from iosonde.printing import printable
from iosonde.records import (
    DeviceIdentity,
    PurgedDevice,
    PurgePlan,
    PurgeRecord,
    PurgeSurvey,
    ReachedDevice,
    ReadBack,
    SanitizeLog,
)
from iosonde.units import SECOND_NS, format_amount, format_duration, format_percent, format_size
from iosonde.vocabulary import PurgeMethod, PurgeOutcome

METHODS: Final = {
    PurgeMethod.DISCARD: "discard of all blocks (BLKDISCARD, TRIM): the drive may forget the data, and need not",
    PurgeMethod.FORMAT: "NVMe Format NVM with user data erase",
    PurgeMethod.CRYPTO_FORMAT: "NVMe Format NVM with cryptographic erase",
    PurgeMethod.SANITIZE_BLOCK: "NVMe Sanitize, block erase",
    PurgeMethod.SANITIZE_CRYPTO: "NVMe Sanitize, crypto erase",
    PurgeMethod.SANITIZE_OVERWRITE: "NVMe Sanitize, overwrite",
    PurgeMethod.ATA_SECURE_ERASE: "ATA Security Erase, by hdparm",
    PurgeMethod.ATA_ENHANCED_ERASE: "ATA Security Erase, enhanced, by hdparm",
    PurgeMethod.SCSI_SANITIZE_BLOCK: "SCSI Sanitize, block erase, by sg_sanitize",
    PurgeMethod.SCSI_SANITIZE_CRYPTO: "SCSI Sanitize, cryptographic erase, by sg_sanitize",
    PurgeMethod.SCSI_SANITIZE_OVERWRITE: "SCSI Sanitize, overwrite with zeros, by sg_sanitize",
    PurgeMethod.SCSI_FORMAT: "SCSI Format Unit, by sg_format",
}
OVERWRITES: Final = frozenset(
    {PurgeMethod.SANITIZE_OVERWRITE, PurgeMethod.SCSI_SANITIZE_OVERWRITE, PurgeMethod.SCSI_FORMAT}
)
"""The methods that write the whole drive."""
OUTCOMES: Final = {
    PurgeOutcome.PURGED: ("purged", "bold green"),
    PurgeOutcome.NOT_PURGED: ("NOT PURGED", "bold red"),
    PurgeOutcome.NOT_VERIFIED: ("NOT VERIFIED", "bold yellow"),
}
SANITIZED: Final = {
    "never": "the drive was never sanitized",
    "completed": "the last sanitize operation completed",
    "completed_deallocated": "the last sanitize operation completed, and all blocks are deallocated",
    "in_progress": "a sanitize operation is in progress",
    "failed": "the last sanitize operation failed",
    "unknown": "the drive reports an unknown state",
}
DEALLOCATED: Final = {
    "zeros": "deallocated blocks read as zeros",
    "ones": "deallocated blocks read as ones",
    "not_reported": "the drive does not say what deallocated blocks return",
}
PROGRESS_END: Final = 65_536


def render_methods(device: ReachedDevice, survey: PurgeSurvey, last: PurgeRecord | None) -> RenderableType:
    """The methods that a device supports, and how it was purged last."""
    offered = offered_methods(survey)
    rows = [("device", f"{device.path}, {format_size(survey.size_bytes)}"), ("identity", named(device))]
    if survey.nvme is not None:
        own = survey.nvme.controller
        rows.append(("drive", f"{own.model} {own.firmware}, namespace {survey.nvme.namespace_id}"))
        if survey.nvme.sanitize is not None:
            rows.append(("sanitize status", _sanitize_words(survey.nvme.sanitize)))
    if survey.nvme_error is not None:
        rows.append(("drive", f"did not answer: {survey.nvme_error}"))
    rows.append(("last purge", "none is recorded here" if last is None else last_words(last)))
    methods = [(str(method), _method_words(survey, method)) for method in offered] or [("none", "")]
    return Group(rows_of(rows), Text(), Text("Methods", style="bold underline"), rows_of(methods))


def render_plan(plan: PurgePlan) -> RenderableType:
    """What a purge would do."""
    expected = plan.expected_s
    rows = [("purge", f"{plan.method}: {METHODS[plan.method]}")]
    rows += [("destroys", f"{each.path}, {_size(each.inspection.identity)}, {named(each)}") for each in plan.devices]
    if plan.method in OVERWRITES:
        rows.append(("wear", "writes the whole drive once"))
    time = "unknown: the drive gives no estimate" if expected is None else f"{_seconds(expected)}, by the drive"
    rows += [("expected time", time), ("verified by", _places_words(plan))]
    return rows_of(rows)


def render_purge(record: PurgeRecord) -> RenderableType:
    """How a purge ended, and what was read back."""
    told, style = OUTCOMES[record.outcome]
    head = Text.assemble((told, style), f" by {record.purge.method} in {format_duration(record.purge.duration_ns)}")
    reasons = [Text(printable(f"  {reason}")) for reason in record.reasons]
    rows = [("method", METHODS[record.purge.method]), ("the drive says", _report_words(record))]
    for each in record.devices:
        rows += _device_rows(each)
    return Group(head, *reasons, Text(), rows_of(rows))


def last_words(record: PurgeRecord) -> str:
    """A purge in one line."""
    told = OUTCOMES[record.outcome][0].lower()
    return f"{told} by {record.purge.method}, {record.started_at}"


def offered_methods(survey: PurgeSurvey) -> list[PurgeMethod]:
    """The methods that a device supports by itself, without another program."""
    discard = [PurgeMethod.DISCARD] if survey.discard.max_bytes else []
    return discard if survey.nvme is None else [*discard, *survey.nvme.methods]


def _method_words(survey: PurgeSurvey, method: PurgeMethod) -> str:
    nvme = survey.nvme
    if nvme is None or method not in nvme.reaching_all:
        return METHODS[method]
    count = len(nvme.namespaces)
    others = "" if count == 1 else f"; destroys all {count} namespaces of the drive"
    return f"{METHODS[method]}{others}"


def _device_rows(device: PurgedDevice) -> Iterator[tuple[str, str]]:
    before, after = device.sampled, device.read_back
    yield device.path, f"{device.identity.name}, {format_size(device.identity.size_bytes)}"
    held = f"{before.sentinels} with a sentinel, {before.data} with the data that was there"
    if before.empty:
        held += f", {before.empty} empty"
    if before.unreadable:
        held += f", {before.unreadable} unreadable"
    yield "  places before", f"{before.places} of {format_size(before.place_bytes)}: {held}"
    if after is None:
        yield "  read back", "no"
        return
    share = format_percent(after.read_bytes / max(before.size_bytes, 1), 4)
    yield "  read back", f"{after.places} places, {format_amount(after.read_bytes)} ({share} of the device)"
    yield "  survivors", f"{after.survivors} of {before.compared}"
    yield "  content", _content_words(after)


def _content_words(found: ReadBack) -> str:
    parts = (
        (found.content.zero_bytes, "zeros"),
        (found.content.one_bytes, "ones"),
        (found.content.other_bytes, "other data"),
    )
    told = [f"{format_percent(count / found.read_bytes, 1)} {name}" for count, name in parts if count]
    return ", ".join(told) or "nothing was read"


def _report_words(record: PurgeRecord) -> str:
    purge = record.purge
    told = {
        "completed": "completed",
        "failed": "failed",
        "stopped": "stopped",
        "left_running": "still in progress",
        "unknown": "nothing about how it ended",
    }[purge.end]
    parts = [told]
    if purge.after is not None:
        own = purge.after.namespace
        parts.append(f"{own.used_blocks} of {own.size_blocks} blocks allocated")
        parts.append(DEALLOCATED[own.deallocated_reads])
        if purge.after.sanitize is not None:
            parts.append(_sanitize_words(purge.after.sanitize))
    return "; ".join(parts)


def _sanitize_words(log: SanitizeLog) -> str:
    told = SANITIZED[log.state]
    return f"{told}, {format_percent(log.progress / PROGRESS_END)}" if log.state == "in_progress" else told


def _places_words(plan: PurgePlan) -> str:
    if plan.places is None:
        return "reading all of it before and after"
    return f"reading {plan.places} places of it before and after; sentinels are written to at least half of them first"


def named(device: ReachedDevice) -> str:
    """The identity of a device."""
    identity = device.inspection.identity
    return "without an identity" if identity is None else identity.name


def _size(identity: DeviceIdentity | None) -> str:
    return "size unknown" if identity is None else format_size(identity.size_bytes)


def _seconds(seconds: int) -> str:
    return f"about {format_duration(seconds * SECOND_NS)}" if seconds else "less than a second"


def rows_of(rows: Iterable[tuple[str, str]]) -> Table:
    """Names and values in two columns, without lines."""
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    for name, value in rows:
        table.add_row(Text(printable(name)), Text(printable(value)))
    return table
