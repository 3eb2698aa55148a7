"""A model: what a simulated drive is made of, where each value comes from, and what follows from them."""

from dataclasses import dataclass, replace
from typing import Any

from iosonde.plans.models.faults import MediaError
from iosonde.plans.models.kinds import KINDS, Kind
from iosonde.plans.models.table import FAULTS_KEY, SCALE_KEY, Limit, ModelTable, meaning_of


@dataclass(frozen=True)
class Model:
    """``name`` is what it is called on the command line; ``sources`` are by dotted key.

    ``leaves_out`` says what the drive has that the model does not, a sentence each.
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
        """Its kind and its parameters, as the engine takes them."""
        return self.table.parameters()

    def meaning(self, key: str) -> str:
        """What a parameter is, in the words that its table has for it; ``key`` is dotted."""
        return meaning_of(type(self.table), key.split("."))

    @property
    def faults(self) -> tuple[dict[str, Any], ...]:
        """What goes wrong with its drives and when, as the engine takes it."""
        return self.table.plain_faults()

    @property
    def error_beyond(self) -> str | None:
        """The first media error that does not lie on a drive of it, by its key; None if all do."""
        size_bytes = self.size_bytes
        for number, fault in enumerate(self.table.faults):
            if isinstance(fault, MediaError) and fault.offset_bytes + fault.length_bytes > size_bytes:
                return f"{FAULTS_KEY}.{number}"
        return None

    @property
    def size_bytes(self) -> int:
        """The size of a drive of it."""
        return self._row.size_bytes(self.table)

    @property
    def limits(self) -> tuple[Limit, ...]:
        """What follows from its parameters."""
        return self._row.limits(self.table)

    @property
    def can_be_scaled(self) -> bool:
        """Whether its drives can be made smaller without another shape in drive fills."""
        return self._row.can_be_scaled

    @property
    def scale(self) -> int:
        """How many times smaller than the real drive a drive of it is."""
        return int(self.parameters.get(SCALE_KEY, 1))

    def scaled(self, scale: int) -> "Model":
        """The same model with another scale, checked as a whole. Raises pydantic's ValidationError."""
        parameters = {**self.parameters, SCALE_KEY: scale, FAULTS_KEY: self.faults}
        return replace(self, table=self._row.table.model_validate(parameters))

    @property
    def _row(self) -> Kind:
        return KINDS[str(self.table.model_dump(include={"kind"})["kind"])]
