"""The ways that need devices or a kernel of the lab; those of ``tests.stories.devices_in_use`` are used as well."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.stories.devices_in_use import (
    EXT4,
    MD,
    TWO,
    ZFS,
    ZFS_LABEL_BYTES,
    Use,
    below_a_loop,
    linked,
    made,
    mapped,
    mounted,
    mounted_elsewhere,
    opened,
    partitioned,
    renamed,
    signature,
    swap,
)
from tests.stories.loop_devices import done

CONFIGFS: Final = Path("/sys/kernel/config")
BY_ID: Final = Path("/dev/disk/by-id")
KEY: Final = "00" * 32


@dataclass(frozen=True)
class LabWay:
    """A use of a device, in a form in which the device is asked for, and the check that has to find it."""

    use_name: str
    form: str
    use: Use
    check: str

    @property
    def name(self) -> str:
        """Such as ``mounted, by-id path``."""
        return f"{self.use_name}, {self.form}"


def sectors(device: Path) -> int:
    """The size of a device in sectors."""
    return int(done("blockdev", "--getsz", device))


def mapped_by(table: str) -> Use:
    """Held by device mapper with this table, in which ``{size}`` and ``{device}`` are replaced."""

    @contextmanager
    def use(device: Path, _: Path) -> Iterator[Path]:
        words = ["dmsetup", "create", "above", "--table", table.format(size=sectors(device), device=device)]
        subprocess.run(words, check=True, capture_output=True)
        try:
            yield device
        finally:
            done("dmsetup", "remove", "--retry", "above")

    return use


@contextmanager
def exported(device: Path, _: Path) -> Iterator[Path]:
    """Exported by the NVMe target of the kernel, which does not take it exclusively."""
    namespace = CONFIGFS / "nvmet/subsystems/lab/namespaces/1"
    namespace.mkdir(parents=True)
    (namespace / "device_path").write_text(str(device))
    (namespace / "enable").write_text("1")
    try:
        yield device
    finally:
        (namespace / "enable").write_text("0")
        namespace.rmdir()
        namespace.parent.parent.rmdir()


def by_id(then: Use) -> Use:
    """Asked for by a path as udev makes them."""

    @contextmanager
    def use(device: Path, folder: Path) -> Iterator[Path]:
        BY_ID.mkdir(parents=True, exist_ok=True)
        with then(device, folder) as path:
            link = BY_ID / f"nvme-LAB_{path.name}"
            link.symlink_to(os.path.relpath(path, BY_ID))
            try:
                yield link
            finally:
                link.unlink()

    return use


def on_partition(then: Use) -> Use:
    """The use of the first of two partitions."""
    return partitioned(TWO, 1, then)


def whole(then: Use) -> Use:
    """The use of the whole disk, asked for by its usual node."""
    return then


USES: Final[dict[str, tuple[Use, str]]] = {
    "mounted": (mounted, "mounted"),
    "mounted in another namespace": (mounted_elsewhere, "mounted"),
    "swap": (swap, "swap"),
    "open for reading": (opened("O_RDONLY"), "open"),
    "open for writing": (opened("O_RDWR"), "open"),
    "taken exclusively": (opened("O_RDWR | os.O_EXCL"), "exclusive"),
    "mapped and closed": (mapped, "open"),
    "below a loop device": (below_a_loop, "exported"),
    "held by a linear mapping": (mapped_by("0 {size} linear {device} 0"), "held"),
    "held by a crypt mapping": (mapped_by(f"0 {{size}} crypt aes-xts-plain64 {KEY} 0 {{device}} 0"), "held"),
    "exported over NVMe-oF": (exported, "exported"),
    "ext4 that is not mounted": (made(*EXT4), "signature"),
    "swap that is not used": (made("mkswap"), "signature"),
    "LUKS": (signature(0, b"LUKS\xba\xbe\x00\x02" + bytes(64)), "signature"),
    "damaged XFS": (signature(0, b"XFSB" + bytes(64)), "signature"),
    "ZFS label 3": (signature(-ZFS_LABEL_BYTES // 2, ZFS), "signature"),
    "md 1.0 at the end": (signature(-8 << 10, MD), "signature"),
}
FORMS: Final[dict[str, Callable[[Use], Use]]] = {
    "whole disk": whole,
    "partition": on_partition,
    "symbolic link": linked,
    "by-id path": by_id,
    "renamed node": renamed,
}


def ways() -> list[LabWay]:
    """Every use in every form."""
    return [LabWay(name, form, wrap(use), check) for name, (use, check) in USES.items() for form, wrap in FORMS.items()]
