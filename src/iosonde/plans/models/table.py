"""What every model's table has, whatever its kind."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, get_args

from pydantic import BaseModel, Field

from iosonde.plans.models.faults import FAULTS_MAX, Fault, plain
from iosonde.plans.models.part import ModelPart
from iosonde.workload_keys.bounds import AMOUNT_BYTES_MAX

SIZE_STEP_BYTES: Final = 4096
SIZE_BYTES_MIN: Final = 16 << 20

SizeBytes = Annotated[
    int,
    Field(
        strict=True,
        ge=SIZE_BYTES_MIN,
        le=AMOUNT_BYTES_MAX,
        multiple_of=SIZE_STEP_BYTES,
        description="Capacity visible to the host.",
    ),
]
"""The size of a drive."""

SCALE_KEY: Final = "capacity_scale"
"""The parameter of kinds whose drives can be made smaller without another shape in drive fills."""

FAULTS_KEY: Final = "faults"
"""What goes wrong with a drive of any kind."""


class ModelTable(ModelPart):
    """The parameters of a kind, by the names that the engine knows them by; subclasses say which kind."""

    faults: tuple[Fault, ...] = Field(
        default=(), max_length=FAULTS_MAX, description="Faults to inject, with their times."
    )

    def parameters(self) -> dict[str, Any]:
        """All of them with the kind, as plain values for JSON; a mechanism that the drive lacks is not there."""
        return self.model_dump(mode="json", exclude_none=True, exclude={FAULTS_KEY})

    def plain_faults(self) -> tuple[dict[str, Any], ...]:
        """What goes wrong, as plain values for JSON."""
        return plain(self.faults)


def meaning_of(table: type[BaseModel], path: Sequence[str]) -> str:
    """What a field is, in the words that its table, or the part that it lies in, has for it."""
    field = table.model_fields[path[0]]
    if len(path) == 1:
        return field.description or ""
    kinds: list[Any] = [field.annotation, *get_args(field.annotation)]
    part = next(each for each in kinds if isinstance(each, type) and issubclass(each, BaseModel))
    return meaning_of(part, path[1:])


@dataclass(frozen=True)
class Limit:
    """Something that follows from a model's parameters: the value with its unit, and why it is so."""

    name: str
    value: str
    why: str
