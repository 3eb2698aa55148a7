"""Block devices are read as they are, recognised in a later run, and never written."""

import fcntl
import json
import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from iosonde.errors import TargetError
from iosonde.sources import BlockDevice, EngineSource, ExistingFile, NewFile, OpenRequest
from iosonde.store import load_run
from tests.commands import command, iosonde
from tests.stories.loop_devices import SIZE_BYTES, attached, digest, done, image, need_root, wait_until_open

SHORT = ("--duration", "200ms", "--warmup", "0s")
O_ACCMODE = 3

FEW_READS = """
name = "few"
repeats = 2
warmup = "0s"
duration = "300ms"
[[experiment]]
name = "few"
pattern = ["random", "sequential"]
read = 100
block_size = "4KiB"
queue_depth = 2
"""


@pytest.fixture
def backing(tmp_path: Path) -> Path:
    """The file behind the loop device."""
    return image(tmp_path / "image")


@pytest.fixture
def device(backing: Path) -> Iterator[Path]:
    """A loop device with random bytes, which must be unchanged at the end."""
    before = digest(backing)
    with attached(backing) as path:
        yield path
    assert digest(backing) == before, "the device was written"


def probe(*words: object) -> dict[str, Any]:
    ended = iosonde("probe", *words, *SHORT, "--json")
    assert ended.returncode == 0, ended.stderr
    document: dict[str, Any] = json.loads(ended.stdout)
    return document


def findings(document: dict[str, Any]) -> set[str]:
    return {finding["id"] for finding in document["findings"]}


def reading(device: Path) -> OpenRequest:
    return OpenRequest(BlockDevice(path=device, named=device, span_bytes=SIZE_BYTES), write=False, direct=True)


def refused(*words: object) -> list[str]:
    """The error and the hint of a command that ends with exit code 3."""
    ended = iosonde(*words)
    assert ended.returncode == 3, ended.stderr
    return ended.stderr.splitlines()[-2:]


@pytest.mark.parametrize("engine", ["auto", "psync"])
def test_a_device_is_read_past_the_page_cache_and_what_it_is_stands_in_the_record(
    device: Path, backing: Path, engine: str
) -> None:
    document = probe(device, "--engine", engine, "--queue-depth", "4")
    target = document["run"]["header"]["target"]
    assert (target["kind"], target["path"], target["direct"], target["written"]) == (
        "device",
        str(device),
        True,
        "unknown",
    )
    number = device.stat().st_rdev
    assert target["identity"] == {
        "device_major": os.major(number),
        "device_minor": os.minor(number),
        "inode": 0,
        "size_bytes": SIZE_BYTES,
        "born_ns": None,
    }
    assert target["device_identifier"] == f"file {backing}"
    assert target["device"]["name"] == device.name
    assert document["run"]["cells"][0]["operations"]["read"]["count"] > 10
    assert "written-unknown" in findings(document)
    assert not {"device-in-use", "content-unknown"} & findings(document)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run",), "the profile lab would destroy the contents of "),
        (("run", "--profile", "reads", "--overwrite"), "--overwrite applies to files"),
        (("probe", "--read", "70"), "the requested workload would destroy the contents of "),
        (("probe", "--read", "99", "--trim", "1"), "the requested workload would destroy the contents of "),
        (("probe", "--read", "0", "--verify"), "the requested workload would destroy the contents of "),
        (("probe", "--read", "0", "--engine", "fio"), "the requested workload would destroy the contents of "),
        (("probe", "--overwrite"), "--overwrite applies to files"),
    ],
)
def test_what_would_write_a_device_is_refused_and_says_what_only_reads(
    device: Path, words: tuple[str, ...], said: str
) -> None:
    error, hint = refused(words[0], device, *words[1:])
    assert said in error
    assert hint.startswith(("hint: use --profile reads to ", "hint: use --read 100 to ", "hint: omit it; --destroy"))
    assert f"`iosonde doctor {device}`" in hint


def test_a_plan_that_would_write_a_device_needs_no_permission_and_writes_nothing(device: Path) -> None:
    ended = iosonde("plan", device)
    assert ended.returncode == 0, ended.stderr
    assert "block device, its contents will be destroyed" in ended.stdout


