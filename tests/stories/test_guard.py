"""The guard refuses every device that is in use or not the one that was named, and lets a free one be written."""

import json
import os
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from iosonde.sources import find_engine
from tests.commands import iosonde
from tests.stories.devices_in_use import SIZE_BYTES, WAYS, Way, divide, partitioned, swap_pages
from tests.stories.loop_devices import attached, digest, need_root

# Enough to meet a disk that comes or goes dozens of times.
EXAMINED = 300
CONSENTS = {"open", "below", "signature"}
WRITES = ("--read", "0", "--duration", "100ms", "--warmup", "0s")


@pytest.fixture(autouse=True)
def _with_root() -> None:
    need_root("losetup")


@pytest.fixture
def backing(tmp_path: Path) -> Path:
    """The file of a loop device: zeros, in which nothing can be recognised."""
    path = tmp_path / "image"
    path.write_bytes(bytes(SIZE_BYTES))
    return path


def engine(*commands: dict[str, Any]) -> list[dict[str, Any]]:
    """The events of an engine without a front, after its greeting."""
    lines = "".join(json.dumps({"id": number, **each}) + "\n" for number, each in enumerate(commands, 1))
    ended = subprocess.run([find_engine()], input=lines, capture_output=True, text=True, check=True, timeout=60)
    return [json.loads(line) for line in ended.stdout.splitlines()[1:]]


def inspected(path: Path) -> dict[str, Any]:
    """What the engine's guard finds on a device."""
    (event,) = engine({"command": "inspect", "path": str(path)})
    found: dict[str, Any] = event["inspection"]
    return found


def claim_of(found: dict[str, Any], consents: set[str]) -> dict[str, Any]:
    """The claim of a front that consents to whatever it can."""
    identity = found["identity"]
    return {
        "identity": identity["name"],
        "size_bytes": identity["size_bytes"],
        "diskseq": identity["diskseq"],
        "backing": identity.get("backing"),
        "consents": sorted(consents),
    }


def opening(path: Path, claim: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"command": "open", "kind": "device", "path": str(path), "direct": True, "claim": claim, **more}


@pytest.fixture
def anyway(backing: Path) -> set[str]:
    """The consents that a free device needs here: root in a container may not look into every process."""
    with attached(backing) as free:
        return {each["check"] for each in inspected(free)["refusals"]}


def consent_words(checks: set[str]) -> list[str]:
    """The options that consent to these checks."""
    return [word for each in sorted(checks) for word in ("--consent", each)]


@contextmanager
def put_to_use(way: Way, backing: Path, folder: Path) -> Iterator[Path]:
    """A device in use, which is unchanged at the end."""
    options = ("--partscan", *way.options) if "partition" in way.name else way.options
    with attached(backing, *options) as device, way.use(device, folder) as path:
        os.sync()
        kernels = swap_pages(device)
        before = digest(backing, without=kernels)
        yield path
        assert digest(backing, without=kernels) == before


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_a_device_in_use_is_refused_by_the_engine_alone_and_not_a_byte_changes(
    way: Way, backing: Path, anyway: set[str], tmp_path: Path
) -> None:
    with put_to_use(way, backing, tmp_path) as path:
        found = inspected(path)
        assert way.check in {each["check"] for each in found["refusals"]}, found
        # A check that needs consent on this machine anyway is told apart by what it found.
        told = [each["evidence"] for each in found["refusals"] if each["check"] == way.check]
        assert any("may have" not in each for each in told), told
        if way.check not in anyway:
            consents = CONSENTS - {way.check}
            (answer,) = engine(opening(path, claim_of(found, consents)))
            assert (answer["type"], answer["kind"]) == ("error", "device_write"), answer
            assert f"({way.check})" in answer["message"]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_a_device_in_use_is_refused_by_the_command_with_evidence_and_the_way_out(
    way: Way, backing: Path, anyway: set[str], tmp_path: Path
) -> None:
    with put_to_use(way, backing, tmp_path) as path:
        name = inspected(path)["identity"]["name"]
        ended = iosonde("probe", path, *WRITES, "--destroy", name, *consent_words(anyway - {way.check}))
        assert ended.returncode == 3, ended.stderr
        error, hint = ended.stderr.splitlines()[-2:]
        assert error.startswith(f"error: {path} must not be written: ")
        assert f"(check {way.check})" in error
        assert hint.startswith("hint: ")


