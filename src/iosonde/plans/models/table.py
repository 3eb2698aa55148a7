"""What every model's table has, whatever its kind."""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from iosonde.plans.limits import AMOUNT_BYTES_MAX

SIZE_STEP_BYTES: Final = 4096
SIZE_BYTES_MIN: Final = 16 << 20

SizeBytes = Annotated[
    int,
    Field(
        strict=True,
        ge=SIZE_BYTES_MIN,
        le=AMOUNT_BYTES_MAX,
        multiple_of=SIZE_STEP_BYTES,
        description="The size that the host sees.",
    ),
]
"""The size of a drive."""

SCALE_KEY: Final = "capacity_scale"
"""The parameter of kinds whose drives can be made smaller without another shape in drive fills."""


class ModelPart(BaseModel):
    """A table of parameters, units last in their names. A key that it does not know is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ModelTable(ModelPart):
    """The parameters of a kind, by the names that the engine knows them by; subclasses say which kind."""

    def parameters(self) -> dict[str, Any]:
        """All of them with the kind, as plain values for JSON; a mechanism that the drive lacks is not there."""
        return self.model_dump(mode="json", exclude_none=True)


@dataclass(frozen=True)
class Limit:
    """Something that follows from a model's parameters: the value with its unit, and why it is so."""

    name: str
    value: str
    why: str
