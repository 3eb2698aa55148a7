"""The purposes of ``--for``: their files, and the verdict after a run."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.cli.options import DEFAULT_PROFILE
from iosonde.errors import ExpectationError, IosondeError, UndecidedError, UsageError
from iosonde.plans import PURPOSES

# Few runs have expected values, and their files' schema takes long to load.
if TYPE_CHECKING:
    from iosonde.cli.expected import Expected
    from iosonde.expectations import CheckedResults


def campaign_and_bounds(
    purpose: str | None, profile: str | None, against: Path | None = None
) -> tuple[str, "Expected | None"]:
    """The campaign to run, as ``--profile`` takes it, and the expected values to compare it with. Raises UsageError."""
    if purpose is None:
        return profile or DEFAULT_PROFILE, None if against is None else _read(against)
    for flag, value in (("--profile", profile), ("--against", against)):
        if value is not None:
            raise UsageError(
                f"--for and {flag} cannot be combined: a purpose has its own campaign and requirements",
                f"omit {flag}, or write a file with requirements and its campaign (see docs/guides/good-enough.md)",
            )
    # As with --profile, a value with a slash or with the suffix .toml is a file.
    return _users(Path(purpose)) if "/" in purpose or purpose.endswith(".toml") else _shipped(purpose)


def _read(path: Path) -> "Expected":
    from iosonde.cli.expected import Expected

    return Expected.read(path)


def _shipped(name: str) -> tuple[str, "Expected"]:
    if name not in PURPOSES:
        raise UsageError(
            f"unknown purpose '{name}'",
            f"available purposes: {', '.join(PURPOSES)}; for a file with requirements, give its path, such as "
            f"./{name}.toml",
        )
    from iosonde.cli.expected import Expected
    from iosonde.expectations import read_expectations
    from iosonde.expectations.purposes import purpose_text

    text, file = purpose_text(name), f"{name}.toml"
    table = read_expectations(text, file)
    return table.campaign, Expected(Path(file), text, table, is_purpose=True)


def _users(path: Path) -> tuple[str, "Expected"]:
    expected = replace(_read(path), is_purpose=True)
    campaign = expected.table.campaign
    if not campaign:
        raise UsageError(
            f"{path} does not name a campaign",
            'add campaign = "etcd" or the path of a campaign file before the first [[expect]]',
        )
    is_file = "/" in campaign or campaign.endswith(".toml")
    return str(path.parent / campaign) if is_file else campaign, expected


def print_verdict(checked: "CheckedResults") -> IosondeError | None:
    """Prints the checks and the verdict for a purpose. Returns the error if it is not met or undecided."""
    from iosonde.cli.text_width import print_paper
    from iosonde.expectations import Verdict
    from iosonde.report.terminal.checked import render_checked

    print_paper(render_checked(checked))
    number, failed, undecided = len(checked.checks), checked.count(Verdict.FAIL), checked.count(Verdict.UNDECIDED)
    if failed:
        return ExpectationError(
            f"not good enough for {checked.name}: {failed} of {number} requirements missed",
            "the report has all requirements with their sources",
        )
    if undecided:
        return UndecidedError(
            f"undecided whether it is good enough for {checked.name}: {undecided} of {number} requirements",
            "measure longer, or remove the causes listed above",
        )
    return None
