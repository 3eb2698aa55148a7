"""Hard disks: an actuator over rotating platters, a cache, and a queue that serves the nearest request first."""

from typing import Annotated, Final, Literal

from pydantic import Field

from iosonde.plans.models.table import Limit, ModelTable
from iosonde.units import SECOND_NS, format_bandwidth, format_iops, format_latency

# The engine has the same bounds, and further ones for combinations of values.
CACHE_BYTES_MAX: Final = 16 << 30
SKEW_WHY: Final = "bytes per cylinder / total time of its revolutions, head switches and seek to the next cylinder"
AGE_NS_MAX: Final = 60 * SECOND_NS

Move_ns = Annotated[int, Field(strict=True, ge=0, le=SECOND_NS)]
Seek_ns = Annotated[int, Field(strict=True, ge=1, le=SECOND_NS)]
Track_bytes = Annotated[int, Field(strict=True, ge=4096, le=64 << 20, multiple_of=512)]
Cache_bytes = Annotated[int, Field(strict=True, ge=0, le=CACHE_BYTES_MAX)]


class DiskTable(ModelTable):
    """A hard disk."""

    kind: Literal["disk"]
    size_bytes: int = Field(strict=True, ge=16 << 20, le=1 << 50, multiple_of=4096, description="Capacity.")
    rotation_rpm: int = Field(strict=True, ge=1000, le=100_000, description="Revolutions per minute.")
    heads: int = Field(strict=True, ge=1, le=64, description="Surfaces with data.")
    zones: int = Field(
        strict=True, ge=1, le=256, description="Number of zones. All tracks in a zone have the same size."
    )
    track_outer_bytes: Track_bytes = Field(description="Track size in the outermost zone (lowest addresses).")
    track_inner_bytes: Track_bytes = Field(description="Track size in the innermost zone.")
    seek_track_ns: Seek_ns = Field(description="Seek time to the next cylinder.")
    seek_knee_permille: int = Field(
        strict=True,
        ge=1,
        le=1000,
        description="Seek distance at which the square-root part of the seek curve ends, in thousandths of the full "
        "stroke.",
    )
    seek_knee_ns: Seek_ns = Field(description="Seek time at the end of the square-root part of the curve.")
    seek_full_ns: Seek_ns = Field(description="Full-stroke seek time.")
    head_switch_ns: Move_ns = Field(description="Head-switch time within a cylinder.")
    write_settle_ns: Move_ns = Field(description="Additional settling time before a write.")
    command_ns: Move_ns = Field(description="Time from the arrival of a command to the start of its execution.")
    interface_bytes_per_s: int = Field(strict=True, ge=10**6, le=10**12, description="Interface bandwidth.")
    queue_depth: int = Field(strict=True, ge=1, le=256, description="Maximum number of commands in the disk's queue.")
    queue_age_ns_max: int = Field(
        strict=True,
        ge=1,
        le=AGE_NS_MAX,
        description="Time in the queue after which a command is serviced ahead of commands closer to the disk head.",
    )
    write_cache_bytes: Cache_bytes = Field(description="Size of the write cache.")
    write_cache_stretches: int = Field(
        strict=True,
        ge=1,
        le=1 << 20,
        description="Maximum number of extents in the write cache. Adjacent writes are merged.",
    )
    destage_idle_ns: int = Field(
        strict=True, ge=0, le=AGE_NS_MAX, description="Actuator idle time before destaging starts."
    )
    read_ahead_bytes: Cache_bytes = Field(description="Read-ahead after a read if no commands are queued.")
    read_ahead_bytes_min: Cache_bytes = Field(
        description="Minimum read-ahead for a sequential stream, even if commands are queued."
    )
    read_ahead_segments: int = Field(
        strict=True, ge=1, le=256, description="Number of read-ahead segments in the cache."
    )


def disk_limits(table: DiskTable) -> tuple[Limit, ...]:
    """The limits that rotation and seeks impose."""
    turn_ns = 60 * SECOND_NS / table.rotation_rpm
    seek_ns = mean_seek_ns(table)
    alone_ns = seek_ns + turn_ns / 2 + table.command_ns
    outer, inner = zone_bytes_per_s(table)
    return (
        Limit("rotational delay, mean", format_latency(turn_ns / 2), "half a revolution"),
        Limit("seek, mean", format_latency(seek_ns), "mean over random pairs of positions, from the seek curve"),
        Limit(
            "random read IOPS at queue depth 1",
            f"{format_iops(SECOND_NS / alone_ns)}/s",
            "1 / (mean seek + half a revolution + command_ns)",
        ),
        Limit("bandwidth of the outermost zone", format_bandwidth(outer), SKEW_WHY),
        Limit("bandwidth of the innermost zone", format_bandwidth(inner), SKEW_WHY),
    )


def zone_bytes_per_s(table: DiskTable) -> tuple[float, float]:
    """Sequential bandwidth in the outermost and in the innermost zone, as data sheets give it.

    Each track of a cylinder takes one revolution. The skew from one track to the next allows for a head switch, and to
    the next cylinder for a seek. For writes it includes settling (Hitachi, Deskstar 7K500 specification, 4.4.4).
    """
    turns_ns = table.heads * (60 * SECOND_NS // table.rotation_rpm)
    skews_ns = (table.heads - 1) * table.head_switch_ns + table.seek_track_ns + table.heads * table.write_settle_ns
    # In a single zone, all tracks have the size of the outer ones.
    innermost_bytes = table.track_inner_bytes if table.zones > 1 else table.track_outer_bytes
    outer, inner = (
        min(table.heads * track_bytes * SECOND_NS / (turns_ns + skews_ns), table.interface_bytes_per_s)
        for track_bytes in (table.track_outer_bytes, innermost_bytes)
    )
    return outer, inner


def mean_bytes_per_s(table: DiskTable) -> int:
    """Mean sequential bandwidth over the whole disk: zones have equal track counts, and track sizes fall linearly."""
    return int(sum(zone_bytes_per_s(table)) / 2)


def mean_seek_ns(table: DiskTable, steps: int = 10_000) -> float:
    """The mean seek between two random cylinders. A distance of x of the full stroke has the density 2 (1 - x)."""
    knee = table.seek_knee_permille / 1000
    total = 0.0
    for step in range(steps):
        far = (step + 0.5) / steps
        if far <= knee:
            seek_ns = table.seek_track_ns + (table.seek_knee_ns - table.seek_track_ns) * (far / knee) ** 0.5
        else:
            seek_ns = table.seek_knee_ns + (table.seek_full_ns - table.seek_knee_ns) * (far - knee) / (1 - knee)
        total += seek_ns * 2 * (1 - far) / steps
    return total
