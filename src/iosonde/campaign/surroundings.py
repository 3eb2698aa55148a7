"""The state of the host and of the devices at the start and at the end of a session, as `iosonde doctor` sees it."""

import time
from dataclasses import dataclass
from typing import Final

from iosonde.machine import Counters, Host
from iosonde.records import DeviceState, HostState
from iosonde.sources import StoredTarget, Target
from iosonde.units import SECOND_NS

NO_COUNTERS: Final = Counters(())
SAMPLE_NS_MIN: Final = 50_000_000
"""A shorter time says nothing about the rate of others' I/O, or about steal time."""


@dataclass(frozen=True)
class Surroundings:
    """The state of the host, None for simulated drives, and of the device of each target, None without a device."""

    host: HostState | None = None
    devices: tuple[DeviceState | None, ...] = ()


class Watch:
    """Counters at its start. Steal time and others' I/O are what changed since then; unknown over a short time."""

    def __init__(self, host: Host, targets: tuple[Target, ...]) -> None:
        self._host = host
        self._numbers = [_device_number(host, target) for target in targets]
        self._before = [NO_COUNTERS if number is None else host.counters(number) for number in self._numbers]
        self._cpu = host.counters(None)
        self._began_ns = time.monotonic_ns()

    def read(self, io_uring_refused: str, *, waits: bool) -> Surroundings:
        """The state now. If it ``waits``, enough time has passed to know steal time and others' I/O."""
        if all(number is None for number in self._numbers):
            return Surroundings()
        if waits:
            time.sleep(max(SAMPLE_NS_MIN - (time.monotonic_ns() - self._began_ns), 0) / SECOND_NS)
        elapsed_ns = time.monotonic_ns() - self._began_ns
        long = elapsed_ns >= SAMPLE_NS_MIN
        return Surroundings(
            self._host.state(self._cpu if long else NO_COUNTERS, io_uring_refused),
            tuple(
                None if number is None else self._host.device_state(number, before if long else NO_COUNTERS, elapsed_ns)
                for number, before in zip(self._numbers, self._before, strict=True)
            ),
        )


def _device_number(host: Host, target: Target) -> int | None:
    """The number of the device that a target is or is on; None for others, and if it cannot be accessed."""
    if not isinstance(target, StoredTarget):
        return None
    try:
        return host.look(str(target.on)).device_number
    except OSError:
        return None
