"""SATA and SAS drives are purged by other programs, and read back like all others. The programs here are stand-ins."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.commands import iosonde
from tests.stories.loop_devices import attached, digest, need_root
from tests.stories.standin_tools import StandinTools
from tests.stories.test_guard import consent_words, inspected

MIB = 1 << 20
SIZE_BYTES = 48 * MIB
SET, ERASE, DISABLE = (
    f"hdparm --user-master u {each} iosonde"
    for each in ("--security-set-pass", "--security-erase", "--security-disable")
)


@pytest.fixture(autouse=True)
def _with_root() -> None:
    need_root("losetup")


@pytest.fixture
def backing(tmp_path: Path) -> Path:
    """The file of a loop device: random data, in which nothing can be recognised."""
    path = tmp_path / "image"
    path.write_bytes(bytes(MIB) + os.urandom(SIZE_BYTES - 2 * MIB) + bytes(MIB))
    return path


def purged(
    backing: Path, tools: StandinTools, method: str, *, without: bool = False
) -> tuple[int, dict[str, Any], str]:
    """The exit code, the record and the messages of a purge. ``without``: the programs are not there."""
    with attached(backing) as device:
        consents = consent_words({each["check"] for each in inspected(device)["refusals"]})
        words = ("prepare", device, "--purge", method, "--destroy", backing, *consents, "--json")
        path = "/nonexistent" if without else f"{tools.folder}:{os.environ['PATH']}"
        ended = iosonde(*words, PATH=path, XDG_STATE_HOME=str(backing.parent / "state"))
    return ended.returncode, json.loads(ended.stdout or "{}"), ended.stderr


@pytest.mark.parametrize(
    ("method", "called"),
    [
        ("ata-secure-erase", [SET, ERASE]),
        ("ata-enhanced-erase", [SET, "hdparm --user-master u --security-erase-enhanced iosonde"]),
        ("scsi-sanitize-block", ["sg_sanitize --block --quick"]),
        ("scsi-sanitize-crypto", ["sg_sanitize --crypto --quick"]),
        ("scsi-sanitize-overwrite", ["sg_sanitize --overwrite --zero --quick"]),
        ("scsi-format", ["sg_format --format --quick"]),
    ],
)
def test_a_drive_that_erases_is_purged(method: str, called: list[str], backing: Path, tmp_path: Path) -> None:
    tools = StandinTools(tmp_path / "tools")
    code, record, told = purged(backing, tools, method)
    assert (code, record.get("outcome")) == (0, "purged"), told
    assert [each for each in tools.told if each != "hdparm -I"] == called
    assert not tools.has_password
    assert record["devices"][0]["read_back"]["survivors"] == 0


def test_the_program_gets_the_handle_that_the_guard_granted_and_no_name(backing: Path, tmp_path: Path) -> None:
    tools = StandinTools(tmp_path / "tools")
    assert purged(backing, tools, "ata-secure-erase")[0] == 0
    (path,) = tools.devices
    assert re.fullmatch(r"/proc/\d+/fd/\d+", path)


@pytest.mark.parametrize("method", ["ata-secure-erase", "scsi-sanitize-block"])
def test_a_drive_that_reports_success_and_keeps_its_data_is_not_purged(
    method: str, backing: Path, tmp_path: Path
) -> None:
    code, record, told = purged(backing, StandinTools(tmp_path / "tools", "lies"), method)
    assert (code, record["outcome"]) == (11, "not-purged"), told
    assert record["purge"]["end"] == "completed"
    assert record["devices"][0]["read_back"]["survivors"] == 256


def test_a_frozen_drive_is_explained_and_nothing_is_sent_to_it(backing: Path, tmp_path: Path) -> None:
    before = digest(backing)
    tools = StandinTools(tmp_path / "tools", "frozen")
    code, _, told = purged(backing, tools, "ata-secure-erase")
    assert code == 3
    assert "are frozen, so it refuses to be erased" in told
    assert "suspend and resume it" in told
    assert set(tools.told) == {"hdparm -I"}
    assert digest(backing) == before


@pytest.mark.parametrize(
    ("drive", "said"),
    [("unsupported", "does not report ATA security"), ("locked", "has a password"), ("enabled", "has a password")],
)
def test_a_drive_that_cannot_be_erased_as_it_is_is_left_alone(
    drive: str, said: str, backing: Path, tmp_path: Path
) -> None:
    before = digest(backing)
    tools = StandinTools(tmp_path / "tools", drive)
    code, _, told = purged(backing, tools, "ata-enhanced-erase")
    assert (code, said in told) == (3, True), told
    assert set(tools.told) == {"hdparm -I"}
    assert digest(backing) == before


def test_the_password_is_cleared_if_the_erase_fails(backing: Path, tmp_path: Path) -> None:
    tools = StandinTools(tmp_path / "tools", "refuses")
    code, record, told = purged(backing, tools, "ata-secure-erase")
    assert (code, record["purge"]["end"]) == (11, "failed"), told
    assert "SECURITY_ERASE: Input/output error" in record["purge"]["reason"]
    assert [each for each in tools.told if each != "hdparm -I"] == [SET, ERASE, DISABLE]
    assert not tools.has_password


def test_a_password_that_cannot_be_cleared_is_told_with_the_command_that_clears_it(
    backing: Path, tmp_path: Path
) -> None:
    tools = StandinTools(tmp_path / "tools", "refuses", "keeps")
    code, record, _ = purged(backing, tools, "ata-secure-erase")
    assert code == 11
    assert "still has the password 'iosonde'" in record["purge"]["reason"]
    assert "hdparm --user-master u --security-disable iosonde /dev/loop" in record["purge"]["reason"]


def test_a_command_that_the_drive_does_not_know_is_not_purged(backing: Path, tmp_path: Path) -> None:
    code, record, _ = purged(backing, StandinTools(tmp_path / "tools", "refuses"), "scsi-sanitize-crypto")
    assert (code, record["purge"]["reason"]) == (11, "sg_sanitize failed: Sanitize command not supported")


@pytest.mark.parametrize(("method", "program"), [("ata-secure-erase", "hdparm"), ("scsi-format", "sg_format")])
def test_a_missing_program_is_told_before_anything_is_written(
    method: str, program: str, backing: Path, tmp_path: Path
) -> None:
    before = digest(backing)
    code, _, told = purged(backing, StandinTools(tmp_path / "tools"), method, without=True)
    assert (code, f"requires {program}" in told) == (3, True), told
    assert digest(backing) == before
