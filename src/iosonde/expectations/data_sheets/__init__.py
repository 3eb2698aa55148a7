"""The shipped data sheets. Each is a file in the same format as a user's, and every value in it has a source."""

from importlib.resources import files

_SUFFIX = ".toml"


def data_sheet_names() -> tuple[str, ...]:
    """The names of the shipped data sheets, sorted."""
    names = [entry.name for entry in files(__package__).iterdir()]
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)))


def data_sheet_text(name: str) -> str:
    """The file of a data sheet, which is one of ``data_sheet_names``."""
    return files(__package__).joinpath(f"{name}{_SUFFIX}").read_text(encoding="utf-8")
