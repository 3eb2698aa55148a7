"""A device is purged only if that was permitted, and only what is read back decides whether it was."""

import json
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.commands import command, iosonde
from tests.stories.devices_in_use import TWO, WAYS, Way, divide
from tests.stories.loop_devices import attached, digest, need_root
from tests.stories.standin_drive import built, standing_in
from tests.stories.test_guard import claim_of, consent_words, engine, inspected, opening, put_to_use

MIB = 1 << 20
SIZE_BYTES = 48 * MIB
ALL = "sanitize=7 fna=4"
SEVERAL = 20


@pytest.fixture(autouse=True)
def _with_root() -> None:
    need_root("losetup")


@pytest.fixture
def backing(tmp_path: Path) -> Path:
    """The file of a loop device: random data, in which nothing can be recognised."""
    path = tmp_path / "image"
    path.write_bytes(bytes(MIB) + os.urandom(SIZE_BYTES - 2 * MIB) + bytes(MIB))
    return path


@pytest.fixture
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("library"))


@pytest.fixture
def anyway(backing: Path) -> list[str]:
    """The consents that a free device needs here: root in a container may not look into every process."""
    with attached(backing) as free:
        return consent_words({each["check"] for each in inspected(free)["refusals"]})


class Ended:
    """A command that has ended, with its record if it left one."""

    def __init__(self, ended: subprocess.CompletedProcess[str]) -> None:
        self.code, self.stdout, self.stderr = ended.returncode, ended.stdout, ended.stderr
        self.record: dict[str, Any] = json.loads(ended.stdout) if ended.stdout.startswith("{") else {}


def run(device: Path, state: Path, *words: object, environment: dict[str, str] | None = None) -> Ended:
    preloaded = {"LD_PRELOAD": "", "STANDIN": "", **(environment or {})}
    library, settings = preloaded["LD_PRELOAD"], preloaded["STANDIN"]
    ended = iosonde(
        "prepare",
        device,
        *words,
        COLUMNS="250",
        XDG_STATE_HOME=str(state),
        LD_PRELOAD=library,
        STANDIN=settings,
    )
    return Ended(ended)


def purge(backing: Path, anyway: list[str], *words: object, library: Path | None = None, settings: str = ALL) -> Ended:
    """Purges a loop device over the file, and returns the record."""
    environment = None if library is None else standing_in(library, settings)
    words = (*words, "--destroy", backing, *anyway, "--json")
    with attached(backing) as device:
        return run(device, backing.parent / "state", *words, environment=environment)


def read_back(ended: Ended) -> dict[str, Any]:
    found: dict[str, Any] = ended.record["devices"][0]["read_back"]
    return found


def test_a_discard_is_read_back_and_nothing_that_was_there_survives(backing: Path, anyway: list[str]) -> None:
    ended = purge(backing, anyway, "--purge", "discard")
    assert (ended.code, ended.record["outcome"]) == (0, "purged"), ended.stderr
    before = ended.record["devices"][0]["sampled"]
    assert (before["places"], before["sentinels"] + before["data"]) == (256, 256)
    assert before["sentinels"] >= 128
    assert before["data"] > 100
    found = read_back(ended)
    assert (found["survivors"], found["places"], found["content"]["zero_bytes"]) == (0, 256, 256 * 4096)
    assert backing.read_bytes().count(0) == SIZE_BYTES


def test_all_of_a_device_can_be_read(backing: Path, anyway: list[str]) -> None:
    ended = purge(backing, anyway, "--purge", "discard", "--read-all")
    assert ended.code == 0, ended.stderr
    found = read_back(ended)
    assert (found["read_bytes"], found["content"]["zero_bytes"]) == (SIZE_BYTES, SIZE_BYTES)
    assert ended.record["devices"][0]["sampled"]["data"] > 11_000


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("format", "fna=0"),
        ("crypto-format", "fna=4 noise=1"),
        ("sanitize-block", "sanitize=2 sanitize_s=2"),
        ("sanitize-crypto", "sanitize=1 noise=1"),
        ("sanitize-overwrite", "sanitize=4 sanitize_s=1"),
    ],
)
def test_a_drive_that_erases_is_purged(
    method: str, settings: str, backing: Path, anyway: list[str], library: Path
) -> None:
    ended = purge(backing, anyway, "--purge", method, library=library, settings=settings)
    assert (ended.code, ended.record["outcome"]) == (0, "purged"), ended.stderr
    assert (ended.record["purge"]["end"], ended.record["purge"]["method"]) == ("completed", method)
    assert read_back(ended)["survivors"] == 0
    kind = "other_bytes" if "noise" in settings else "zero_bytes"
    assert read_back(ended)["content"][kind] == 256 * 4096
    assert (ended.record["purge"]["after"]["sanitize"] is None) == ("sanitize=" not in settings)


@pytest.mark.parametrize("method", ["format", "crypto-format", "sanitize-block"])
def test_a_drive_that_reports_success_and_keeps_its_data_is_not_purged(
    method: str, backing: Path, anyway: list[str], library: Path
) -> None:
    ended = purge(backing, anyway, "--purge", method, library=library, settings=f"{ALL} lie=1")
    assert (ended.code, ended.record["outcome"]) == (11, "not-purged"), ended.stderr
    assert read_back(ended)["survivors"] == 256
    assert "256 of 256 places still hold their data" in ended.stderr


