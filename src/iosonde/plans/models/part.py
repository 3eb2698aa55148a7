"""The base of every table of a model."""

from pydantic import BaseModel, ConfigDict


class ModelPart(BaseModel):
    """A table of parameters with the unit at the end of each name. An unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)