@pytest.mark.parametrize("check", ["mounted", "exclusive", "identity", "nonsense"])
def test_only_some_checks_can_be_consented_to(backing: Path, check: str) -> None:
    with attached(backing) as device:
        name = inspected(device)["identity"]["name"]
        ended = iosonde("probe", device, *WRITES, "--destroy", name, "--consent", check)
    assert ended.returncode == 2, ended.stderr
    assert "checks that can be: open, below, signature" in ended.stderr


def test_a_free_device_is_written_and_the_record_says_who_permitted_it(backing: Path, anyway: set[str]) -> None:
    with attached(backing) as device:
        name = inspected(device)["identity"]["name"]
        ended = iosonde("probe", device, *WRITES, "--destroy", name, *consent_words(anyway), "--json")
        assert ended.returncode == 0, ended.stderr
        target = json.loads(ended.stdout)["run"]["header"]["target"]
    assert (target["granted"]["name"], target["granted"]["kind"]) == (str(backing), "backing-file")
    assert (target["written"], set(target["consents"])) == ("filled", anyway)
    assert backing.read_bytes()[: 1 << 20].count(0) < 1 << 14


def test_data_may_be_destroyed_with_consent_to_its_signature(backing: Path, anyway: set[str]) -> None:
    with attached(backing) as device:
        subprocess.run(["mkswap", device], check=True, capture_output=True)
        claim = claim_of(inspected(device), anyway | {"signature"})
        (opened,) = engine(opening(device, claim))
    assert opened["type"] == "opened", opened


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("identity", "S6Z1NJ0W123456", "is {name}, not S6Z1NJ0W123456"),
        ("size_bytes", SIZE_BYTES + 512, f"has {SIZE_BYTES} bytes, not {SIZE_BYTES + 512}"),
        ("diskseq", 1, "was removed and another device has its name"),
    ],
)
def test_another_device_than_the_claimed_one_is_refused(
    backing: Path, anyway: set[str], key: str, value: object, said: str
) -> None:
    with attached(backing) as device:
        claim = claim_of(inspected(device), anyway | CONSENTS)
        if claim["diskseq"] is None:
            pytest.skip("this kernel has no diskseq")
        (answer,) = engine(opening(device, claim | {key: value}))
    assert answer["kind"] == "device_write"
    assert said.format(name=backing) in answer["message"]