def test_whatever_the_front_asks_for_the_engine_opens_no_device_for_writing(device: Path) -> None:
    source = EngineSource()
    try:
        for file in (ExistingFile, NewFile):
            with pytest.raises(TargetError, match=r"iosonde never writes to block devices|File exists"):
                source.open(OpenRequest(file(path=device, span_bytes=16 << 20), write=True, direct=False))
        source.open(reading(device))
        handle = source.handles()[device.stat().st_rdev, 0]
        flags = (handle.parents[1] / "fdinfo" / handle.name).read_text(encoding="ascii").split("flags:")[1].split()[0]
        assert int(flags, 8) & O_ACCMODE == os.O_RDONLY
    finally:
        source.end()


def test_any_block_device_that_there_is_is_refused_to_whoever_would_write_it() -> None:
    there = [path for path in Path("/dev").iterdir() if stat.S_ISBLK(path.lstat().st_mode)]
    if not there:
        pytest.skip("there is no block device here")
    error, _ = refused("probe", there[0], "--read", "50")
    assert error == f"error: the requested workload would destroy the contents of {there[0]}"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--size", "65MiB"), "--size 65 MiB exceeds the size of"),
        (("--size", "16MiB", "--engine", "null"), "`--engine null` and the target `null:` must be used together"),
        (("--engine", "simulation"), "--engine simulation only measures simulated drives"),
    ],
)
def test_what_makes_no_sense_for_a_device_is_told(device: Path, words: tuple[str, ...], said: str) -> None:
    assert said in iosonde("probe", device, *words).stderr


def test_a_device_beside_a_file_that_would_be_made_and_filled_is_refused(device: Path, tmp_path: Path) -> None:
    error, hint = refused("probe", tmp_path, device)
    assert "would also write to the block device" in error
    assert hint.startswith("hint: specify only devices and existing files, or only new files and directories")


def test_a_device_with_two_nodes_is_one_device(device: Path, tmp_path: Path) -> None:
    node = tmp_path / "node"
    os.mknod(node, 0o600 | stat.S_IFBLK, device.stat().st_rdev)
    ended = iosonde("probe", device, node)
    assert (ended.returncode, "is specified twice" in ended.stderr) == (2, True), ended.stderr


def test_two_devices_are_read_at_the_same_time(device: Path, tmp_path: Path) -> None:
    with attached(image(tmp_path / "second")) as second:
        document = probe(device, second)
    shares = document["run"]["cells"][0]["targets"]
    assert [share["operations"]["read"]["count"] > 0 for share in shares] == [True, True]


def test_a_mounted_device_may_be_read_and_the_finding_says_where_it_is_mounted(tmp_path: Path) -> None:
    need_root("mkfs.ext4", "mount", "umount")
    place = tmp_path / "mounted"
    place.mkdir()
    with attached(image(tmp_path / "image")) as device:
        done("mkfs.ext4", "-q", "-F", device)
        done("mount", device, place)
        try:
            document = probe(device)
            planned = iosonde("plan", device, "--profile", "reads").stdout
        finally:
            done("umount", place)
    used = next(finding for finding in document["findings"] if finding["id"] == "device-in-use")
    assert used["evidence"] == [["in use", f"{device.name} is mounted at {place}"]]
    assert f"in use    {device.name} is mounted at {place}" in planned


def test_a_partition_is_measured_by_itself(tmp_path: Path) -> None:
    need_root("addpart")
    backing = image(tmp_path / "image")
    with attached(backing, "--partscan") as whole:
        # Adds the partition in the kernel only. No partition table is written.
        done("addpart", whole, "1", "2048", "80000")
        part = Path(f"{whole}p1")
        target = probe(part)["run"]["header"]["target"]
    assert target["identity"]["size_bytes"] == 80_000 * 512
    assert target["device_identifier"] == f"file {backing}, partition 1 from byte {2048 * 512}"


