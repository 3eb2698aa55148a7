"""``iosonde verify`` on real files: intact and damaged ones, and those of killed and interrupted runs."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from iosonde.records import DamageKind, Engine
from iosonde.sources import EngineSource
from iosonde.store import load_run
from tests.commands import command, iosonde

BLOCK = 4096
MIB = 1 << 20
CAMPAIGN = """
name = "verified"
verify = true
repeats = 1
warmup = "0s"
duration = "{duration}"
[[experiment]]
name = "writes"
pattern = "random"
read = {read}
block_size = {block_size}
queue_depth = 32
jobs = 2
sync = "{sync}"
"""
FOUND, DONE = 8, 0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file.data"
    path.write_bytes(bytes(16 * MIB))
    return path


def words(file: Path, engine: str, **asked: object) -> list[object]:
    """The arguments of a run of a campaign that overwrites the file."""
    keys = {"duration": "200ms", "read": [0], "block_size": '"4KiB"', "sync": "none", **asked}
    profile = file.with_name("campaign.toml")
    profile.write_text(CAMPAIGN.format(**keys))
    out = file.with_name("run")
    return [
        "run",
        "--no-report",
        file,
        "--overwrite",
        "--buffered",
        "--engine",
        engine,
        "--profile",
        profile,
        "--out",
        out,
    ]


def engines() -> list[str]:
    source = EngineSource()
    source.end()
    return [str(each) for each in (Engine.PSYNC, Engine.IO_URING) if each in source.hello.engines]


def damage(file: Path, offset_bytes: int, content: bytes) -> None:
    with file.open("r+b") as target:
        target.seek(offset_bytes)
        target.write(content)


@pytest.mark.parametrize("engine", engines())
@pytest.mark.parametrize("block_size", ['"4KiB"', '["4KiB", "64KiB"]', '"4KiB:3,16KiB:1"'])
def test_a_sound_file_raises_no_alarm_at_once_or_later(file: Path, engine: str, block_size: str) -> None:
    ended = iosonde(*words(file, engine, block_size=block_size, read=[0, 50, 100]))
    assert ended.returncode == DONE, ended.stderr
    run = load_run(file.with_name("run"))
    passes = [found for cell in run.cells for found in cell.verification]
    assert len(passes) == sum(cell.workload.writes for cell in run.cells)
    assert {(each.steps_checked, each.steps_damaged) for each in passes} == {(4096, 0)}
    later = iosonde("verify", file.with_name("run"))
    assert (later.returncode, later.stderr) == (DONE, "")
    assert "4,096 blocks of 4 KiB read back" in later.stdout
    assert "all contain the written data" in later.stdout


def test_damage_is_found_later_with_its_offset_and_kept_in_the_run(file: Path) -> None:
    assert iosonde(*words(file, "psync")).returncode == DONE
    whole = file.read_bytes()
    here, there, gone = 77 * BLOCK, 200 * BLOCK, 300 * BLOCK
    flipped = 500 * BLOCK + 1000
    damage(file, here, whole[there : there + BLOCK])
    damage(file, there, whole[here : here + BLOCK])
    damage(file, gone, bytes(BLOCK))
    damage(file, flipped, bytes([whole[flipped] ^ 1]))
    later = iosonde("verify", file.with_name("run"))
    assert later.returncode == FOUND
    message = "error: 4 blocks do not contain the data that was written (lost, misplaced, corrupt)"
    assert later.stderr.startswith(f"{message}\nhint: ")
    assert f"misplaced 2: at {here} (belongs at {there}), {there} (belongs at {here})" in later.stdout
    run = load_run(file.with_name("run"))
    (found,) = run.later_passes[0].targets
    assert found.damaged == {DamageKind.LOST: 1, DamageKind.MISPLACED: 2, DamageKind.CORRUPT: 1}
    assert [each.offset_bytes for each in found.first] == [here, there, gone, flipped // 512 * 512]
    shown = iosonde("show", file.with_name("run"), "--findings")
    assert "invalid not-as-written" in shown.stdout
    # A moved file can be verified at its new path.
    moved = file.rename(file.with_name("moved.data"))
    assert iosonde("verify", file.with_name("run")).returncode == 3
    assert iosonde("verify", file.with_name("run"), moved).returncode == FOUND


@pytest.mark.parametrize("engine", engines())
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_run_that_ends_in_the_middle_of_its_writes_raises_no_alarm(file: Path, engine: str, number: int) -> None:
    run = file.with_name("run")
    process = subprocess.Popen(
        command(*words(file, engine, duration="60s")), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    account = run / "account/target-1"
    try:
        wait_for(lambda: has_intervals(run))
        os.kill(process.pid, number)
        process.wait(timeout=20)
    finally:
        process.kill()
        process.wait()
    assert account.stat().st_size == BLOCK + 4096 * 8
    # An engine whose front end was killed exits a moment later.
    ended = until_free(run)
    assert ended.returncode == DONE, ended.stdout + ended.stderr
    assert "4,096 blocks of 4 KiB read back" in ended.stdout


def has_intervals(run: Path) -> bool:
    try:
        return bool(load_run(run).cells)
    except Exception:  # noqa: BLE001 - the run may not exist yet
        return False


def wait_for(holds: object, seconds: float = 30) -> None:
    assert callable(holds)
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, "nothing was measured"
        time.sleep(0.05)


def until_free(run: Path) -> subprocess.CompletedProcess[str]:
    for _ in range(50):
        ended = iosonde("verify", run)
        if "in use by" not in ended.stderr and "being written" not in ended.stderr:
            break
        time.sleep(0.1)
    return ended


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("null: --read 0 --verify", "null: does not store data, so verify cannot read it back"),
        ("sim:mmc,seed=1 --read 0 --verify", "sim:mmc,seed=1 does not store data, so verify cannot read it back"),
        (". --verify", "random-read-4KiB-qd1-verify: verify needs writes, but the workload has none"),
        (". --read 0 --verify --data zeros", "random-write-4KiB-qd1-zeros-verify: zeros cannot be verified"),
        (". --read 0 --verify --duplicates 10", "10 % duplicates cannot be verified"),
        (". --read 0 --verify --compressible 95", "95 % compressible cannot be verified"),
        (". --read 0 --data zeros --compressible 5", "compressible needs random data"),
        (
            ". --read 0 --data zeros --duplicates 5",
            "duplicates cannot be combined with zeros: blocks of zeros are already identical",
        ),
    ],
)
def test_what_can_not_be_verified_is_refused_with_the_way_out(tmp_path: Path, asked: str, message: str) -> None:
    ended = iosonde("probe", *asked.split(), folder=tmp_path)
    assert ended.returncode == 2
    said = ended.stderr.splitlines()
    assert message in said[0]
    assert said[1].startswith("hint: ")
    assert list(tmp_path.iterdir()) == []


def test_a_probe_says_what_reading_back_has_shown(tmp_path: Path) -> None:
    asked = ("--read", 30, "--queue-depth", 8, "--duration", "1s", "--size", "16MiB", "--buffered", "--verify")
    ended = iosonde("probe", tmp_path, *asked)
    assert ended.returncode == DONE, ended.stderr
    assert "4,096 blocks of 4 KiB read back" in ended.stdout


def test_a_plan_says_what_verifying_takes(file: Path) -> None:
    words(file, "psync")
    ended = iosonde("plan", file, "--overwrite", "--profile", file.with_name("campaign.toml"))
    assert "verify    16 MiB of each target read back 1 times" not in ended.stderr + ended.stdout
    assert (
        "verify    16 MiB of each target read back once, 16.8 MB in total, in blocks of 4 KiB"
        in ended.stderr + ended.stdout
    )


def test_a_run_that_was_not_made_for_it_is_not_verified(tmp_path: Path) -> None:
    made = iosonde("run", "--no-report", "sim:fixed", "--quick", "--out", "run", folder=tmp_path)
    assert made.returncode == DONE, made.stderr
    ended = iosonde("verify", "run", folder=tmp_path)
    assert ended.returncode == 6
    assert ended.stderr.startswith("error: run was measured without verify")