def test_a_loop_device_that_was_moved_to_another_part_of_its_file_is_refused(backing: Path, anyway: set[str]) -> None:
    with attached(backing, "--sizelimit", str(SIZE_BYTES // 2)) as device:
        found = inspected(device)
        assert found["identity"]["name"] == f"{backing}@0+{SIZE_BYTES // 2}"
        claim = claim_of(found, anyway | CONSENTS) | {"diskseq": None}
    with attached(backing, "--offset", str(SIZE_BYTES // 2), device) as moved:
        renamed = claim | {"identity": inspected(moved)["identity"]["name"]}
        answers = [engine(opening(moved, each)) for each in (claim, renamed)]
    for (answer,) in answers:
        assert (answer["kind"], "(identity)" in answer["message"]) == ("device_write", True)


def test_a_partition_of_a_copied_disk_has_no_identity_of_its_own(backing: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    with (
        attached(backing, "--partscan") as device,
        partitioned("label: gpt\nsize=16MiB\n", 1)(device, tmp_path) as part,
    ):
        os.sync()
        copy.write_bytes(backing.read_bytes())
        with attached(copy, "--partscan") as second, partitioned("", 1, copied=True)(second, tmp_path):
            refusals = inspected(part)["refusals"]
    assert any("has the same UUID" in each["evidence"] for each in refusals if each["check"] == "identity"), refusals


def test_a_partition_keeps_its_identity_while_other_disks_come_and_go(backing: Path, tmp_path: Path) -> None:
    other, gone = tmp_path / "other", Event()
    with attached(backing, "--partscan") as device:
        divide(device, "label: gpt\nsize=16MiB\n")
        other.write_bytes(backing.read_bytes())

        def come_and_go() -> int:
            times = 0
            while not gone.is_set():
                with attached(other, "--partscan") as second:
                    divide(second, None)
                times += 1
            return times

        with ThreadPoolExecutor(1) as pool:
            times = pool.submit(come_and_go)
            try:
                found = [inspected(Path(f"{device}p1")) for _ in range(EXAMINED)]
            finally:
                gone.set()
    assert times.result() > 1
    unread = [each for one in found for each in one["refusals"] if "could not be" in each["evidence"]]
    assert (unread, [one for one in found if one["identity"] is None]) == ([], [])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--engine", "fio"), "--engine fio cannot write to "),
        (("--trim", "50", "--engine", "io_uring"), "are discards, which require psync"),
    ],
)
def test_what_cannot_write_a_device_is_refused_before_anything_is_written(
    backing: Path, words: tuple[str, ...], said: str
) -> None:
    with attached(backing) as device:
        ended = iosonde("probe", device, *WRITES, "--destroy", inspected(device)["identity"]["name"], *words)
    assert ended.returncode == 2, ended.stderr
    assert said in ended.stderr
    assert backing.read_bytes() == bytes(SIZE_BYTES)


def test_a_device_that_was_swapped_between_inspection_and_opening_is_refused(
    backing: Path, anyway: set[str], tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.write_bytes(bytes(SIZE_BYTES))
    with attached(backing) as device:
        claim = claim_of(inspected(device), anyway | CONSENTS)
    with attached(other, device) as swapped:
        (answer,) = engine(opening(swapped, claim))
    assert answer["kind"] == "device_write"
    assert "identity" in answer["message"]
    assert other.read_bytes() == bytes(SIZE_BYTES)


@pytest.mark.parametrize("name", ["consent", "force", "write"])
def test_an_open_with_a_key_that_the_engine_does_not_know_is_refused(backing: Path, name: str) -> None:
    with attached(backing) as device:
        claim = claim_of(inspected(device), CONSENTS)
        answers = [engine(opening(device, claim, **{name: True})), engine(opening(device, claim | {name: True}))]
    for (answer,) in answers:
        assert (answer["type"], answer["kind"]) == ("error", "protocol"), answer


def test_a_scratch_partition_is_written_and_nothing_outside_it_changes(
    backing: Path, anyway: set[str], tmp_path: Path
) -> None:
    start, size = 20 << 20, 24 << 20
    script = "label: gpt\nsize=16MiB\nstart=20MiB, size=24MiB\n"
    mount = WAYS[0].use
    with (
        attached(backing, "--partscan") as device,
        partitioned(script, 2)(device, tmp_path) as part,
        mount(Path(f"{device}p1"), tmp_path),
    ):
        os.sync()
        name = inspected(part)["identity"]["name"]
        assert name.endswith(f"@{start}+{size}")
        before = backing.read_bytes()
        ended = iosonde("probe", part, *WRITES, "--destroy", name, *consent_words(anyway))
        assert ended.returncode == 0, ended.stderr
        after = backing.read_bytes()
    assert before[:start] == after[:start]
    assert before[start + size :] == after[start + size :]
    assert before[start : start + size] != after[start : start + size]


def test_the_identities_of_unattended_runs_are_in_a_file(backing: Path, anyway: set[str], tmp_path: Path) -> None:
    listed = tmp_path / "drives.txt"
    with attached(backing) as device:
        listed.write_text("# drives of this bench\nS6Z1NJ0W123456\n", encoding="utf-8")
        refused = iosonde("probe", device, *WRITES, "--destroy-from", listed, *consent_words(anyway))
        listed.write_text(f"# drives of this bench\n{inspected(device)['identity']['name']}  # scratch\n", "utf-8")
        ended = iosonde("probe", device, *WRITES, "--destroy-from", listed, *consent_words(anyway))
    assert refused.returncode == 3, refused.stderr
    assert "which is not its identity" in refused.stderr
    assert ended.returncode == 0, ended.stderr


def test_doctor_prints_the_identity_and_what_speaks_against_writing(backing: Path) -> None:
    with attached(backing) as device:
        subprocess.run(["mkswap", device], check=True, capture_output=True)
        ended = iosonde("doctor", device, COLUMNS="200")
    assert ended.returncode == 0, ended.stderr
    assert f"--destroy {backing}" in ended.stdout
    assert "a signature of swap" in ended.stdout
    assert "wipefs --all" in ended.stdout
