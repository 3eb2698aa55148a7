"""Models of simulated drives. In: the name of a shipped model, or the path of a model file. Out: a checked model.

Each shipped model is a file in this folder, in the same format as a user's. The kinds are listed in ``kinds.py``.
"""

from iosonde.errors import UsageError
from iosonde.plans.models.drive_model import Model
from iosonde.plans.models.read_model import read_model
from iosonde.plans.models.table import Limit
from iosonde.plans.shipped_files import file_name, is_path, shipped_names, shipped_text
from iosonde.plans.validation_errors import read_text

__all__ = ["Limit", "Model", "load_model", "model_names", "model_text", "read_model"]


def model_names() -> tuple[str, ...]:
    """The names of the shipped models."""
    return shipped_names(__name__)


def load_model(name: str) -> Model:
    """A shipped model by its name, or a user's by its path (with a slash or .toml). Raises UsageError."""
    return read_model(model_text(name), name, file_name(name))


def model_text(name: str) -> str:
    """The text of a model's file. Raises UsageError if there is no such model."""
    if is_path(name):
        return read_text(
            name, "a model file", f"a model such as {model_names()[0]} (`iosonde sim list` lists all models)"
        )
    if name not in model_names():
        raise UsageError(
            f"unknown model '{name}'",
            f"available models: {', '.join(model_names())}; for a model file, give its path, such as ./drive.toml",
        )
    return shipped_text(__name__, name)