def test_data_that_survives_in_one_half_is_found_there(backing: Path, anyway: list[str], library: Path) -> None:
    ended = purge(backing, anyway, "--purge", "sanitize-block", library=library, settings=f"{ALL} half=1")
    assert (ended.code, ended.record["outcome"]) == (11, "not-purged"), ended.stderr
    found = read_back(ended)
    assert 127 <= found["survivors"] <= 129
    assert len(found["first_survivors"]) == SEVERAL
    assert min(found["first_survivors"]) >= SIZE_BYTES // 2


def test_a_discard_that_is_ignored_is_not_verified(backing: Path, anyway: list[str], library: Path) -> None:
    ended = purge(backing, anyway, "--purge", "discard", library=library, settings="deaf=1")
    assert (ended.code, ended.record["outcome"]) == (12, "not-verified"), ended.stderr
    assert read_back(ended)["survivors"] == 256
    assert "a drive is free to ignore a discard" in ended.stderr


@pytest.mark.parametrize(
    ("settings", "code", "told"),
    [
        ("sanitize=2 fail=1", 11, "NVMe status 0x015, Operation Denied"),
        ("sanitize=2 fail=2", 11, "the drive reports that it failed"),
        ("sanitize=2 stale=1", 12, "the log is of another operation"),
        ("sanitize=2 shrink=1", 12, "the namespace has another size or LBA format than before"),
    ],
)
def test_only_the_status_log_says_how_a_sanitize_operation_ended(
    settings: str, code: int, told: str, backing: Path, anyway: list[str], library: Path
) -> None:
    ended = purge(backing, anyway, "--purge", "sanitize-block", library=library, settings=settings)
    assert ended.code == code, ended.stderr
    assert told in ended.record["reasons"][0] + ended.stderr


