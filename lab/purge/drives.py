"""The emulated drives of the purge check."""

from pathlib import Path
from typing import Final

from lab.guard.drives import DRIVES, SHARED, SIZE_BYTES
from lab.guest import ONE_CPU, drive

DEAF: Final = "LAB-PURGE-DEAF"
"""The serial number of a drive that ignores discards."""

HIDDEN: Final = "LAB-PURGE-HIDDEN"
"""The serial number of a controller with one namespace, and with another that is not attached to it."""

LEAVING: Final = "LAB-PURGE-LEAVING"
"""The serial number of a drive that is removed while it is formatted."""


def hardware(folder: Path) -> tuple[str, ...]:
    """The words for QEMU."""
    words = [*ONE_CPU]
    for serial in (*DRIVES, DEAF, LEAVING):
        discard = "ignore" if serial == DEAF else "unmap"
        words += [*_image(folder, serial, discard), "-device", f"nvme,serial={serial},drive={serial}"]
    words += ["-device", f"nvme,id=shared,serial={SHARED}"]
    words += ["-device", "nvme-subsys,id=subsystem,nqn=hidden"]
    words += ["-device", f"nvme,id=hidden,serial={HIDDEN},subsys=subsystem"]
    for bus, number, more in (("shared", 1, ""), ("shared", 2, ""), ("hidden", 1, ""), ("hidden", 2, ",detached=on")):
        words += _image(folder, f"{bus}{number}", "unmap")
        words += ["-device", f"nvme-ns,bus={bus},drive={bus}{number},nsid={number}{more}"]
    return tuple(words)


def _image(folder: Path, name: str, discard: str) -> list[str]:
    image = drive(folder / f"{name}.img", SIZE_BYTES)
    return ["-drive", f"file={image},if=none,id={name},format=raw,discard={discard}"]
