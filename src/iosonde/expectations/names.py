"""The names of expected values: those of shipped data sheets and purposes, and the paths of files."""

import difflib
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Final

from iosonde.errors import UsageError
from iosonde.expectations.data_sheets import data_sheet_names, data_sheet_text
from iosonde.expectations.expected import Expected
from iosonde.expectations.purposes import purpose_text
from iosonde.plans import DEFAULT_PROFILE, PURPOSES
from iosonde.plans.shipped_files import SUFFIX, is_path

_NEAR_CUTOFF: Final = 0.5
"""Names with a lower similarity are not meant: ``s4510`` and ``intel-d3-s4510`` have 0.53."""


def expected_values(name: str) -> Expected:
    """What ``--against`` names: a data sheet, a purpose, or the path of a file. Raises UsageError."""
    if is_path(name):
        return Expected.read(name)
    if name in PURPOSES:
        return _shipped_purpose(name)
    if name in data_sheet_names():
        return Expected.of(name, data_sheet_text(name))
    near = difflib.get_close_matches(name, (*data_sheet_names(), *PURPOSES), n=1, cutoff=_NEAR_CUTOFF)
    meant = f"did you mean {near[0]}? " if near else ""
    raise UsageError(
        f"unknown data sheet '{name}'",
        f"{meant}available data sheets: {', '.join(data_sheet_names())}; purposes: {', '.join(PURPOSES)}; "
        f"{_file_hint(name, 'expected values')}",
    )


def requirements(name: str) -> Expected:
    """What ``--for`` names: a purpose, or the path of a file with a campaign. Raises UsageError."""
    if is_path(name):
        expected = replace(Expected.read(name), is_purpose=True)
        if not expected.table.campaign:
            raise UsageError(
                f"{name} does not name a campaign",
                'add campaign = "etcd" or the path of a campaign file before the first [[expect]]',
            )
        return expected
    if name in PURPOSES:
        return _shipped_purpose(name)
    raise UsageError(
        f"unknown purpose '{name}'", f"available purposes: {', '.join(PURPOSES)}; {_file_hint(name, 'requirements')}"
    )


def campaign_and_bounds(
    purpose: str | None, profile: str | None, against: str | None = None
) -> tuple[str, Expected | None]:
    """The campaign to run, as ``--profile`` takes it, and the expected values to compare it with. Raises UsageError."""
    if purpose is None:
        return profile or DEFAULT_PROFILE, None if against is None else expected_values(against)
    for flag, value in (("--profile", profile), ("--against", against)):
        if value is not None:
            raise UsageError(
                f"--for and {flag} cannot be combined: a purpose has its own campaign and requirements",
                f"omit {flag}, or write a file with requirements and its campaign (see docs/guides/good-enough.md)",
            )
    expected = requirements(purpose)
    return expected.campaign, expected


def _shipped_purpose(name: str) -> Expected:
    return Expected.of(name, purpose_text(name), is_purpose=True)


def _file_hint(name: str, content: str) -> str:
    """How to name a file. A file with this very name may be in the working directory."""
    with suppress(OSError, ValueError):
        if Path(name).is_file():
            return f"for the file {name} in this directory, write ./{name}"
    return f"for a file with {content}, give its path, such as ./{name}{SUFFIX}"
