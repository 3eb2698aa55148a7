"""How a device was purged: what the drive offered and reported, and what was read before and after."""

from typing import Annotated, Final, Literal

from pydantic import Field

from iosonde.records.base import Record
from iosonde.records.inspection import DeviceIdentity, DeviceInspection
from iosonde.records.md_array import RebuiltArray
from iosonde.vocabulary import PurgeMethod, PurgeOutcome

PURGE_VERSION: Final = 1
"""The version of the document that a purge leaves."""

Count = Annotated[int, Field(ge=0, lt=1 << 64)]
SanitizeState = Literal["never", "completed", "in_progress", "failed", "completed_deallocated", "unknown"]
PurgeEnd = Literal["completed", "failed", "stopped", "left_running", "unknown"]


class DiscardLimits(Record):
    """The largest discard of a device (0: it supports none), and the granularity below which it may ignore one."""

    max_bytes: Count
    granularity_bytes: Count


class NvmeController(Record):
    """The capabilities of an NVMe controller (Identify Controller).

    ``formats_all`` and ``erases_all``: Format NVM, or its secure erase, applies to all namespaces (FNA bits 0 and 1).
    ``is_shared``: the subsystem may have other controllers. ``manages_namespaces``: it lists namespaces that are not
    attached to it.
    """

    serial: str
    model: str
    firmware: str
    is_shared: bool
    formats: bool
    manages_namespaces: bool
    formats_all: bool
    erases_all: bool
    crypto_formats: bool
    sanitizes_crypto: bool
    sanitizes_block: bool
    sanitizes_overwrite: bool


class NamespaceFormat(Record):
    """The size and format of an NVMe namespace (Identify Namespace).

    ``used_blocks`` is the number of logical blocks that are allocated (NUSE). ``deallocated_reads`` is what the drive
    says that a deallocated block returns.
    """

    size_blocks: Count
    used_blocks: Count
    lba_format: Count
    block_bytes: Count
    metadata_bytes: Count
    metadata_extended: bool
    protection_type: Count
    protection_first: bool
    deallocated_reads: Literal["not_reported", "zeros", "ones"]
    format_remaining_percent: Count | None


class SanitizeEstimates(Record):
    """The times that a drive estimates for a sanitize operation; None if it reports none."""

    overwrite_s: Count | None
    block_s: Count | None
    crypto_s: Count | None


class SanitizeLog(Record):
    """The Sanitize Status log page of a drive.

    ``progress`` is in units of 1/65536, ``passes`` counts completed passes of an overwrite. ``is_erased``: nothing was
    written since the drive was last sanitized. ``command`` is command word 10 of the last Sanitize command.
    """

    state: SanitizeState
    progress: Count
    passes: Count
    is_erased: bool
    command: Count
    estimates: SanitizeEstimates


class NamespaceNode(Record):
    """A namespace of a drive, and the kernel's name of its block device."""

    namespace: Count
    name: str


class NvmeSurvey(Record):
    """What an NVMe drive offers to purge the namespace ``namespace_id``.

    ``namespaces`` are the IDs of all namespaces of its subsystem, and ``nodes`` those with a block device. ``unlisted``
    is why they could not all be listed. ``reaching_all`` are the ``methods`` that destroy all namespaces.
    """

    namespace_id: Count
    controller: NvmeController
    format: NamespaceFormat
    sanitize: SanitizeLog | None
    nodes: tuple[NamespaceNode, ...]
    namespaces: tuple[Count, ...]
    unlisted: str | None
    methods: tuple[PurgeMethod, ...]
    reaching_all: tuple[PurgeMethod, ...]


class PurgeSurvey(Record):
    """What a device offers to purge it. ``nvme`` is None for a partition, and for a device that is no NVMe namespace.

    ``nvme_error`` is why an NVMe drive did not answer.
    """

    size_bytes: Count
    is_partition: bool
    discard: DiscardLimits
    nvme: NvmeSurvey | None
    nvme_error: str | None


