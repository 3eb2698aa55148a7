"""Solid-state drives: link, controller, write buffer, and flash behind a translation layer with garbage collection."""

from bisect import bisect_left
from enum import StrEnum
from math import exp
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from iosonde.plans.models.part import ModelPart
from iosonde.plans.models.table import Limit, ModelTable
from iosonde.units import SECOND_NS, format_bandwidth, format_iops

# The engine has the same bounds, and further ones for combinations of values.
TIB: Final = 1 << 40
HOUR_NS: Final = 3600 * SECOND_NS
PAGE_BYTES: Final = 4096
DATA_BLOCKS_MIN: Final = 64
BLOCK_PAGES_MIN: Final = 128

Bytes_per_s = Annotated[int, Field(strict=True, ge=10**6, le=10**12)]
Media_ns = Annotated[int, Field(strict=True, ge=1, le=SECOND_NS)]
Die_mw = Annotated[int, Field(strict=True, ge=0, le=10**4)]
Command_ns = Annotated[int, Field(strict=True, ge=0, le=SECOND_NS)]


class Duplex(StrEnum):
    """Whether the link transfers data in both directions at the same time."""

    HALF = "half"
    FULL = "full"


class SlcFull(StrEnum):
    """How writes continue when the SLC cache is full."""

    BYPASS = "bypass"
    FOLD = "fold"


class LinkTable(ModelPart):
    """The link to the host."""

    bytes_per_s: Bytes_per_s = Field(description="Link bandwidth in each direction.")
    command_ns: Command_ns = Field(description="Overhead per command, excluding the data transfer.")
    duplex: Duplex = Field(description="Whether data can be transferred in both directions simultaneously.")


class ControllerTable(ModelPart):
    """The controller."""

    cores: int = Field(strict=True, ge=1, le=1024, description="Number of commands processed concurrently.")
    command_ns: Command_ns = Field(description="Controller time per command.")


class BufferTable(ModelPart):
    """The buffer in which writes wait for the media."""

    size_bytes: int = Field(strict=True, ge=2 * PAGE_BYTES, le=1 << 36, description="Size of the write buffer.")
    power_loss_protection: bool = Field(
        strict=True, description="Whether a flush completes without writing the buffer to the media."
    )


class MediaTable(ModelPart):
    """The media: channels, dies and their geometry."""

    channels: int = Field(strict=True, ge=1, le=64, description="Number of channels.")
    dies_per_channel: int = Field(strict=True, ge=1, le=64, description="Dies per channel.")
    planes_per_die: int = Field(strict=True, ge=1, le=16, description="Planes per die, programmed and erased together.")
    page_bytes: int = Field(strict=True, ge=4096, le=1 << 16, multiple_of=4096, description="Page size of a plane.")
    pages_per_block: int = Field(strict=True, ge=16, le=1 << 14, description="Pages per erase block in one plane.")
    channel_bytes_per_s: int = Field(strict=True, ge=10**6, le=10**11, description="Bandwidth per channel.")
    read_ns: Media_ns = Field(description="Median page read time.")
    read_sigma_permille: int = Field(
        strict=True,
        ge=0,
        le=2000,
        description="Standard deviation of the logarithm of the page read time, in thousandths.",
    )
    read_slow_ppm: int = Field(strict=True, ge=0, le=10**6, description="Slow reads per million.")
    read_slow_factor: int = Field(
        strict=True, ge=1, le=10_000, description="Latency of a slow read as a multiple of a normal read."
    )
    program_ns: Media_ns = Field(description="Time to program one page in every plane of a die.")
    erase_ns: int = Field(strict=True, ge=1, le=10 * SECOND_NS, description="Time to erase a block.")
    over_provisioning_permille: int = Field(
        strict=True, ge=20, le=4000, description="Over-provisioning, in thousandths of the capacity."
    )
    rated_erases: int = Field(strict=True, ge=1, le=10**7, description="Rated program/erase cycles per block.")


class SlcTable(ModelPart):
    """The part of the media that stores one bit per cell."""

    size_bytes: int = Field(strict=True, ge=1 << 20, le=256 * TIB, description="Size of the SLC cache.")
    read_ns: Media_ns = Field(description="Median read time of an SLC page.")
    program_ns: Media_ns = Field(description="Time to program one SLC page in every plane of a die.")
    when_full: SlcFull = Field(description="Whether writes bypass a full cache or wait until it has been folded.")


