"""Solid-state drives with random parameters and at most one mechanism that limits or changes their results.

Without a mechanism, a drive has 512 dies, a fast link and controller, a write buffer of two program units, and so
much over-provisioning that garbage collection costs nothing: within the campaign, nothing saturates.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

from iosonde.explanations import Mechanism

Parameters = dict[str, Any]

KIB: Final = 1 << 10
MIB: Final = 1 << 20
CAPACITY_BYTES: Final = 2 << 30
US: Final = 1_000
MS: Final = 1_000_000


def random_drive(seed: int, mechanism: Mechanism | None) -> Parameters:
    """The parameters of a drive, in the form of a model file."""
    random = Random(seed)
    drive: Parameters = {
        "kind": "ssd",
        "title": "random drive",
        "about": "A drive with random parameters.",
        "capacity_bytes": CAPACITY_BYTES,
        "capacity_scale": 1,
        "link": {
            "bytes_per_s": 10**12,
            "command_ns": random.randint(20, 200),
            "duplex": random.choice(["half", "full"]),
        },
        "controller": {"cores": 1024, "command_ns": random.randint(1 * US, 8 * US)},
        "buffer": {"size_bytes": 2 * 4 * KIB, "power_loss_protection": True},
        "media": {
            "channels": 64,
            "dies_per_channel": 8,
            "planes_per_die": 1,
            "page_bytes": 4 * KIB,
            "pages_per_block": 16,
            "channel_bytes_per_s": 10**11,
            "read_ns": random.randint(30 * US, 120 * US),
            "read_sigma_permille": random.randint(0, 200),
            "read_slow_ppm": random.randint(0, 1000),
            "read_slow_factor": random.randint(2, 10),
            "program_ns": random.randint(300 * US, 1500 * US),
            "erase_ns": random.randint(2 * MS, 6 * MS),
            "over_provisioning_permille": random.randint(2000, 4000),
            "rated_erases": 1000,
        },
    }
    if mechanism is not None:
        SWITCHES[mechanism](drive, random)
    return drive


def _read_ahead(drive: Parameters, random: Random) -> None:
    size_bytes = random.choice([4, 8, 16]) * MIB
    ahead_bytes = random.choice([64, 128, 256, 1024]) * KIB
    drive["read_cache"] = {"size_bytes": size_bytes, "read_ahead_bytes": ahead_bytes, "keeps_pages": False}


def _read_cache(drive: Parameters, random: Random) -> None:
    size_bytes = random.randint(64, 400) * MIB
    drive["read_cache"] = {"size_bytes": size_bytes, "read_ahead_bytes": 0, "keeps_pages": True}


def _write_buffer(drive: Parameters, random: Random) -> None:
    drive["buffer"] = {"size_bytes": random.choice([4, 8, 16, 32]) * MIB, "power_loss_protection": True}


def _slc_cache(drive: Parameters, random: Random) -> None:
    program_ns = drive["media"]["program_ns"] // random.randint(4, 8)
    drive["slc"] = {
        "size_bytes": random.randint(150, 450) * MIB,
        "read_ns": drive["media"]["read_ns"],
        "program_ns": program_ns,
        "when_full": "bypass",
    }
    drive["idle"] = {"delay_ns": random.randint(50, 500) * MS, "spare_permille": 0}


def _flush(drive: Parameters, random: Random) -> None:
    _write_buffer(drive, random)
    drive["buffer"]["power_loss_protection"] = False


def _collection(drive: Parameters, random: Random) -> None:
    drive["media"]["over_provisioning_permille"] = random.randint(40, 150)


def _die_conflicts(drive: Parameters, random: Random) -> None:
    drive["media"]["channels"] = random.choice([1, 2, 4])
    drive["media"]["dies_per_channel"] = random.choice([2, 3, 4])


def _link_limit(drive: Parameters, random: Random) -> None:
    drive["link"]["bytes_per_s"] = random.randint(150, 600) * 10**6


def _command_limit(drive: Parameters, random: Random) -> None:
    drive["controller"] = {"cores": 1, "command_ns": random.randint(15 * US, 40 * US)}


def _throttling(drive: Parameters, random: Random) -> None:
    program_mw = random.randint(2000, 6000)
    drive["power"] = {
        "idle_mw": 1000,
        "read_mw": 10,
        "program_mw": program_mw,
        "erase_mw": program_mw,
        "link_mw": 0,
        "limit_mw": 1000 + program_mw * random.randint(20, 60) // 100,
        "window_ns": random.randint(20, 200) * MS,
    }


SWITCHES: Final[Mapping[Mechanism, Callable[[Parameters, Random], None]]] = {
    Mechanism.READ_AHEAD: _read_ahead,
    Mechanism.READ_CACHE: _read_cache,
    Mechanism.WRITE_BUFFER: _write_buffer,
    Mechanism.SLC_CACHE: _slc_cache,
    Mechanism.FLUSH: _flush,
    Mechanism.COLLECTION: _collection,
    Mechanism.DIE_CONFLICTS: _die_conflicts,
    Mechanism.LINK_LIMIT: _link_limit,
    Mechanism.COMMAND_LIMIT: _command_limit,
    Mechanism.THROTTLING: _throttling,
}
"""What a drive needs for each mechanism. The others are of the host, or of a virtual disk."""


def model_text(drive: Mapping[str, Any]) -> str:
    """The model file of a drive."""
    lines, tables = [], []
    for key, value in drive.items():
        if isinstance(value, Mapping):
            tables.append(f"\n[{key}]\n{model_text(value)}")
        else:
            lines.append(f"{key} = {_toml(value)}")
    return "\n".join([*lines, *tables])


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)
