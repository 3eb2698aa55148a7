"""A distribution as counts in log-linear buckets."""

from typing import Literal, Self

from pydantic import Field, model_validator
from pydantic.dataclasses import dataclass

from iosonde.records.base import COMPACT


@dataclass(frozen=True, slots=True, kw_only=True, config=COMPACT)
class Layout:
    """How bucket numbers map to values.

    With ``b = log2(buckets_per_octave)``, a value below ``2^b`` is its own bucket; above, with
    ``s = floor(log2 value) - b``, the bucket is ``s * buckets_per_octave + (value >> s)``. It covers every u64. With
    ``ceiling_ns`` it covers values below the ceiling, and the last bucket also has all larger values. fio has 64
    buckets per octave and a ceiling of 2^34 ns.
    """

    kind: Literal["log_linear"] = "log_linear"
    buckets_per_octave: int = Field(default=128, ge=2)
    ceiling_ns: int | None = Field(default=None, ge=1)


@dataclass(frozen=True, slots=True, kw_only=True, config=COMPACT)
class Histogram:
    """Sparse counts: ``count[i]`` values in nanoseconds are in bucket ``bucket[i]``. Buckets ascend."""

    kind: Literal["histogram"] = "histogram"
    layout: Layout = Layout()
    bucket: tuple[int, ...]
    count: tuple[int, ...]

    @model_validator(mode="after")
    def _parallel(self) -> Self:
        if len(self.bucket) != len(self.count):
            message = f"{len(self.bucket)} buckets, but {len(self.count)} counts"
            raise ValueError(message)
        return self
