"""The identities of devices that may be destroyed."""

from pathlib import Path

import pytest

from iosonde.cli.destroyed import identities
from iosonde.errors import UsageError


def test_options_and_lines_of_a_file_are_joined_without_repetition(tmp_path: Path) -> None:
    listed = tmp_path / "drives"
    listed.write_text("# bench 3\nS1\n\n  S2  # scratch\nS1\n", encoding="utf-8")
    assert identities(["S0", "S2"], listed) == ("S0", "S2", "S1")
    assert identities(None, None) == ()


def test_blanks_within_an_identity_count_once() -> None:
    assert identities(["t10.ATA     Samsung"], None) == ("t10.ATA Samsung",)


@pytest.mark.parametrize(
    ("content", "said"), [(b"", "has no identities"), (b"# none\n", "has no identities"), (b"\xff\xfe", "not UTF-8")]
)
def test_a_file_without_identities_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    listed = tmp_path / "drives"
    listed.write_bytes(content)
    with pytest.raises(UsageError, match=said):
        identities(None, listed)


def test_a_missing_file_and_an_empty_option_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        identities(None, tmp_path / "missing")
    with pytest.raises(UsageError, match="--destroy is empty"):
        identities([" "], None)
