"""The base of every record: immutable, strict about names, and JSON in and out."""

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """An immutable value. A field that the schema does not know is an error, never dropped in silence."""

    model_config = ConfigDict(frozen=True, extra="forbid")
