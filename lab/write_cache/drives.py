"""The emulated drives of the check, and what another program than iosonde reads from them."""

import fcntl
import os
import re
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from iosonde.sources import EngineSource
from lab.guest import MIB, ONE_CPU, drive

NVME: Final = "LAB-CACHE-NVME"
SCSI: Final = "LAB-CACHE-SCSI"
SATA: Final = "LAB-CACHE-SATA"
VIRTIO: Final = "LAB-CACHE-VIRTIO"
BESIDE: Final = "LAB-CACHE-BESIDE"
"""A drive that no check names: it must not change."""

FIXED: Final = "LAB-CACHE-FIXED"
"""A virtio drive whose cache cannot be set."""

SHARED: Final = "LAB-CACHE-SHARED"
"""A drive with two namespaces."""

NAMELESS: Final = ""
"""A virtio drive without a serial number."""

MODULES: Final = {"virtio_blk": "", "virtio_scsi": "", "ahci": "", "sd_mod": "", "sg": "", "loop": "", "dm_mod": ""}
SIZE_BYTES: Final = 64 * MIB
ADMIN_COMMAND: Final = 0xC0484E41
SET_FEATURES: Final = 0x09
GET_FEATURES: Final = 0x0A
VOLATILE_WRITE_CACHE: Final = 0x06


def hardware(folder: Path) -> tuple[str, ...]:
    """The words for QEMU."""
    words = [*ONE_CPU, "-device", "virtio-scsi-pci,id=scsi"]
    for serial, device in (
        (NVME, "nvme"),
        (BESIDE, "nvme"),
        (SCSI, "scsi-hd,bus=scsi.0"),
        (SATA, "ide-hd,bus=ide.0"),
        (VIRTIO, "virtio-blk-pci"),
        (FIXED, "virtio-blk-pci,config-wce=off"),
    ):
        words += [*_image(folder, serial), "-device", f"{device},serial={serial},drive={serial}"]
    words += [*_image(folder, "nameless"), "-device", "virtio-blk-pci,drive=nameless"]
    words += ["-device", f"nvme,id=shared,serial={SHARED}"]
    for number in (1, 2):
        words += [*_image(folder, f"shared{number}")]
        words += ["-device", f"nvme-ns,bus=shared,drive=shared{number},nsid={number}"]
    return tuple(words)


def _image(folder: Path, name: str) -> list[str]:
    image = drive(folder / f"{name}.img", SIZE_BYTES)
    return ["-drive", f"file={image},if=none,id={name},format=raw,cache=writeback"]


def device(serial: str) -> Path:
    """The device whose identity is a serial number; for two namespaces, the first."""
    return next(path for path, name in _identities() if name == serial)


def first_of(serial: str) -> Path:
    """The first namespace of an NVMe drive."""
    for folder in sorted(Path("/sys/block").glob("nvme*n*")):
        if (folder / "device/serial").read_text(encoding="utf-8").strip() == serial:
            return Path("/dev", folder.name)
    raise FileNotFoundError(serial)


def nameless() -> Path:
    """The virtio drive without a serial number."""
    return next(
        Path("/dev", folder.name)
        for folder in sorted(Path("/sys/block").glob("vd*"))
        if not (folder / "serial").read_text(encoding="utf-8").strip()
    )


def _identities() -> Iterator[tuple[Path, str]]:
    source = EngineSource()
    try:
        for folder in sorted(Path("/sys/block").iterdir()):
            if folder.name.startswith(("nvme", "sd", "vd")):
                found = source.inspect(Path("/dev", folder.name)).identity
                yield Path("/dev", folder.name), "" if found is None else found.name
    finally:
        source.end()


def cache(path: Path) -> str:
    """Whether the write cache of a drive is on, as it tells another program: ``on`` or ``off``."""
    if path.name.startswith("nvme"):
        return "on" if _feature(path) & 1 else "off"
    if path.name.startswith("sd"):
        told = subprocess.run(
            ["sg_modes", "--dbd", "--page=8", "--control=0", path], capture_output=True, text=True, check=True
        ).stdout
        # The caching mode page: WCE is bit 2 of its third byte.
        page = re.search(r"^ 00 +([0-9a-f]{2} .*)$", told, re.MULTILINE)
        assert page is not None, told
        return "on" if int(page[1].split()[2], 16) & 4 else "off"
    text = Path(f"/sys/block/{path.name}/cache_type").read_text(encoding="utf-8").strip()
    return {"write back": "on", "write through": "off"}[text]


def kernel(path: Path) -> str:
    """What the kernel takes the cache for."""
    return Path(f"/sys/block/{path.name}/queue/write_cache").read_text(encoding="utf-8").strip()


def flushes(path: Path) -> int:
    """The flushes that the kernel has sent to a drive."""
    return int(Path(f"/sys/block/{path.name}/stat").read_text(encoding="utf-8").split()[15])


def set_feature(path: Path, value: int) -> None:
    """Sets the feature Volatile Write Cache, by the ioctl of the NVMe driver."""
    _send(path, SET_FEATURES, value)


def _feature(path: Path) -> int:
    return _send(path, GET_FEATURES, 0)


def _send(path: Path, opcode: int, value: int) -> int:
    """The result of a command for the feature Volatile Write Cache."""
    # struct nvme_passthru_cmd: the command words 10 to 15, the time limit in ms, and the result.
    words = (VOLATILE_WRITE_CACHE, value, 0, 0, 0, 0, 10_000, 0)
    command = bytearray(struct.pack("<BBHIIIQQII8I", opcode, 0, 0, 0, 0, 0, 0, 0, 0, 0, *words))
    file = os.open(path, os.O_RDONLY)
    try:
        status = fcntl.ioctl(file, ADMIN_COMMAND, command)
    finally:
        os.close(file)
    assert status == 0, status
    return int(struct.unpack_from("<I", command, 68)[0])
