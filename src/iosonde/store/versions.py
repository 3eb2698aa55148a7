"""Which runs this version can read. Unknown content was written by a newer version, and is refused."""

from pathlib import Path
from typing import Final

from pydantic import ValidationError

from iosonde.errors import NewerError, RecordError
from iosonde.records import SCHEMA_VERSION

_FIELD_ERRORS: Final = frozenset({"extra_forbidden", "unexpected_keyword_argument"})
# A new value of an enumeration, or one that does not match a pattern.
_VALUE_ERRORS: Final = frozenset({"enum", "literal_error", "quantity"})


def check_version(path: Path, version: object) -> int:
    """The schema version, if this iosonde can read it. Raises NewerError, or RecordError for an invalid version."""
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        description = "no schema version" if version is None else f"the invalid schema version {version!r}"
        raise RecordError(
            f"{path} has {description}: it was modified, or iosonde did not write it",
            "use an unmodified copy of the run",
        )
    if version > SCHEMA_VERSION:
        raise NewerError(
            f"{path} was written by a newer iosonde (schema {version}; this version supports up to {SCHEMA_VERSION})",
            "upgrade iosonde to read this run",
            final=True,
        )
    return version


def newer(path: Path, what: str) -> NewerError:
    """The error for a run that contains ``what``, which this version does not know."""
    return NewerError(
        f"{path} was written by a newer iosonde: this version (schema {SCHEMA_VERSION}) does not support {what}",
        "upgrade iosonde to read this run",
        final=True,
    )


def unknown_in(error: Exception) -> str | None:
    """Describes the content of a record that a newer version wrote; None if the error has another reason."""
    if not isinstance(error, ValidationError):
        return None
    for each in error.errors():
        place = ".".join(str(part) for part in each["loc"])
        if each["type"] in _FIELD_ERRORS:
            return f"the field {place}"
        if each["type"] in _VALUE_ERRORS:
            return f"the value {each['input']!r} in {place}"
    return None