def interrupted(
    backing: Path, anyway: list[str], method: str, environment: dict[str, str], after_s: float
) -> tuple[int, str, str]:
    """A purge that is interrupted so long after it began: exit code, output and messages."""
    environment = {**os.environ, **environment, "XDG_STATE_HOME": str(backing.parent / "state")}
    with attached(backing) as device:
        words = command("prepare", device, "--purge", method, "--destroy", backing, *anyway, "--json")
        with subprocess.Popen(
            words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as running:
            assert running.stderr is not None
            while "purging" not in running.stderr.readline():
                assert running.poll() is None
            time.sleep(after_s)
            running.send_signal(signal.SIGINT)
            out, told = running.communicate(timeout=30)
    return running.returncode, out, told


def test_an_interrupted_sanitize_operation_goes_on_in_the_drive_and_the_record_says_so(
    backing: Path, anyway: list[str], library: Path
) -> None:
    slow = standing_in(library, "sanitize=2 sanitize_s=60")
    code, out, told = interrupted(backing, anyway, "sanitize-block", slow, 1.5)
    assert code == 130, told
    record = json.loads(out)
    assert (record["outcome"], record["purge"]["end"]) == ("not-verified", "left_running")
    assert "the sanitize operation goes on in the drive" in told
    assert "shows its status" in told


def test_an_interrupted_format_is_awaited_and_read_back(backing: Path, anyway: list[str], library: Path) -> None:
    code, out, told = interrupted(backing, anyway, "format", standing_in(library, "format_s=3"), 1)
    assert code == 130, told
    assert json.loads(out)["outcome"] == "purged"
    assert "this method cannot be stopped" in told


@pytest.mark.parametrize("method", ["format", "sanitize-block"])
def test_a_namespace_that_no_device_leads_to_is_not_destroyed_along(
    method: str, backing: Path, anyway: list[str], library: Path
) -> None:
    before = digest(backing)
    ended = purge(backing, anyway, "--purge", method, library=library, settings="sanitize=2 fna=2 phantom=1")
    assert ended.code == 3
    assert "also namespace 99" in ended.stderr
    assert digest(backing) == before


def test_a_format_of_one_namespace_leaves_others_alone_if_the_drive_says_so(
    backing: Path, anyway: list[str], library: Path
) -> None:
    ended = purge(backing, anyway, "--purge", "format", library=library, settings="fna=0 phantom=1")
    assert ended.code == 0, ended.stderr


def test_the_engine_alone_refuses_what_would_reach_other_namespaces(
    backing: Path, anyway: list[str], library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = digest(backing)
    with attached(backing) as device:
        claim = claim_of(inspected(device), set(anyway) - {"--consent"})
        for name, value in standing_in(library, "sanitize=2 fna=1 phantom=1").items():
            monkeypatch.setenv(name, value)
        for method in ("format", "sanitize-block", "sanitize-crypto"):
            asked = {"command": "sample", "method": method, "places": 16, "seed": 7}
            opened, refused, unsampled = engine(opening(device, claim), asked, {"command": "purge", "method": method})
            assert (opened["type"], refused["type"], refused["kind"]) == ("opened", "error", "purge_refused")
            assert (unsampled["type"], unsampled["kind"]) == ("error", "no_target")
    assert digest(backing) == before


def test_the_engine_purges_nothing_without_a_grant(backing: Path) -> None:
    before = digest(backing)
    with attached(backing) as device:
        read_only = {"command": "open", "kind": "device", "path": str(device), "direct": True}
        sample = {"command": "sample", "method": "discard", "places": 16, "seed": 7}
        _, refused, unsampled = engine(read_only, sample, {"command": "purge", "method": "discard"})
    assert (refused["kind"], unsampled["kind"]) == ("device_write", "no_target")
    assert digest(backing) == before


@pytest.mark.parametrize("way", [way for way in WAYS if "partition" not in way.name], ids=lambda way: way.name)
def test_a_device_in_use_is_not_purged(way: Way, backing: Path, anyway: list[str], tmp_path: Path) -> None:
    backing.write_bytes(bytes(SIZE_BYTES))
    with put_to_use(way, backing, tmp_path) as path:
        name = inspected(path)["identity"]["name"]
        consents = consent_words(set(anyway) - {"--consent", way.check})
        ended = run(path, tmp_path, "--purge", "discard", "--destroy", name, *consents)
        assert ended.code == 3, ended.stderr
        assert f"(check {way.check})" in ended.stderr


@pytest.mark.parametrize("destroy", [(), ("--destroy", "S6Z1NJ0W123456")])
def test_the_plan_is_shown_before_the_identity_is_asked_for(destroy: tuple[str, ...], backing: Path) -> None:
    before = digest(backing)
    with attached(backing) as device:
        ended = run(device, backing.parent, "--purge", "discard", *destroy)
        assert ended.code == 3
        assert re.search(rf"^destroys +{device}, 48 MiB, {backing}", ended.stdout, re.MULTILINE), ended.stdout
        assert "expected time" in ended.stdout
        assert "--destroy" in ended.stderr
    assert digest(backing) == before


def test_a_partition_can_be_discarded_and_nothing_else_of_its_disk_changes(
    backing: Path, anyway: list[str], library: Path
) -> None:
    with attached(backing, "--partscan") as device:
        divide(device, TWO)
        second = Path(f"{device}p2")
        start = int((Path("/sys/class/block") / second.name / "start").read_text()) * 512
        size = int((Path("/sys/class/block") / second.name / "size").read_text()) * 512
        os.sync()
        before = backing.read_bytes()
        name = inspected(second)["identity"]["name"]
        words = ("--destroy", name, *anyway)
        refused = run(second, backing.parent, "--purge", "format", *words, environment=standing_in(library, ALL))
        assert refused.code == 3
        assert "is a partition" in refused.stderr
        ended = run(second, backing.parent, "--purge", "discard", *words)
        os.sync()
        after = backing.read_bytes()
    assert ended.code == 0, ended.stderr
    assert after[:start] + after[start + size :] == before[:start] + before[start + size :]
    assert not any(after[start : start + size])


def test_a_device_that_is_no_drive_of_nvme_lists_and_accepts_discards_only(
    backing: Path, anyway: list[str], tmp_path: Path
) -> None:
    with attached(backing) as device:
        listed = run(device, tmp_path)
        assert listed.code == 0
        assert "discard " in listed.stdout
        assert "format" not in listed.stdout
        refused = run(device, tmp_path, "--purge", "format", "--destroy", backing, *anyway)
    assert refused.code == 3
    assert "requires an NVMe namespace" in refused.stderr
    plain = run(tmp_path / "image", tmp_path, "--purge", "discard", "--destroy", backing)
    assert (plain.code, "is not a block device" in plain.stderr) == (3, True)


def test_what_became_of_the_device_is_told_even_if_the_record_cannot_be_kept(
    backing: Path, anyway: list[str], library: Path
) -> None:
    (backing.parent / "state").write_text("no folder")
    lying = purge(backing, anyway, "--purge", "format", library=library, settings=f"{ALL} lie=1")
    assert (lying.code, "warning: the record of the purge cannot be kept" in lying.stderr) == (11, True)
    assert purge(backing, anyway, "--purge", "discard").code == 7


def test_the_last_purge_of_a_device_is_kept(backing: Path, anyway: list[str], library: Path) -> None:
    purge(backing, anyway, "--purge", "format", library=library, settings=f"{ALL} lie=1")
    state = backing.parent / "state"
    with attached(backing) as device:
        listed = run(device, state)
    assert re.search(r"^last purge +not purged by format, 20", listed.stdout, re.MULTILINE), listed.stdout
    with attached(backing) as device:
        examined = iosonde("doctor", device, "--json", XDG_STATE_HOME=str(state)).stdout
    lines = [each for each in json.loads(examined)["lines"] if each["subject"] == "last purge"]
    assert [(each["state"], each["value"].startswith("not-purged by format, 20")) for each in lines] == [
        ("warning", True)
    ]
    other = backing.parent / "other"
    other.write_bytes(bytes(SIZE_BYTES))
    with attached(other) as device:
        assert "none is recorded here" in run(device, state).stdout
