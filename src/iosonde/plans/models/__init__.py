"""Models of simulated drives. In: the name of a shipped model, or the path of a model file. Out: a checked model.

Each shipped model is a file in this folder, in the same format as a user's. The kinds are listed in ``kinds.py``.
"""

from importlib.resources import files

from iosonde.errors import UsageError
from iosonde.plans.models.drive_model import Model
from iosonde.plans.models.read_model import read_model
from iosonde.plans.models.table import Limit
from iosonde.plans.validation_errors import SUFFIX, is_path, read_text

__all__ = ["Limit", "Model", "load_model", "model_names", "model_text", "read_model"]


def model_names() -> tuple[str, ...]:
    """The names of the shipped models."""
    names = [entry.name for entry in files(__package__).iterdir()]
    return tuple(sorted(name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX)))


def load_model(name: str) -> Model:
    """A shipped model by its name, or a user's by its path (with a slash or .toml). Raises UsageError."""
    return read_model(model_text(name), name, name if is_path(name) else f"{name}{SUFFIX}")


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
    return files(__package__).joinpath(f"{name}{SUFFIX}").read_text(encoding="utf-8")
