"""The faults of a simulated drive and their times: the ``[[faults]]`` of a model file.

Times are virtual and count from the time when the run opened the drive. The engine has the same bounds.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any, Final, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from iosonde.plans.models.part import ModelPart
from iosonde.units import SECOND_NS
from iosonde.workload_keys.bounds import AMOUNT_BYTES_MAX

FAULTS_MAX: Final = 64
TIME_NS_MAX: Final = 365 * 86_400 * SECOND_NS

From_ns = Annotated[int, Field(strict=True, ge=0, le=TIME_NS_MAX, description="Start time.")]
Until_ns = Annotated[
    int, Field(strict=True, ge=1, le=TIME_NS_MAX, description="End time. Default: the fault is permanent.")
]
Length_ns = Annotated[int, Field(strict=True, ge=1, le=TIME_NS_MAX)]


class Affected(StrEnum):
    """The operations that a media error affects."""

    READS = "reads"
    WRITES = "writes"
    BOTH = "both"


class InFlight(StrEnum):
    """The fate of requests in flight when their drive disappears."""

    FAIL = "fail"
    LOST = "lost"


class LatencySpikes(ModelPart):
    """Periodically, requests that arrive during a burst take longer."""

    kind: Literal["latency_spikes"]
    from_ns: From_ns = 0
    period_ns: Length_ns = Field(description="Time between the starts of consecutive bursts.")
    length_ns: Length_ns = Field(description="Duration of a burst.")
    extra_ns: Length_ns = Field(description="Latency added to each request.")

    @model_validator(mode="after")
    def _fits(self) -> "LatencySpikes":
        if self.length_ns > self.period_ns:
            raise PydanticCustomError(
                "length",
                "length_ns = {length} is longer than period_ns = {period}",
                {
                    "length": self.length_ns,
                    "period": self.period_ns,
                    "hint": "reduce length_ns, or increase period_ns",
                },
            )
        return self


class MediaError(ModelPart):
    """Requests that touch a range of the medium fail with EIO, after their usual time."""

    kind: Literal["media_error"]
    from_ns: From_ns = 0
    offset_bytes: int = Field(strict=True, ge=0, le=AMOUNT_BYTES_MAX, description="Start offset of the faulty range.")
    length_bytes: int = Field(strict=True, ge=1, le=AMOUNT_BYTES_MAX, description="Length of the faulty range.")
    operations: Affected = Field(description="Operations that fail.")


class _Lasting(ModelPart):
    from_ns: From_ns = 0
    until_ns: Until_ns | None = None

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> "_Lasting":
        if self.until_ns is not None and self.until_ns <= self.from_ns:
            raise PydanticCustomError(
                "until",
                "until_ns = {until} is not after from_ns = {begin}",
                {"until": self.until_ns, "begin": self.from_ns, "hint": "use a later until_ns, or omit it"},
            )
        return self


class Throttling(_Lasting):
    """Every operation of the drive takes longer."""

    kind: Literal["throttling"]
    stretch_permille: int = Field(
        strict=True,
        ge=1000,
        le=1_000_000,
        description="Duration of every operation relative to normal, in thousandths.",
    )


class Stall(_Lasting):
    """The drive makes no progress until the stall ends, and then continues with its queue."""

    kind: Literal["stall"]


class Disappearance(ModelPart):
    """The drive disappears: every request fails with ENODEV."""

    kind: Literal["disappearance"]
    from_ns: From_ns = 0
    in_flight: InFlight = Field(
        description="Whether requests in flight when the drive disappears fail or never complete."
    )


Fault = Annotated[LatencySpikes | MediaError | Throttling | Stall | Disappearance, Field(discriminator="kind")]

FAULT_TABLES: Final[dict[str, type[ModelPart]]] = {
    "latency_spikes": LatencySpikes,
    "media_error": MediaError,
    "throttling": Throttling,
    "stall": Stall,
    "disappearance": Disappearance,
}
"""The kinds of faults, by their names in files."""


def plain(faults: Sequence[Fault]) -> tuple[dict[str, Any], ...]:
    """Faults in the engine's format, as plain values for JSON."""
    return tuple(fault.model_dump(mode="json", exclude_none=True) for fault in faults)