class ReachedDevice(Record):
    """A device that a purge destroys, as the guard sees it."""

    path: str
    inspection: DeviceInspection


class PurgePlan(Record):
    """What a purge of the first of ``devices`` would do. It destroys all of them.

    ``places`` is the number of places to read before and after; None reads all of each device.
    ``tool_estimate_s`` is the time that an ATA drive estimates.
    """

    method: PurgeMethod
    survey: PurgeSurvey
    devices: tuple[ReachedDevice, ...]
    places: int | None
    tool_estimate_s: Count | None = None

    @property
    def expected_s(self) -> int | None:
        """The time that the drive estimates for the method; None if it estimates none."""
        log = None if self.survey.nvme is None else self.survey.nvme.sanitize
        if log is None or self.tool_estimate_s is not None:
            return self.tool_estimate_s
        estimates = {
            PurgeMethod.SANITIZE_BLOCK: log.estimates.block_s,
            PurgeMethod.SANITIZE_CRYPTO: log.estimates.crypto_s,
            PurgeMethod.SANITIZE_OVERWRITE: log.estimates.overwrite_s,
        }
        return estimates.get(self.method)


class Sampled(Record):
    """The places of a device that were read before its purge.

    ``sentinels``: places to which a recognisable block was written and read back. ``data``: places with what was there.
    ``empty``: places that held only zeros or ones. ``place_bytes``: the size of a place.
    """

    size_bytes: Count
    places: Count
    place_bytes: Count
    sentinels: Count
    data: Count
    empty: Count
    unreadable: Count

    @property
    def compared(self) -> int:
        """The places that held something that a purge would change."""
        return self.sentinels + self.data


class ReadContent(Record):
    """Bytes that were read after a purge, by the content of their 512-byte sectors."""

    zero_bytes: Count
    one_bytes: Count
    other_bytes: Count


class ReadBack(Record):
    """What was read of the same places after the purge.

    ``survivors``: places that still hold a sentinel, or the data from before. ``finished``: all places were read.
    """

    finished: bool
    places: Count
    read_bytes: Count
    content: ReadContent
    survivors: Count
    first_survivors: tuple[Count, ...]
    unreadable: Count
    first_unreadable: tuple[Count, ...]
    read_error: str | None


class DriveReport(Record):
    """What an NVMe drive reports of itself, before or after a purge."""

    namespace: NamespaceFormat
    sanitize: SanitizeLog | None


class Purge(Record):
    """How the command of a purge ended, as the drive reports it.

    ``changed``: why the device is no longer the one that was opened; None if it is.
    """

    method: PurgeMethod
    end: PurgeEnd
    reason: str | None
    duration_ns: Count
    before: DriveReport | None
    after: DriveReport | None
    changed: str | None


class PurgedDevice(Record):
    """A device that a purge reached, and what was read of it. ``read_back`` is None if it was not read again."""

    path: str
    identity: DeviceIdentity
    sampled: Sampled
    read_back: ReadBack | None


class PurgeRecord(Record):
    """A purge with its verdict: the document of ``iosonde prepare``.

    ``devices`` are all that it reached; the first is the one that was to be purged. ``seed`` is that of the places.
    ``array`` is the array that this device is a member of, if the array was to be purged.
    """

    version: Literal[1] = PURGE_VERSION
    iosonde_version: str
    command: tuple[str, ...]
    started_at: str
    seed: Count
    consents: tuple[str, ...]
    survey: PurgeSurvey
    outcome: PurgeOutcome
    reasons: tuple[str, ...]
    purge: Purge
    devices: tuple[PurgedDevice, ...]
    array: RebuiltArray | None = None

    @property
    def target(self) -> str:
        """The name of what was to be purged: a device, or an array of which this is a member."""
        return self.devices[0].path if self.array is None else self.array.path
