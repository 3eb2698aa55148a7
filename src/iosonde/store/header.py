"""run.json: the plan and the facts at the start of a run, with a checksum.

The checksum follows the schema version. It covers the version and all text after the checksum. A header that was
damaged or edited is refused, like a damaged frame of the journal. Versions 1 and 2 had no checksum.
"""

import hashlib
import json
import re
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from iosonde.errors import RecordError
from iosonde.records import SCHEMA_VERSION, RunHeader
from iosonde.records.base import first_error
from iosonde.store.files import RunFiles, open_files
from iosonde.store.names import HEADER_NAME
from iosonde.store.upgrades import upgraded_header
from iosonde.store.versions import check_version, newer, unknown_in

CHECKSUM_SINCE: Final = 3
_DIGEST_BYTES: Final = 8
_BEGINNING: Final = re.compile(r'\{\n "schema_version": (\d{1,9}),\n "checksum": "([0-9a-f]{16})",')


def header_text(header: RunHeader) -> str:
    """The text of run.json for a header, with its checksum."""
    beginning, rest = "{", header.model_dump_json(indent=1, exclude={"schema_version"}).removeprefix("{") + "\n"
    checksum = checksum_of(SCHEMA_VERSION, rest)
    return f'{beginning}\n "schema_version": {SCHEMA_VERSION},\n "checksum": "{checksum}",{rest}'


def load_header(path: Path) -> RunHeader:
    """Reads the header of a run from its directory or an archive. Raises RecordError."""
    with open_files(path) as files:
        return read_header(path, files)


def reading_hint(error: Exception) -> str:
    """The way out if a part of a run cannot be read."""
    if isinstance(error, PermissionError):
        return "make sure that you have read permission, or use a copy"
    return "use an intact copy of the run directory"


def read_header(path: Path, files: RunFiles) -> RunHeader:
    """The header of the run at ``path``, whose files are open. Raises RecordError."""
    try:
        text = files.read(HEADER_NAME).decode("utf-8")
    except FileNotFoundError as error:
        raise RecordError(
            f"{path} has no {HEADER_NAME}: it is not {files.kind}, or the run ended before the first trial",
            "specify a directory created by `iosonde run`, or start a new run",
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not valid UTF-8"
        raise RecordError(f"{path / HEADER_NAME} cannot be read: {reason}", reading_hint(error)) from error
    try:
        return _header_of(path, text)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        unknown = unknown_in(error)
        if unknown is not None:
            raise newer(path, unknown) from error
        reason = first_error(error) if isinstance(error, ValidationError) else str(error)
        raise RecordError(
            f"{path / HEADER_NAME} is damaged: {reason}", "use an intact copy of the run directory"
        ) from error


def written_version(path: Path) -> int:
    """The schema version of a run's header. Raises RecordError."""
    with open_files(path) as files:
        text = files.read(HEADER_NAME).decode("utf-8")
    return check_version(path, _object(text).get("schema_version"))


def _header_of(path: Path, text: str) -> RunHeader:
    text = _current(path, text)
    try:
        header = RunHeader.model_validate_json(text)
    except ValidationError:
        # For text that is not JSON, the message is that of Python's own parser.
        json.loads(text)
        raise
    # If a key occurs twice, the last one applies.
    check_version(path, header.schema_version)
    return header


def _current(path: Path, text: str) -> str:
    """The header's JSON in the form of this version, without the checksum. Raises ValueError if that does not match."""
    beginning = _BEGINNING.match(text)
    if beginning is None:
        found = _object(text)
        if check_version(path, found.get("schema_version")) >= CHECKSUM_SINCE:
            message = "the checksum after the schema version is missing"
            raise ValueError(message)
        return json.dumps(upgraded_header(found))
    version, rest = check_version(path, int(beginning[1])), text[beginning.end() :]
    if beginning[2] != checksum_of(version, rest):
        message = "its checksum does not match: it was modified or damaged after the run"
        raise ValueError(message)
    text = f'{{"schema_version":{version},{rest}'
    return text if version == SCHEMA_VERSION else json.dumps(upgraded_header(_object(text)))


def checksum_of(version: int, rest: str) -> str:
    """The checksum of a header of that version. ``rest`` is the text after the checksum."""
    return hashlib.blake2b(f"{version}{rest}".encode(), digest_size=_DIGEST_BYTES).hexdigest()


def _object(text: str) -> dict[str, Any]:
    found = json.loads(text)
    if not isinstance(found, dict):
        message = "it is not a JSON object"
        raise TypeError(message)
    return found
