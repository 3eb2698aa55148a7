"""The base of the tables of all kinds of models."""

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
"""The parameter of kinds whose drives can be scaled down without changing their behaviour per drive fill."""

FAULTS_KEY: Final = "faults"
"""The faults of a drive of any kind."""


class ModelTable(ModelPart):
    """The parameters of a kind, named as in the engine. A subclass for each kind adds them."""

    faults: tuple[Fault, ...] = Field(
        default=(), max_length=FAULTS_MAX, description="Faults to inject, with their times."
    )

    def parameters(self) -> dict[str, Any]:
        """The kind and all parameters, as plain values for JSON. A mechanism that the drive lacks is omitted."""
        return self.model_dump(mode="json", exclude_none=True, exclude={FAULTS_KEY})

    def plain_faults(self) -> tuple[dict[str, Any], ...]:
        """The faults, as plain values for JSON."""
        return plain(self.faults)


def meaning_of(table: type[BaseModel], path: Sequence[str]) -> str:
    """The description of a field; ``path`` leads through the tables that contain it."""
    field = table.model_fields[path[0]]
    if len(path) == 1:
        return field.description or ""
    kinds: list[Any] = [field.annotation, *get_args(field.annotation)]
    part = next(each for each in kinds if isinstance(each, type) and issubclass(each, BaseModel))
    return meaning_of(part, path[1:])


@dataclass(frozen=True)
class Limit:
    """A limit that follows from a model's parameters: its value with a unit, and the reason."""

    name: str
    value: str
    why: str