class IdleTable(ModelPart):
    """What the drive does when it is idle."""

    delay_ns: int = Field(strict=True, ge=1, le=HOUR_NS, description="Idle time before background work starts.")
    spare_permille: int = Field(
        strict=True,
        ge=0,
        le=4000,
        description="Free space that background garbage collection restores, in thousandths of the capacity.",
    )


class ThermalTable(ModelPart):
    """The temperature: one body that cools with a time constant."""

    ambient_celsius: int = Field(strict=True, ge=-40, le=85, description="Equilibrium temperature when idle.")
    busy_rise_celsius: int = Field(
        strict=True, ge=0, le=200, description="Equilibrium temperature rise with all dies busy."
    )
    time_constant_ns: int = Field(
        strict=True,
        ge=10**6,
        le=24 * HOUR_NS,
        description="Thermal time constant: time to reach 63 % of a temperature change.",
    )
    limit_celsius: int = Field(strict=True, ge=-36, le=150, description="Temperature at which throttling starts.")
    stretch_permille: int = Field(
        strict=True,
        ge=1000,
        le=100_000,
        description="Duration of operations while throttled, relative to normal, in thousandths.",
    )


class PowerTable(ModelPart):
    """Power draw and power limit. Media operations are delayed so that the mean stays at or below the limit."""

    idle_mw: int = Field(strict=True, ge=0, le=10**6, description="Idle power.")
    read_mw: Die_mw = Field(description="Additional power per die while reading.")
    program_mw: Die_mw = Field(description="Additional power per die while programming.")
    erase_mw: Die_mw = Field(description="Additional power per die while erasing.")
    link_mw: int = Field(
        strict=True,
        ge=0,
        le=10**5,
        description="Additional power of the link and controller for data transfer in one direction.",
    )
    limit_mw: int = Field(strict=True, ge=1, le=2 * 10**6, description="Power limit, averaged over window_ns.")
    window_ns: int = Field(
        strict=True,
        ge=10**6,
        le=10 * SECOND_NS,
        description="Averaging window of the power limit, not affected by capacity_scale.",
    )


class ReadCacheTable(ModelPart):
    """The read cache: for read-ahead, or for pages that were read or written before."""

    size_bytes: int = Field(
        strict=True,
        ge=2 * PAGE_BYTES,
        le=1 << 32,
        description="Size of the read cache, not affected by capacity_scale.",
    )
    read_ahead_bytes: int = Field(
        strict=True,
        ge=0,
        le=64 << 20,
        description="Bytes that the drive reads ahead of a sequential stream, at most half the cache.",
    )
    keeps_pages: bool = Field(
        strict=True,
        description="Whether pages stay in the cache after they are read or written, until newer ones replace them.",
    )


class SsdTable(ModelTable):
    """A solid-state drive."""

    kind: Literal["ssd"]
    capacity_bytes: int = Field(strict=True, ge=1 << 20, le=256 * TIB, description="Capacity visible to the host.")
    capacity_scale: int = Field(
        strict=True, ge=1, le=1 << 20, description="Factor by which the simulated drive is smaller than the real one."
    )
    link: LinkTable
    controller: ControllerTable
    buffer: BufferTable
    media: MediaTable
    slc: SlcTable | None = None
    idle: IdleTable | None = None
    thermal: ThermalTable | None = None
    power: PowerTable | None = None
    read_cache: ReadCacheTable | None = None

    @model_validator(mode="after")
    def _is_large_enough(self) -> Self:
        """Refuses a drive with too few blocks per die, as the engine does, and names the largest scale."""
        if self.capacity_scale > 1 and not _has_room(self, self.capacity_scale):
            # Fewer pages never have more blocks, so halving an interval finds the largest scale.
            most = bisect_left(range(1, self.capacity_scale), True, key=lambda scale: not _has_room(self, scale))  # noqa: FBT003
            raise PydanticCustomError("room", "a die has too few blocks; the largest scale is {most}", {"most": most})
        return self


def _has_room(table: SsdTable, scale: int) -> bool:
    return _data_blocks(table, scale) >= DATA_BLOCKS_MIN


