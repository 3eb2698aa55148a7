"""What every table within a model has in common."""

from pydantic import BaseModel, ConfigDict


class ModelPart(BaseModel):
    """A table of parameters, units last in their names. A key that it does not know is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)
