"""What can be measured: one union of targets, from their resolution until they are closed."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from iosonde.machine.write_permit import WritePermit, check_permit
from iosonde.records import DeviceIdentity, FileSystemFacts, Identity, SimulationFacts, TargetKind

NULL_WORD: Final = "null:"
SIMULATED_WORD: Final = "sim:"


@dataclass(frozen=True, kw_only=True)
class BaseTarget(ABC):
    """What all targets have: a name, and a test region of ``span_bytes`` from the start."""

    kind: ClassVar[TargetKind]
    is_new: ClassVar[bool] = False
    """Whether nothing was ever written to the target."""
    keeps_data: ClassVar[bool] = True
    """Whether written data can be read back."""

    span_bytes: int

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the target for the user."""

    def must_be_filled(self, *, writes: bool) -> bool:
        """Whether it is preconditioned before it is measured. ``writes`` says that the run may write to it."""
        return self.keeps_data and (self.is_new or writes)


@dataclass(frozen=True, kw_only=True)
class StoredTarget(BaseTarget, ABC):
    """A target on storage, at a path."""

    path: Path

    @property
    def name(self) -> str:
        """The path."""
        return str(self.path)

    @property
    def on(self) -> Path:
        """An existing path on the same device."""
        return self.path


@dataclass(frozen=True, kw_only=True)
class NewFile(StoredTarget):
    """A file that the run creates. ``file_system`` is that of its directory, None if it was not checked."""

    kind: ClassVar[TargetKind] = "file"
    is_new: ClassVar[bool] = True

    file_system: FileSystemFacts | None = None

    @property
    def on(self) -> Path:
        """Its directory."""
        return self.path.parent


@dataclass(frozen=True, kw_only=True)
class ExistingFile(StoredTarget):
    """A file that exists. ``file_system`` is None if it was not checked.

    ``expected`` is the file's identity in an earlier session of the same run. ``was_created`` says that, by the run's
    record, the run created it, and ``is_written`` that it wrote all of it. ``mark`` is the mark that a file created by
    the run under its own name carries, empty for any other file. ``is_own`` says that the file does carry it.
    ``is_alone`` is False if it is unknown whether another program has the file open.
    """

    kind: ClassVar[TargetKind] = "file"

    file_system: FileSystemFacts | None = None
    expected: Identity | None = None
    was_created: bool = False
    mark: str = ""
    is_own: bool = False
    is_written: bool = False
    is_alone: bool = True


@dataclass(frozen=True, kw_only=True)
class BlockDevice(StoredTarget):
    """A block device. ``named`` is the path that the user gave. Without a ``permit`` it is only read.

    ``generic`` is the character device for NVMe commands to the same namespace. ``expected`` and ``identifier`` are
    from an earlier session of the same run: the identity, and the name independent of slot and port (may be empty).
    ``granted`` is the identity that it was then written by.
    """

    kind: ClassVar[TargetKind] = "device"

    named: Path
    generic: Path | None = None
    expected: Identity | None = None
    identifier: str = ""
    granted: DeviceIdentity | None = None
    permit: WritePermit | None = None

    @property
    def name(self) -> str:
        """The path that the user gave."""
        return str(self.named)

    def check_permit(self) -> None:
        """Raises UnpermittedWriteError unless the device may be written."""
        check_permit(self.name, self.permit)


@dataclass(frozen=True, kw_only=True)
class SimulatedDrive(BaseTarget):
    """A simulated drive. It is fresh out of the box whenever it is opened."""

    kind: ClassVar[TargetKind] = "simulation"
    is_new: ClassVar[bool] = True

    drive: SimulationFacts

    @property
    def name(self) -> str:
        """The target name of exactly this drive, including its seed."""
        scale = "" if self.drive.scale == 1 else f",scale={self.drive.scale}"
        return f"{SIMULATED_WORD}{self.drive.model},seed={self.drive.seed}{scale}"


@dataclass(frozen=True, kw_only=True)
class NullTarget(BaseTarget):
    """A target without I/O: the measurement shows the engine's own cost."""

    kind: ClassVar[TargetKind] = "null"
    keeps_data: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """Its target name."""
        return NULL_WORD


Target = NewFile | ExistingFile | BlockDevice | SimulatedDrive | NullTarget
