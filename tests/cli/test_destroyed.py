"""The identities of devices that may be destroyed."""

import os
from pathlib import Path

import pytest

from iosonde.cli.destroyed import identities
from iosonde.errors import UsageError


def test_options_and_lines_of_a_file_are_joined_without_repetition(tmp_path: Path) -> None:
    listed = tmp_path / "drives"
    listed.write_text("# bench 3\nS1\n\n  S2  # scratch\nS1\n", encoding="utf-8")
    assert identities(["S0", "S2"], listed) == ("S0", "S2", "S1")
    assert identities(None, None) == ()


@pytest.mark.parametrize(
    ("line", "identity"),
    [
        ("/srv/d1.img#2", "/srv/d1.img#2"),
        ("S1\t# scratch", "S1"),
        ("  #S1", None),
        ("# retired: \x0cS9", None),
        ("# retired: \u2028S9", None),
        ("t10.ATA     Samsung", "t10.ATA     Samsung"),
    ],
)
def test_only_what_a_line_says_is_permitted(tmp_path: Path, line: str, identity: str | None) -> None:
    listed = tmp_path / "drives"
    listed.write_bytes(f"first\n{line}\n".encode())
    assert identities(None, listed) == ("first", *([] if identity is None else [identity]))


def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="not a regular file"):
        identities(None, tmp_path / "pipe")


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
