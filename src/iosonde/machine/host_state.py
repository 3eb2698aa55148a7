"""The state of this host that affects a measurement. It is only read."""

import os
import resource
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from iosonde.machine.sysfs import read_int, read_text
from iosonde.records import HostState, IdleState

_STEAL: Final = 7
"""The place of steal time among the CPU times of /proc/stat, after ``cpu``."""
_CPU: Final = "sys/devices/system/cpu"


def cpu_times(root: Path = Path("/")) -> tuple[int, ...]:
    """The CPU times of all CPUs since boot, in ticks: user, nice, system, idle, I/O wait, and so on."""
    first = read_text(root / "proc/stat").partition("\n")[0].split()
    return tuple(int(each) for each in first[1:] if each.isdecimal())


def host_state(before: Sequence[int], io_uring_refused: str, root: Path = Path("/")) -> HostState:
    """The state of this host. ``before`` are the CPU times of a second ago."""
    return HostState(
        load_1m=_load(root),
        steal_percent=_steal_percent(before, cpu_times(root)),
        idle_states=tuple(_idle_states(root)),
        smt=read_text(root / _CPU / "smt/control"),
        mitigations=_mitigations(root),
        lockable_bytes=_lockable_bytes(),
        io_uring_refused=io_uring_refused,
    )


def _load(root: Path) -> float | None:
    with suppress(ValueError, IndexError):
        return float(read_text(root / "proc/loadavg").split()[0])
    return None


def _steal_percent(before: Sequence[int], after: Sequence[int]) -> float | None:
    if len(before) != len(after) or len(after) <= _STEAL:
        return None
    # Guest time, behind steal time, is already part of user time.
    spent = [now - then for now, then in zip(after, before, strict=True)][: _STEAL + 1]
    return 100 * spent[_STEAL] / sum(spent) if sum(spent) > 0 else None


def _idle_states(root: Path) -> list[IdleState]:
    found = []
    for folder in sorted((root / _CPU / "cpu0/cpuidle").glob("state*"), key=lambda path: int(path.name[5:])):
        latency_us = read_int(folder / "latency")
        if latency_us is not None:
            disabled = read_int(folder / "disable") == 1
            found.append(
                IdleState(name=read_text(folder / "name"), exit_latency_ns=latency_us * 1000, disabled=disabled)
            )
    return found


def _mitigations(root: Path) -> tuple[str, ...]:
    folder = root / _CPU / "vulnerabilities"
    return tuple(sorted(path.name for path in folder.glob("*") if read_text(path).startswith("Mitigation")))


def _lockable_bytes() -> int | None:
    limit = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    # Root, and who has CAP_IPC_LOCK, has no limit.
    return None if limit == resource.RLIM_INFINITY or os.geteuid() == 0 else limit
