"""Tells files of standard procedures from other campaigns. Reading them needs far more, so it is in its own room."""

import re
from typing import Final

from iosonde.plans.shipped_files import shipped_names

LIST: Final = "procedure"
PACKAGE: Final = "iosonde.plans.procedures"
HEADER: Final = re.compile(r"^\s*\[\[?\s*([A-Za-z_.]+)\s*\]\]?")
"""The header of a table: its name, with dots."""


def procedure_names() -> tuple[str, ...]:
    """The names of the shipped procedures."""
    return shipped_names(PACKAGE)


def has_procedures(text: str) -> bool:
    """Whether a campaign file consists of procedures instead of experiments."""
    return any(match.group(1).split(".")[0] == LIST for line in text.splitlines() if (match := HEADER.match(line)))
