"""The shipped data sheets, in the format of a user's file of expected values. Each value states its source."""

from iosonde.plans.shipped_files import shipped_names, shipped_text


def data_sheet_names() -> tuple[str, ...]:
    """The names of the shipped data sheets, sorted."""
    return shipped_names(__name__)


def data_sheet_text(name: str) -> str:
    """The file of a data sheet, which is one of ``data_sheet_names``."""
    return shipped_text(__name__, name)
