"""A KeyboardInterrupt that a library wraps in an error of its own."""

import pytest
from pydantic import BaseModel, field_serializer
from pydantic_core import PydanticSerializationError

from iosonde.cli.signals import hides_an_interruption


class Interrupted(BaseModel):
    """A model whose serialisation to JSON is interrupted."""

    value: int = 1

    @field_serializer("value")
    def _write(self, value: int) -> int:
        raise KeyboardInterrupt(value)


def test_pydantic_tells_an_interruption_as_an_error_of_its_own_and_it_is_known_as_one() -> None:
    with pytest.raises(PydanticSerializationError) as raised:
        Interrupted().model_dump_json()
    assert hides_an_interruption(raised.value)


def test_an_interruption_is_found_behind_other_errors_and_nowhere_else() -> None:
    interruption, above = KeyboardInterrupt(), ValueError("no")
    above.__cause__ = interruption
    assert hides_an_interruption(above)
    assert not hides_an_interruption(ValueError("no"))
