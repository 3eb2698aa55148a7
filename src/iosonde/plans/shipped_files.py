"""The TOML files that iosonde ships, in packages of their own, and the values that name them or a user's file."""

from importlib.resources import files
from typing import Final

SUFFIX: Final = ".toml"


def is_path(name: str) -> bool:
    """Whether a value names a user's file: with a slash or the suffix .toml it does, else a shipped file."""
    return "/" in name or name.endswith(SUFFIX)


def file_name(name: str) -> str:
    """The name of the file that a value names, for error messages."""
    return name if is_path(name) else f"{name}{SUFFIX}"


def shipped_names(package: str) -> tuple[str, ...]:
    """The names of the shipped files of a package, sorted."""
    found = [entry.name for entry in files(package).iterdir()]
    return tuple(sorted(name.removesuffix(SUFFIX) for name in found if name.endswith(SUFFIX)))


def shipped_text(package: str, name: str) -> str:
    """The text of a shipped file, which is one of ``shipped_names``."""
    return files(package).joinpath(f"{name}{SUFFIX}").read_text(encoding="utf-8")