def test_compressed_memory_is_a_device_without_a_name_of_its_own() -> None:
    control = Path("/sys/class/zram-control")
    need_root()
    if not control.is_dir():
        pytest.skip("this kernel has no zram")
    number = (control / "hot_add").read_text(encoding="ascii").strip()
    try:
        Path(f"/sys/block/zram{number}/disksize").write_text("32M", encoding="ascii")
        target = probe(f"/dev/zram{number}")["run"]["header"]["target"]
    finally:
        (control / "hot_remove").write_text(number, encoding="ascii")
    assert (target["device"]["name"], target["device_identifier"]) == (f"zram{number}", "")
    assert target["identity"]["size_bytes"] == 32 << 20


def test_a_mapped_device_and_what_it_lies_on_are_known(device: Path) -> None:
    need_root("dmsetup")
    name = f"iosonde-test-{os.getpid()}"
    made = subprocess.run(
        ["dmsetup", "create", name, "--readonly", "--table", f"0 65536 linear {device} 0"],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("no device can be mapped here")
    try:
        target = probe(f"/dev/mapper/{name}")["run"]["header"]["target"]
        below = findings(probe(device))
    finally:
        done("dmsetup", "remove", name)
    assert (target["kind"], target["identity"]["size_bytes"]) == ("device", 65536 * 512)
    assert "device-in-use" in below


def test_a_run_of_reads_is_broken_off_and_goes_on_on_the_very_same_device(device: Path, tmp_path: Path) -> None:
    directory, process = _broken_off(device, tmp_path)
    assert process == 130
    ended = iosonde("resume", directory)
    assert ended.returncode == 0, ended.stderr
    run = load_run(directory, intervals=False)
    assert (run.finished, len(run.cells), len(run.sessions)) == (True, 4, 1)
    shown = iosonde("show", directory).stdout
    assert str(device) in shown
    page = (directory / "report.html").read_text(encoding="utf-8")
    assert "block device, reads only" in page


def test_a_run_does_not_go_on_on_another_device_of_the_same_name_and_size(tmp_path: Path) -> None:
    with attached(image(tmp_path / "image")) as device:
        directory, _ = _broken_off(device, tmp_path)
    other = image(tmp_path / "other")
    with attached(other, device):
        error, hint = refused("resume", directory)
    assert error == (
        f"error: {device} is not the device that was measured: its identifier was file {tmp_path / 'image'}, "
        f"and is now file {other}"
    )
    assert hint == "hint: reconnect the measured device at the same path, or start a new run"


def test_a_device_that_shrinks_while_it_is_measured_ends_the_run(tmp_path: Path) -> None:
    backing = image(tmp_path / "image")
    with attached(backing) as device:
        words = command("probe", device, "--duration", "20s", "--size", "16MiB")
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        wait_until_open(process, device)
        os.truncate(backing, 32 << 20)
        done("losetup", "--set-capacity", device)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 3, errors
    assert f"the size of {device} changed from {SIZE_BYTES} to {32 << 20} bytes" in errors


def test_two_runs_on_one_device_name_each_other(device: Path) -> None:
    words = command("probe", device, "--duration", "10s")
    first = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until_open(first, device)
    second = probe(device)
    _, errors = first.communicate(timeout=30)
    assert first.returncode == 0, errors
    assert "neighbours" in findings(second)


def test_what_looks_at_a_device_may_lock_it_meanwhile_and_what_takes_it_for_itself_is_told(device: Path) -> None:
    source = EngineSource()
    request = reading(device)
    try:
        source.open(request)
        with device.open("rb") as other:
            # As udev does while it probes a device.
            fcntl.flock(other, fcntl.LOCK_SH | fcntl.LOCK_NB)
        source.close()
        with device.open("rb") as other:
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with pytest.raises(TargetError, match=f"is in use by process {os.getpid()}"):
                source.open(request)
    finally:
        source.end()


def _broken_off(device: Path, folder: Path) -> tuple[Path, int]:
    """A run of four short cells on a device, ended by Ctrl-C during the second cell. Gives its exit code too."""
    campaign, directory = folder / "few.toml", folder / "run"
    campaign.write_text(FEW_READS, encoding="utf-8")
    words = command("run", device, "--profile", campaign, "--out", directory)
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("[1 of "):
            break
    process.send_signal(2)
    process.communicate(timeout=30)
    return directory, process.returncode