def _data_blocks(table: SsdTable, scale: int) -> int:
    """The blocks of a die for data. The engine splits blocks of a scaled drive, and needs ``DATA_BLOCKS_MIN``."""
    media = table.media
    logical_pages = table.capacity_bytes // scale // PAGE_BYTES
    unit_pages = media.page_bytes * media.planes_per_die // PAGE_BYTES
    dies = media.channels * media.dies_per_channel
    die_pages = -(-logical_pages * (1000 + media.over_provisioning_permille) // (1000 * dies))
    units = media.pages_per_block
    while (
        die_pages < DATA_BLOCKS_MIN * units * unit_pages
        and units % 2 == 0
        and units // 2 * unit_pages >= BLOCK_PAGES_MIN
    ):
        units //= 2
    return -(-die_pages // (units * unit_pages))


def ssd_size_bytes(table: SsdTable) -> int:
    """The capacity that the host sees: whole pages of the scaled capacity."""
    return table.capacity_bytes // table.capacity_scale // PAGE_BYTES * PAGE_BYTES


def ssd_limits(table: SsdTable) -> tuple[Limit, ...]:
    """The maximum throughput of each part, and the long-term cost of random writes."""
    media = table.media
    dies = media.channels * media.dies_per_channel
    data_ns = PAGE_BYTES * SECOND_NS / table.link.bytes_per_s
    program_bytes_per_s = _programmed_bytes_per_s(media, media.program_ns)
    amplification = greedy_amplification(media.over_provisioning_permille / 1000)
    return (
        Limit(
            "4 KiB IOPS limit of the link",
            f"{format_iops(SECOND_NS / (table.link.command_ns + data_ns))}/s",
            "command overhead plus data transfer, in one direction",
        ),
        Limit(
            "IOPS of the controller",
            f"{format_iops(table.controller.cores * SECOND_NS / max(table.controller.command_ns, 1))}/s",
            "all cores busy",
        ),
        Limit("read IOPS of the media", f"{format_iops(dies * SECOND_NS / media.read_ns)}/s", "all dies busy"),
        Limit("bandwidth of the link", format_bandwidth(table.link.bytes_per_s), "link.bytes_per_s"),
        Limit(
            "bandwidth of the channels",
            format_bandwidth(media.channels * media.channel_bytes_per_s),
            "all channels busy",
        ),
        Limit("write bandwidth of the media", format_bandwidth(program_bytes_per_s), "all dies programming"),
        *_power_limits(table),
        Limit(
            "steady-state write amplification of random writes",
            f"{amplification:.2f}",
            "greedy garbage collection with large blocks (Xiang and Kurkoski 2012)",
        ),
        Limit(
            "steady-state 4 KiB random write IOPS",
            f"{format_iops(program_bytes_per_s / amplification / PAGE_BYTES)}/s",
            "write bandwidth of the media / write amplification, ignoring read and erase times",
        ),
    )


def _power_limits(table: SsdTable) -> tuple[Limit, ...]:
    if table.power is None:
        return ()
    power, media = table.power, table.media
    unit_bytes = media.planes_per_die * media.page_bytes
    byte_pj = power.program_mw * media.program_ns / unit_bytes + power.link_mw * SECOND_NS / table.link.bytes_per_s
    if byte_pj == 0:
        return ()
    flow_mw = power.limit_mw - power.idle_mw
    return (
        Limit(
            "sustained write bandwidth within the power limit",
            format_bandwidth(flow_mw * SECOND_NS / byte_pj),
            "(limit_mw - idle_mw) / energy to transfer and program one byte",
        ),
    )


def ssd_bytes_per_s(table: SsdTable) -> int:
    """The maximum bandwidth of sequential writes: that of the slowest of link, channels and media.

    For the media, the faster part counts: an SLC cache is faster for as long as it has free space.
    """
    media = table.media
    program_ns = min(media.program_ns, table.slc.program_ns if table.slc is not None else media.program_ns)
    channels_bytes_per_s = media.channels * media.channel_bytes_per_s
    return min(table.link.bytes_per_s, channels_bytes_per_s, int(_programmed_bytes_per_s(media, program_ns)))


def _programmed_bytes_per_s(media: MediaTable, program_ns: int) -> float:
    """The program bandwidth of all dies together, if a page takes ``program_ns``."""
    return media.channels * media.dies_per_channel * media.planes_per_die * media.page_bytes * SECOND_NS / program_ns


def greedy_amplification(over_provisioning: float) -> float:
    """The write amplification of greedy collection in large blocks under uniform random writes: 1 / (1 - X).

    X, the share of valid pages in a victim, solves X = exp(-a (1 - X)) with a = physical / logical space. L. Xiang and
    B. M. Kurkoski, "An Improved Analytic Expression for Write Amplification in NAND Flash", ICNC 2012.
    """
    ratio, valid = 1.0 + over_provisioning, 0.5
    for _ in range(10_000):
        valid = exp(-ratio * (1.0 - valid))
    return 1.0 / (1.0 - valid)
