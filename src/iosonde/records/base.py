"""The base of every record: immutable, strict about names, and JSON in and out."""

from typing import Final

from pydantic import BaseModel, ConfigDict, ValidationError


class Record(BaseModel):
    """An immutable value. A field that the schema does not know is an error, never dropped in silence."""

    model_config = ConfigDict(frozen=True, extra="forbid")


COMPACT: Final = ConfigDict(extra="forbid")
"""For what a run has hundreds of thousands of: Pydantic's frozen dataclasses with slots, as strict as a Record.

A Record carries two dictionaries of its own; the slowest operations of a thousand cells took 250 MB by that.
"""


def first_error(error: ValidationError) -> str:
    """The first field that does not fit, and why."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
