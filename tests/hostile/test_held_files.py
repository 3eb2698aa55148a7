"""Files that somebody else has: a mount, swap or another program over them keeps iosonde from writing them."""

import fcntl
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from iosonde.machine.holders import holders_of
from tests.commands import few_cells, iosonde
from tests.forged import forge
from tests.hostile.file_systems import without_attributes
from tests.hostile.harness import assert_refused, broken_off, identity_of
from tests.stories.faulty_places import faulty_file
from tests.stories.loop_devices import attached, digest, done, image, need_root

WRITE = ("--size", "16MiB", "--buffered", "--overwrite", "--duration", "100ms", "--read", "0")


@pytest.fixture(params=["probe", "run", "resume"])
def writing(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """A way to have a file written that is given up."""
    return request.param, image(tmp_path / "theirs.img")


def write_over(way: str, path: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    if way == "probe":
        return iosonde("probe", path, *WRITE, folder=folder)
    if way == "run":
        words = ("--profile", few_cells(folder), "--size", "16MiB", "--buffered", "--overwrite")
        return iosonde("run", path, *words, folder=folder)
    run = broken_off(folder / "first")
    forge(run, lambda found: found["target"].update(path=str(path), created=False, identity=identity_of(path)))
    return iosonde("resume", run, "--overwrite", folder=folder)


def test_a_file_under_a_loop_device_is_refused(writing: tuple[str, Path], tmp_path: Path) -> None:
    way, path = writing
    with attached(path) as device:
        before = digest(path)
        result = write_over(way, path, tmp_path)
        assert_refused(result, 3)
        assert device.name in result.stderr
        assert digest(path) == before


def test_a_file_under_a_mounted_loop_device_is_refused_by_its_mount(writing: tuple[str, Path], tmp_path: Path) -> None:
    need_root("mkfs.ext4")
    way, path = writing
    done("mkfs.ext4", "-q", path)
    mount = tmp_path / "mount"
    mount.mkdir()
    with attached(path) as device:
        done("mount", device, mount)
        try:
            result = write_over(way, path, tmp_path)
            assert_refused(result, 3)
            assert device.name in result.stderr
            assert str(mount) in result.stderr
        finally:
            done("umount", mount)
    done("e2fsck", "-fn", path)


def test_another_name_of_such_a_file_is_refused_as_well(writing: tuple[str, Path], tmp_path: Path) -> None:
    way, path = writing
    other = tmp_path / "other.img"
    other.hardlink_to(path)
    with attached(path) as device:
        result = write_over(way, other, tmp_path)
        assert_refused(result, 3)
        assert device.name in result.stderr


def test_a_file_that_another_program_has_open_is_refused(writing: tuple[str, Path], tmp_path: Path) -> None:
    way, path = writing
    before = digest(path)
    with path.open("rb") as file, subprocess.Popen(["sleep", "100"], stdin=file) as holder:
        try:
            result = write_over(way, path, tmp_path)
            assert_refused(result, 3)
            if os.geteuid() == 0:
                assert f"process {holder.pid}" in result.stderr
            assert digest(path) == before
        finally:
            holder.kill()


def test_a_swap_file_is_refused(writing: tuple[str, Path], tmp_path: Path) -> None:
    need_root("mkswap", "swapon", "swapoff")
    way, path = writing
    path.chmod(0o600)
    done("mkswap", path)
    if subprocess.run(["swapon", path], check=False, capture_output=True).returncode:
        pytest.skip("this file system takes no swap file")
    try:
        result = write_over(way, path, tmp_path)
        assert_refused(result, 3)
        assert "swap" in result.stderr
    finally:
        done("swapoff", path)


def test_a_file_that_nobody_else_has_is_written(writing: tuple[str, Path], tmp_path: Path) -> None:
    way, path = writing
    result = write_over(way, path, tmp_path)
    assert result.returncode == 0, result.stderr
    assert path.exists()


def test_nobody_has_a_file_that_was_just_closed(tmp_path: Path) -> None:
    path = image(tmp_path / "free.img", 1 << 20)
    found = holders_of(path)
    assert found.known == ()
    assert found.is_sure


def test_whoever_only_maps_a_file_has_it_too(tmp_path: Path) -> None:
    path = image(tmp_path / "mapped.img", 1 << 20)
    script = (
        "import mmap,sys;f=open(sys.argv[1],'rb');m=mmap.mmap(f.fileno(),0,prot=mmap.PROT_READ);f.close();"
        "print('ok',flush=True);sys.stdin.read()"
    )
    with subprocess.Popen(["python3", "-c", script, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"ok\n"
        assert holders_of(path).known
        holder.kill()


def test_a_lock_is_no_hindrance_to_the_question(tmp_path: Path) -> None:
    path = image(tmp_path / "locked.img", 1 << 20)
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert not holders_of(path).is_sure or holders_of(path).known


ASK = "import sys; from iosonde.machine.holders import *; print(holders_of(Path(sys.argv[1])))"


def test_a_file_system_that_never_answers_does_not_hold_up_the_question_about_another(tmp_path: Path) -> None:
    path = image(tmp_path / "own.img", 1 << 20)
    with faulty_file(tmp_path / "faulty") as faulty:
        holder = subprocess.Popen(["tail", "-c1", "-f", faulty.path], stdout=subprocess.PIPE)
        assert holder.stdout is not None
        assert holder.stdout.read(1)
        faulty.tell("freeze")
        try:
            # In a process of its own: one that waits for the file system can't be interrupted.
            asked = subprocess.run(
                [
                    sys.executable,
                    "-c",
                    f"from iosonde.machine.holders import *; print(holders_of(Path({str(path)!r})))",
                ],
                capture_output=True,
                text=True,
                check=True,
                timeout=20,
            )
        finally:
            faulty.tell("go")
            holder.kill()
            holder.communicate()
    assert asked.stdout == "Holders(known=(), is_sure=True)\n"


@contextmanager
def overlaid(folder: Path) -> Iterator[tuple[Path, Path]]:
    """An overlay over two directories of its own: its upper directory, and where it is mounted."""
    need_root("mount")
    lower, upper, work, merged = (folder / name for name in ("lower", "upper", "work", "merged"))
    for each in (lower, upper, work, merged):
        each.mkdir()
    options = f"lowerdir={lower},upperdir={upper},workdir={work}"
    if subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, merged], check=False).returncode:
        pytest.skip("this kernel mounts no overlay here")
    try:
        yield upper, merged
    finally:
        done("umount", merged)


def test_a_file_on_an_overlay_is_refused_whose_upper_file_is_in_use(tmp_path: Path) -> None:
    with overlaid(tmp_path) as (upper, merged):
        image(merged / "disk.img")
        before = digest(upper / "disk.img")
        with attached(upper / "disk.img"):
            refused = iosonde("probe", merged / "disk.img", "--read", "0", "--overwrite", "--buffered")
            assert_refused(refused, 3)
            assert "loop" in refused.stderr
        assert digest(upper / "disk.img") == before


def test_of_a_file_on_an_overlay_nobody_is_sure(tmp_path: Path) -> None:
    with overlaid(tmp_path) as (_, merged):
        image(merged / "disk.img")
        found = holders_of(merged / "disk.img")
        assert found.known == ()
        assert not found.is_sure


def test_that_nobody_can_be_sure_on_a_file_system_in_user_space_is_told(tmp_path: Path) -> None:
    with without_attributes(tmp_path) as place:
        image(place / "disk.img")
        told = iosonde("plan", place / "disk.img", "--overwrite", "--profile", few_cells(tmp_path))
        assert told.returncode == 0, told.stderr
        assert "unknown   whether another program has the file open" in told.stdout + told.stderr


def test_a_marked_file_with_a_second_name_is_asked_for(tmp_path: Path) -> None:
    run = broken_off(tmp_path / "first")
    orphan = next((run.parent / "place").iterdir())
    second = tmp_path / "second"
    second.hardlink_to(orphan)
    before = digest(second)
    assert_refused(iosonde("resume", run, folder=tmp_path), 3)
    assert digest(second) == before
