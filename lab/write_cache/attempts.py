"""What is tried: each returns what is wrong, empty if nothing is."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from iosonde.store import load_run
from lab.forked import Forked, command, forked, measure, measure_rest, run_command
from lab.write_cache.drives import (
    FIXED,
    NVME,
    SATA,
    SCSI,
    SHARED,
    VIRTIO,
    cache,
    device,
    first_of,
    flushes,
    kernel,
    nameless,
    set_feature,
)

SETTINGS: Final = Path("/tmp/.local/state/iosonde/settings")  # noqa: S108 - the guest's own
WAIT_S: Final = 90
VIEWS: Final = {"on": "write back", "off": "write through"}
CAMPAIGN: Final = """
name = "caches"
repeats = 1
order = "listed"
[[experiment]]
name = "caches"
pattern = "random"
read = 0
block_size = "4KiB"
queue_depth = 1
sync = "fdatasync"
write_cache = ["on", "off"]
warmup = "0s"
duration = "{duration}"
"""


@dataclass(frozen=True)
class Attempt:
    """Something that is tried, and what it shows."""

    name: str
    run: Callable[[], str]
    shows: str


@dataclass
class Watched:
    """A drive while a command runs: each state of drive and kernel that was seen, and the flushes in it."""

    path: Path
    states: dict[tuple[str, str], int] = field(default_factory=dict)

    def until(self, is_over: Callable[[], bool]) -> bool:
        """Watches until that holds; False if it never does."""
        last, ends_s, is_open = flushes(self.path), time.monotonic() + WAIT_S, False
        while time.monotonic() < ends_s:
            is_open = is_open or bool(kept())
            if not is_open:
                # The run would be refused if this had the device open.
                time.sleep(0.05)
                continue
            view, state = kernel(self.path), state_of(self.path)
            now = flushes(self.path)
            # What was read while it changed is no state.
            if view != state[1]:
                continue
            # A state that has just begun has the flushes of the one before it.
            self.states[state] = self.states.get(state, last - now) + now - last
            last = now
            if is_over():
                return True
            time.sleep(0.05)
        return False


def state_of(path: Path) -> tuple[str, str]:
    """The cache of a drive, and what the kernel takes it for."""
    return cache(path), kernel(path)


def kept() -> list[str]:
    """The names of the state files."""
    return sorted(each.name for each in SETTINGS.glob("*")) if SETTINGS.exists() else []


@contextmanager
def running(*words: str | Path) -> Iterator[Forked]:
    """A command in the background."""
    with forked(lambda: command(*words)) as process:
        yield process


def probe(serial: str, path: Path, state: str, *more: str) -> tuple[str | Path, ...]:
    """The words of a probe that reads with a setting of the write cache."""
    words = ("--destroy", serial, "--write-cache", state, "--read", "100", "--size", "32MiB", "--warmup", "0s")
    return ("probe", path, *words, *(more or ("--duration", "60s")))


def wrong(found: object, expected: object) -> str:
    """What differs."""
    return "" if found == expected else f"{found!r}, expected {expected!r}; "


def takes_effect(serial: str) -> Callable[[], str]:
    """Both settings of a campaign are seen in the drive and the kernel, and flushes reach the drive while it is on."""

    def run() -> str:
        path = device(serial)
        before = state_of(path)
        with tempfile.TemporaryDirectory() as folder:
            watched, out = Watched(path), Path(folder) / "out"
            with forked(lambda: measure(path, serial, CAMPAIGN.format(duration="2s"), out)) as process:
                watched.until(lambda: process.code() is not None)
            told = wrong(process.code(), 0) and f"{process.ended().stderr[-900:]}; "
            found = load_run(out)
        told += wrong(state_of(path), before) + wrong(kept(), [])
        told += "" if watched.states.get(("on", "write back"), 0) > 0 else f"no flushes while on: {watched.states}; "
        told += wrong(watched.states.get(("off", "write through"), -1), 0)
        told += wrong(("on", "write through") in watched.states, False)  # noqa: FBT003 - what was seen
        told += wrong([str(each.workload.write_cache) for each in found.cells], ["on", "off"])
        states = [found.header.device_states, found.end.device_states if found.end else ()]
        queues = [each.queue.write_cache for each in (state[0] for state in states if state) if each is not None]
        return told + wrong(queues, [before[1]] * 2)

    return run


def ends_early(serial: str) -> Callable[[], str]:
    """After Ctrl-C, the drive has the setting that it had. A resumed run sets it again."""

    def run() -> str:
        path = device(serial)
        before = state_of(path)
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out"
            with forked(lambda: measure(path, serial, CAMPAIGN.format(duration="5s"), out)) as process:
                told = "" if Watched(path).until(lambda: cache(path) == "off") else "never off; "
                told += wrong(len(kept()), 1)
                process.send(signal.SIGINT)
                told += wrong(process.wait(), 128 + signal.SIGINT)
            told += wrong(state_of(path), before) + wrong(kept(), [])
            with forked(lambda: measure_rest(out, serial)) as process:
                again = Watched(path)
                again.until(lambda: process.code() is not None)
            told += wrong(process.code(), 0) and f"{process.ended().stderr[-900:]}; "
        told += "" if ("off", "write through") in again.states else f"not set again: {again.states}; "
        return told + wrong(state_of(path), before) + wrong(kept(), [])

    return run


def interrupted(serial: str) -> Callable[[], str]:
    """The command itself, with Ctrl-C."""

    def run() -> str:
        path = device(serial)
        before = state_of(path)
        with running(*probe(serial, path, "off")) as process:
            told = "" if Watched(path).until(lambda: cache(path) == "off") else "never off; "
            process.send(signal.SIGINT)
            told += wrong(process.wait(), 128 + signal.SIGINT)
        return told + wrong(state_of(path), before) + wrong(kept(), [])

    return run


@contextmanager
def killed(serial: str) -> Iterator[tuple[Path, tuple[str, str]]]:
    """A drive whose cache a killed run has left off, with its state before."""
    path = device(serial)
    before = state_of(path)
    with running(*probe(serial, path, "off")) as process:
        assert Watched(path).until(lambda: cache(path) == "off"), process.ended().stderr
        engines = subprocess.run(["pgrep", "-P", str(process.number)], capture_output=True, text=True, check=False)
        for number in (process.number, *map(int, engines.stdout.split())):
            os.kill(number, signal.SIGKILL)
        process.wait()
    assert (cache(path), len(kept())) == ("off", 1), (state_of(path), kept())
    yield path, before
    assert kept() == [], kept()


def next_start(serial: str) -> Callable[[], str]:
    """The next command restores it, and says so."""

    def run() -> str:
        with killed(serial) as (path, before):
            said = run_command("doctor").stdout
            told = "" if f"write cache of {serial}" in said and "doctor --restore" in said else f"doctor: {said}; "
            said = run_command("probe", "null:", "--duration", "200ms", "--warmup", "0s").stderr
            line = f"restored  the write cache of {serial} ({path}) to on"
            told += "" if line in said else f"said: {said}; "
            return told + wrong(state_of(path), before)

    return run


def while_mounted(serial: str) -> Callable[[], str]:
    """``doctor --restore`` restores it while the drive is in use."""

    def run() -> str:
        with killed(serial) as (path, before), tempfile.TemporaryDirectory() as folder:
            subprocess.run(["mkfs.ext4", "-q", "-F", path], check=True)
            subprocess.run(["mount", path, folder], check=True)
            try:
                found = run_command("doctor", "--restore")
                told = wrong(found.returncode, 0) + wrong(state_of(path), before)
                return told and f"{told}{found.stderr}"
            finally:
                subprocess.run(["umount", folder], check=True)
                subprocess.run(["wipefs", "-qa", path], check=True)

    return run


def absent() -> str:
    """A drive that is not there keeps its state file, and is restored when it is back."""
    with killed(NVME) as (path, before):
        slot = (Path("/sys/block", path.name, "device/device")).resolve()
        (slot / "remove").write_text("1")
        found = run_command("doctor", "--restore")
        told = wrong((found.returncode, len(kept())), (3, 1))
        told += "" if "no device has this identity" in found.stderr else found.stderr
        Path("/sys/bus/pci/rescan").write_text("1")
        time.sleep(2)
        found = run_command("doctor", "--restore")
        told += wrong((found.returncode, state_of(device(NVME))), (0, before))
        return told and f"{told}{found.stderr}"


def already() -> str:
    """A drive that has the setting again, as after a power cycle, counts as restored."""
    with killed(VIRTIO) as (path, before):
        Path(f"/sys/block/{path.name}/cache_type").write_text("write back")
        found = run_command("doctor", "--restore")
        told = wrong((found.returncode, state_of(path)), (0, before))
        return told + ("" if "as before" in found.stderr else found.stderr)


def refused(find: Callable[[], tuple[Path, str]], says: str) -> Callable[[], str]:
    """A device is refused before anything is changed."""

    def run() -> str:
        path, identity = find()
        found = run_command(*probe(identity, path, "off", "--duration", "200ms"))
        told = wrong(found.returncode, 3) + wrong(kept(), [])
        return told + ("" if says in found.stderr and "hint:" in found.stderr else found.stderr[-600:])

    return run


def unnoticed() -> str:
    """The kernel does not notice the feature, neither at once nor when it resets the controller."""
    path = device(NVME)
    set_feature(path, 0)
    told = wrong(state_of(path), ("off", "write back"))
    (Path("/sys/block", path.name, "device").resolve() / "reset_controller").write_text("1")
    time.sleep(2)
    told += wrong(kernel(path), "write back")
    set_feature(path, 1)
    return told + wrong(state_of(path), ("on", "write back"))


def partition() -> tuple[Path, str]:
    """A partition of the SCSI drive."""
    path = device(SCSI)
    subprocess.run(["sfdisk", "-q", path], input="start=2048, size=81920\n", text=True, check=True)
    return Path(f"{path}1"), "any"


def loop() -> tuple[Path, str]:
    """A loop device."""
    with Path("/tmp/loop.img").open("wb") as file:  # noqa: S108 - the guest's own
        file.truncate(64 << 20)
    words = ["losetup", "--find", "--show", "/tmp/loop.img"]  # noqa: S108 - the guest's own
    return Path(subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()), "any"


def mapped() -> tuple[Path, str]:
    """A device of device mapper."""
    table = f"0 81920 linear {device(SATA)} 0"
    subprocess.run(["dmsetup", "create", "--noudevsync", "cached"], input=table, text=True, check=True)
    number = max(Path("/sys/block").glob("dm-*")).name
    return Path("/dev", number), "any"


ATTEMPTS: Final = (
    *(
        Attempt(f"{name}: on, off", takes_effect(serial), "takes effect, flushes while on, restored after the run")
        for name, serial in (("NVMe", NVME), ("SCSI", SCSI), ("SATA", SATA), ("virtio", VIRTIO))
    ),
    *(Attempt(f"{name}: Ctrl-C", interrupted(serial), "restored") for name, serial in (("NVMe", NVME), ("SCSI", SCSI))),
    Attempt("NVMe: Ctrl-C, resume", ends_early(NVME), "restored, set again by the resumed run, restored"),
    *(
        Attempt(f"{name}: SIGKILL, next command", next_start(serial), "doctor warns; restored, and said so")
        for name, serial in (("NVMe", NVME), ("SCSI", SCSI), ("SATA", SATA), ("virtio", VIRTIO))
    ),
    Attempt("NVMe: SIGKILL, `doctor --restore` while mounted", while_mounted(NVME), "restored"),
    Attempt("SCSI: SIGKILL, `doctor --restore` while mounted", while_mounted(SCSI), "restored"),
    Attempt("NVMe: SIGKILL, drive removed, and back", absent, "reported and kept, then restored"),
    Attempt("virtio: SIGKILL, drive has it again", already, "counts as restored"),
    Attempt("NVMe: off by another program, reset", unnoticed, "the kernel takes it for write back all the time"),
    Attempt("partition", refused(partition, "it is a partition"), "refused"),
    Attempt("loop device", refused(loop, "not an NVMe, SCSI, SATA or virtio drive"), "refused"),
    Attempt("device mapper", refused(mapped, "not an NVMe, SCSI, SATA or virtio drive"), "refused"),
    Attempt("virtio without config-wce", refused(lambda: (device(FIXED), FIXED), "cache_type is read-only"), "refused"),
    Attempt("virtio without a serial number", refused(lambda: (nameless(), "any"), "neither serial"), "refused"),
    Attempt("NVMe with two namespaces", refused(lambda: (first_of(SHARED), "any"), "2 namespaces"), "refused"),
)
