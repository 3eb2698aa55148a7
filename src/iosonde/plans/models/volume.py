"""Cloud volumes: limits for I/Os and bytes, each with a bucket of credits for bursts."""

from typing import Annotated, Final, Literal

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from iosonde.plans.models.table import SIZE_BYTES_MIN, SIZE_STEP_BYTES, Limit, ModelTable
from iosonde.units import SECOND_NS, format_bandwidth, format_duration, format_iops, format_size

# The engine has the same bounds.
IOPS_MAX: Final = 10**9
BYTES_PER_S_MIN: Final = 10**6
BYTES_PER_S_MAX: Final = 10**12
STREAM_BYTES: Final = 1 << 20
"""The block size of preconditioning writes."""

Iops = Annotated[int, Field(strict=True, ge=1, le=IOPS_MAX)]
Rate = Annotated[int, Field(strict=True, ge=BYTES_PER_S_MIN, le=BYTES_PER_S_MAX)]


class VolumeTable(ModelTable):
    """A cloud volume."""

    kind: Literal["volume"]
    capacity_bytes: int = Field(
        strict=True, ge=SIZE_BYTES_MIN, le=1 << 50, description="Capacity of the real volume, visible to the host."
    )
    capacity_scale: int = Field(
        strict=True,
        ge=1,
        le=1 << 20,
        description="Factor by which capacity and buckets of the simulated volume are smaller than those of the real "
        "one. Bursts are shorter by the same factor.",
    )
    latency_ns: int = Field(strict=True, ge=1, le=SECOND_NS, description="Median latency of an admitted request.")
    latency_sigma_permille: int = Field(
        strict=True,
        ge=0,
        le=2000,
        description="Standard deviation of the logarithm of the latency, in thousandths.",
    )
    in_flight_max: int = Field(
        strict=True, ge=1, le=65_536, description="Maximum number of requests in flight. Further requests wait."
    )
    io_bytes_max: int = Field(
        strict=True,
        ge=512,
        le=1 << 30,
        multiple_of=512,
        description="Largest request that costs one I/O credit. A larger one costs one for each started part of this "
        "size.",
    )
    base_iops: Iops = Field(description="I/O credits earned per second: the IOPS with an empty bucket.")
    burst_iops: Iops = Field(description="Maximum IOPS while the bucket of I/O credits is not empty.")
    bucket_io_credits: int = Field(
        strict=True, ge=0, le=1 << 50, description="Size of the bucket of I/O credits of the real volume (0: none)."
    )
    base_bytes_per_s: Rate = Field(description="Byte credits earned per second: the bandwidth with an empty bucket.")
    burst_bytes_per_s: Rate = Field(description="Maximum bandwidth while the bucket of byte credits is not empty.")
    bucket_bytes: int = Field(
        strict=True, ge=0, le=1 << 60, description="Size of the bucket of byte credits of the real volume (0: none)."
    )
    bucket_start_permille: int = Field(
        strict=True, ge=0, le=1000, description="Initial level of the buckets, in thousandths."
    )

    @field_validator("capacity_scale")
    @classmethod
    def _leaves_a_volume(cls, scale: int, info: ValidationInfo) -> int:
        capacity_bytes = info.data.get("capacity_bytes")
        if capacity_bytes is not None and capacity_bytes // scale < SIZE_BYTES_MIN:
            most = capacity_bytes // SIZE_BYTES_MIN
            raise _disagreement(
                f"{scale} leaves less than {SIZE_BYTES_MIN} bytes of the capacity", f"use a scale of at most {most}"
            )
        return scale

    @field_validator("burst_iops", "burst_bytes_per_s")
    @classmethod
    def _is_no_less_than_base(cls, burst: int, info: ValidationInfo) -> int:
        base_key = str(info.field_name).replace("burst", "base")
        base = info.data.get(base_key)
        if base is not None and burst < base:
            raise _disagreement(f"{burst} is less than {base_key} ({base})", f"use at least {base}")
        return burst

    @field_validator("bucket_io_credits", "bucket_bytes")
    @classmethod
    def _has_a_burst(cls, bucket: int, info: ValidationInfo) -> int:
        unit = "iops" if info.field_name == "bucket_io_credits" else "bytes_per_s"
        base, burst = info.data.get(f"base_{unit}"), info.data.get(f"burst_{unit}")
        if base is None or burst is None:
            return bucket
        if burst > base and not bucket:
            raise _disagreement(
                f"0 leaves no credits for a burst_{unit} above base_{unit}",
                f"use more than 0, or make burst_{unit} equal to base_{unit}",
            )
        if burst == base and bucket:
            raise _disagreement(
                f"{bucket} has no effect, because burst_{unit} equals base_{unit}",
                f"use 0, or a burst_{unit} above base_{unit}",
            )
        return bucket


