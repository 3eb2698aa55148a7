"""A model of a drive: its parameters, their sources, and the limits that follow from them."""

from dataclasses import dataclass, replace
from typing import Any

from iosonde.plans.models.faults import MediaError
from iosonde.plans.models.kinds import KINDS, Kind
from iosonde.plans.models.table import FAULTS_KEY, SCALE_KEY, Limit, ModelTable, meaning_of


@dataclass(frozen=True)
class Model:
    """``name`` is the name on the command line. ``sources`` has the source of each parameter, by dotted key.

    ``leaves_out`` lists properties of the real drive that the model lacks, one sentence each.
    """

    name: str
    title: str
    about: str
    table: ModelTable
    sources: dict[str, str]
    leaves_out: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """The name of its kind."""
        return str(self.parameters["kind"])

    @property
    def parameters(self) -> dict[str, Any]:
        """Its kind and its parameters, in the engine's format."""
        return self.table.parameters()

    def meaning(self, key: str) -> str:
        """The description of a parameter. ``key`` is dotted."""
        return meaning_of(type(self.table), key.split("."))

    @property
    def faults(self) -> tuple[dict[str, Any], ...]:
        """The fault schedule of its drives, in the engine's format."""
        return self.table.plain_faults()

    @property
    def error_beyond(self) -> str | None:
        """The key of the first media error beyond the end of the drive; None if there is none."""
        size_bytes = self.size_bytes
        for number, fault in enumerate(self.table.faults):
            if isinstance(fault, MediaError) and fault.offset_bytes + fault.length_bytes > size_bytes:
                return f"{FAULTS_KEY}.{number}"
        return None

    @property
    def size_bytes(self) -> int:
        """The capacity of its drives."""
        return self._row.size_bytes(self.table)

    @property
    def limits(self) -> tuple[Limit, ...]:
        """The limits that follow from its parameters."""
        return self._row.limits(self.table)

    @property
    def can_be_scaled(self) -> bool:
        """Whether its drives can be scaled down without changing their behaviour per drive fill."""
        return self._row.can_be_scaled

    @property
    def scale(self) -> int:
        """The factor by which its drives are smaller than the real drive."""
        return int(self.parameters.get(SCALE_KEY, 1))

    def scaled(self, scale: int) -> "Model":
        """The same model with another scale, checked as a whole. Raises pydantic's ValidationError."""
        parameters = {**self.parameters, SCALE_KEY: scale, FAULTS_KEY: self.faults}
        return replace(self, table=self._row.table.model_validate(parameters))

    @property
    def _row(self) -> Kind:
        return KINDS[str(self.table.model_dump(include={"kind"})["kind"])]
