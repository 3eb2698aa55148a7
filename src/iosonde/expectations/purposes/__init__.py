"""The shipped requirements of purposes. Each is a file in the same format as a user's, and names its campaign."""

from importlib.resources import files


def purpose_text(name: str) -> str:
    """The file of a purpose, which is one of ``iosonde.plans.PURPOSES``."""
    return files(__package__).joinpath(f"{name}.toml").read_text(encoding="utf-8")
