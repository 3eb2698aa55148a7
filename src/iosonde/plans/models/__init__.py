"""What simulated drives are made of. In: the name of a shipped model, or a file like one. Out: a checked model.

Every model that comes with iosonde is a file here, like any user's; their kinds stand in ``kinds.py``.
"""

from importlib.resources import files

from iosonde.errors import UsageError
from iosonde.plans.models.drive_model import Model
from iosonde.plans.models.read_model import read_model
from iosonde.plans.models.table import Limit
from iosonde.plans.validation_errors import read_text

__all__ = ["Limit", "Model", "load_model", "model_names", "model_text", "read_model"]

_SUFFIX = ".toml"


def model_names() -> tuple[str, ...]:
    """The names of the models that come with iosonde."""
    names = [entry.name for entry in files(__package__).iterdir()]
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)))


def load_model(name: str) -> Model:
    """A model by its name, or from a file of the user's: a path has a slash or ends like a file. Raises UsageError."""
    return read_model(model_text(name), name, name if _is_path(name) else f"{name}{_SUFFIX}")


def model_text(name: str) -> str:
    """The file of a model, as it was written. Raises UsageError where there is none."""
    if _is_path(name):
        return read_text(
            name, "a model file", f"a model such as {model_names()[0]} (`iosonde sim list` lists all models)"
        )
    if name not in model_names():
        raise UsageError(
            f"unknown model '{name}'",
            f"available models: {', '.join(model_names())}; for a model file, give its path, such as ./drive.toml",
        )
    return files(__package__).joinpath(f"{name}{_SUFFIX}").read_text(encoding="utf-8")


def _is_path(name: str) -> bool:
    return "/" in name or name.endswith(_SUFFIX)