def _disagreement(what: str, hint: str) -> PydanticCustomError:
    return PydanticCustomError("agree", "{what}", {"what": what, "hint": hint})


def volume_size_bytes(table: VolumeTable) -> int:
    """The capacity of the simulated volume."""
    return table.capacity_bytes // table.capacity_scale // SIZE_STEP_BYTES * SIZE_STEP_BYTES


def volume_bytes_per_s(table: VolumeTable) -> int:
    """The mean bandwidth of one sequential write of the whole volume, which begins with the buckets' initial level."""
    stream_credits = -(-STREAM_BYTES // table.io_bytes_max)
    start = table.bucket_start_permille / 1000 / table.capacity_scale
    limits = (
        (table.base_iops, table.burst_iops, table.bucket_io_credits * start, STREAM_BYTES / stream_credits),
        (table.base_bytes_per_s, table.burst_bytes_per_s, table.bucket_bytes * start, 1),
    )
    size_bytes = volume_size_bytes(table)
    return int(size_bytes / max(_time_s(size_bytes / bytes_each, *limit) for *limit, bytes_each in limits))


def _time_s(amount: float, base: float, burst: float, level: float) -> float:
    """The time to take an amount through a limit whose bucket has this level."""
    if burst == base:
        return amount / base
    burst_s = level / (burst - base)
    return min(amount / burst, burst_s) + max(amount - burst * burst_s, 0) / base


def volume_limits(table: VolumeTable) -> tuple[Limit, ...]:
    """Burst and base rates, and for how long a burst lasts and how long a bucket takes to fill."""
    found = [
        Limit("IOPS at queue depth 1", f"{format_iops(SECOND_NS / table.latency_ns)}/s", "1 / latency_ns"),
        Limit(
            "IOPS in bursts",
            f"{format_iops(table.burst_iops)}/s",
            f"burst_iops, for requests of up to {format_size(_even_bytes(table))}",
        ),
        *_bursts(
            "I/O credits",
            f"{format_iops(table.base_iops)}/s",
            (table.base_iops, table.burst_iops, table.bucket_io_credits),
            ("base_iops", "burst_iops", "bucket_io_credits"),
            table,
        ),
        Limit("bandwidth in bursts", format_bandwidth(table.burst_bytes_per_s), "burst_bytes_per_s"),
        *_bursts(
            "byte credits",
            format_bandwidth(table.base_bytes_per_s),
            (table.base_bytes_per_s, table.burst_bytes_per_s, table.bucket_bytes),
            ("base_bytes_per_s", "burst_bytes_per_s", "bucket_bytes"),
            table,
        ),
    ]
    return tuple(found)


def _even_bytes(table: VolumeTable) -> int:
    return min(table.burst_bytes_per_s // table.burst_iops, table.io_bytes_max)


def _bursts(
    name: str, base_text: str, values: tuple[int, int, int], keys: tuple[str, str, str], table: VolumeTable
) -> list[Limit]:
    base, burst, bucket = values
    if not bucket:
        return []
    base_key, burst_key, bucket_key = keys
    shorter = f" / capacity_scale ({table.capacity_scale})" if table.capacity_scale > 1 else ""

    def time(seconds: float) -> str:
        return format_duration(round(seconds / table.capacity_scale * SECOND_NS))

    return [
        Limit(f"sustained rate without {name}", base_text, base_key),
        Limit(
            f"burst from a full bucket of {name}",
            time(bucket / (burst - base)),
            f"{bucket_key} / ({burst_key} - {base_key}){shorter}",
        ),
        Limit(
            f"time to fill an empty bucket of {name} when idle",
            time(bucket / base),
            f"{bucket_key} / {base_key}{shorter}",
        ),
    ]
