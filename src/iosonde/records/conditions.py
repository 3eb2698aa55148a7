"""The state of a host and of a device before a measurement: what could spoil it."""

from typing import Literal

from iosonde.records.base import Record

LinkKind = Literal["pcie", "sata", "sas", "usb", "mmc", "virtual", "unknown"]


class IdleState(Record):
    """An idle state of the CPUs (C-state): its name, how long leaving it takes, and whether it is disabled."""

    name: str
    exit_latency_ns: int
    disabled: bool


class HostState(Record):
    """The state of a host that affects a measurement. An empty text or None means that the host does not report it.

    ``load_1m`` is the load average over one minute, ``steal_percent`` the share of CPU time that a hypervisor took over
    the last second. ``smt`` is ``on``, ``off`` or another word of the kernel. ``mitigations`` are the vulnerabilities
    with a mitigation. ``lockable_bytes`` is the limit on locked memory, None without one. ``io_uring_refused`` says why
    io_uring is not available.
    """

    load_1m: float | None
    steal_percent: float | None
    idle_states: tuple[IdleState, ...] = ()
    smt: str = ""
    mitigations: tuple[str, ...] = ()
    lockable_bytes: int | None = None
    io_uring_refused: str = ""


class LinkFacts(Record):
    """The link of a drive: its present and its highest speed and width, by the kernel's names, and its driver.

    Empty texts and None mean that the kernel does not report it.
    """

    kind: LinkKind
    speed: str = ""
    speed_max: str = ""
    width: int | None = None
    width_max: int | None = None
    driver: str = ""


class QueueSettings(Record):
    """Settings of the block layer for a device, by the kernel's names; None if the kernel does not have one."""

    scheduler: str = ""
    nr_requests: int | None = None
    rq_affinity: int | None = None
    nomerges: int | None = None
    add_random: int | None = None
    wbt_lat_usec: int | None = None
    max_sectors_kb: int | None = None
    max_hw_sectors_kb: int | None = None
    read_ahead_kb: int | None = None
    io_poll: int | None = None
    discard_max_bytes: int | None = None
    write_cache: str = ""
    zoned: str = ""


class Traffic(Record):
    """The I/O that a device completed over a period, and the requests in flight at its end."""

    reads_per_s: float
    writes_per_s: float
    bytes_per_s: float
    in_flight: int


class DeviceState(Record):
    """The state of a device before a measurement.

    ``stack`` are the devices that it is built on and their kinds, such as ``dm-0 (crypt)``. ``start_bytes`` is where a
    partition begins, 0 for a whole disk. ``traffic`` is its I/O over the last second; None if it could not be read.
    """

    name: str
    queue: QueueSettings
    link: LinkFacts
    stack: tuple[str, ...] = ()
    start_bytes: int = 0
    traffic: Traffic | None = None
