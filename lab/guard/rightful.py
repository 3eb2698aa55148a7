"""Rightful writes to free drives, which have to work."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from lab.forked import run_command
from lab.guard.asking import Engine, checksum, chunks, claim_of
from lab.guard.drives import DRIVES, MIB, SHARED, by_serial, mapping, namespaces
from tests.stories.devices_in_use import TWO, divide, mounted
from tests.stories.loop_devices import done

WRITES: Final = ("--read", "0", "--duration", "500ms", "--warmup", "0s", "--json")


def _probe(path: Path, identity: str, *more: str) -> dict[str, Any]:
    ended = run_command("probe", path, *WRITES, "--destroy", identity, *more)
    assert ended.returncode == 0, ended.stderr
    cell = json.loads(ended.stdout)["run"]["cells"][0]
    return {"written": cell["operations"]["write"]["count"]}


def free_drive(_: Engine) -> dict[str, Any]:
    """A free drive by its serial number."""
    return _probe(by_serial(DRIVES[0]), DRIVES[0])


def free_namespace(engine: Engine) -> dict[str, Any]:
    """A namespace by its world-wide name."""
    first, second = namespaces(SHARED)
    before = checksum(second)
    found = _probe(first, str(claim_of(engine, first)["identity"]))
    assert checksum(second) == before, "the other namespace has changed"
    return found


def scratch_partition(engine: Engine) -> dict[str, Any]:
    """A scratch partition beside a mounted one, and nothing outside it changes."""
    disk = by_serial(DRIVES[0])
    divide(disk, TWO)
    first, second = Path(f"{disk}p1"), Path(f"{disk}p2")
    start = int((Path("/sys/class/block") / second.name / "start").read_text()) * 512
    with tempfile.TemporaryDirectory() as folder, mounted(first, Path(folder)):
        before = b"".join(map(bytes, chunks(disk)))
        found = _probe(second, str(claim_of(engine, second)["identity"]))
        after = b"".join(map(bytes, chunks(disk)))
    end = start + 16 * MIB
    assert before[:start] == after[:start]
    assert before[end:] == after[end:]
    assert before[start:end] != after[start:end]
    return found


def free_mapping(_: Engine) -> dict[str, Any]:
    """A mapping by its UUID."""
    disk = by_serial(DRIVES[0])
    table = f"0 {int(done('blockdev', '--getsz', disk))} linear {disk} 0"
    with mapping("LAB-scratch", table) as path:
        return _probe(path, "LAB-scratch")


def trims(_: Engine) -> dict[str, Any]:
    """Trims of a free drive are discards."""
    disk = by_serial(DRIVES[0])
    stat = Path("/sys/block") / disk.name / "stat"
    before = int(stat.read_text().split()[11])
    _probe(disk, DRIVES[0], "--trim", "50", "--engine", "psync")
    return {"written": int(stat.read_text().split()[11]) - before}


RIGHTFUL: Final[dict[str, Callable[[Engine], dict[str, Any]]]] = {
    "rightful: a free drive by its serial number": free_drive,
    "rightful: a namespace by its world-wide name": free_namespace,
    "rightful: a scratch partition beside a mounted one, and nothing outside it changes": scratch_partition,
    "rightful: a mapping by its UUID": free_mapping,
    "rightful: trims of a free drive are discards": trims,
}
