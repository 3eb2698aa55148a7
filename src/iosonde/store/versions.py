"""What this version can read: what it does not know was written by a newer one, and is refused in words."""

from pathlib import Path
from typing import Final

from pydantic import ValidationError

from iosonde.errors import NewerError, RecordError
from iosonde.records import SCHEMA_VERSION

_FIELD_ERRORS: Final = frozenset({"extra_forbidden", "unexpected_keyword_argument"})
# A word of a vocabulary that has grown, or a pattern.
_VALUE_ERRORS: Final = frozenset({"enum", "literal_error", "quantity"})


def check_version(path: Path, version: object) -> int:
    """The version, if this one can read it. Raises NewerError, or RecordError for what is the version of nothing."""
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        told = "no schema version" if version is None else f"the schema version {version!r}"
        raise RecordError(
            f"{path} has {told}, which iosonde does not write", "use a copy of the run that iosonde wrote"
        )
    if version > SCHEMA_VERSION:
        raise NewerError(
            f"{path} was written by a newer iosonde (schema {version}; this one reads up to {SCHEMA_VERSION})",
            "install the newer iosonde to read it",
            final=True,
        )
    return version


def newer(path: Path, what: str) -> NewerError:
    """The error for a run that holds ``what`` this version does not know."""
    return NewerError(
        f"{path} was written by a newer iosonde: it has {what}, which this one (schema {SCHEMA_VERSION}) does not know",
        "install the newer iosonde to read it",
        final=True,
    )


def unknown_in(error: Exception) -> str | None:
    """What of a record a newer version must have written, in words; None where it is wrong for another reason."""
    if not isinstance(error, ValidationError):
        return None
    for each in error.errors():
        place = ".".join(str(part) for part in each["loc"])
        if each["type"] in _FIELD_ERRORS:
            return f"the field {place}"
        if each["type"] in _VALUE_ERRORS:
            return f"the value {each['input']!r} in {place}"
    return None
