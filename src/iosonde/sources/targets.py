"""What can be measured: one union of targets, from the moment that they are known until they are closed."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final

from iosonde.machine.write_permit import WritePermit, check_permit
from iosonde.records import FileSystemFacts, Identity, SimulationFacts, TargetKind

NULL_WORD: Final = "null:"
SIMULATED_WORD: Final = "sim:"


@dataclass(frozen=True, kw_only=True)
class BaseTarget(ABC):
    """What all targets have: a name, and a span of ``span_bytes`` from the start that is used."""

    kind: ClassVar[TargetKind]
    is_new: ClassVar[bool] = False
    """Whether nothing was ever written to it."""
    keeps_data: ClassVar[bool] = True
    """Whether what is written can be read."""

    span_bytes: int

    @property
    @abstractmethod
    def name(self) -> str:
        """What the user calls it."""

    def must_be_filled(self, *, writes: bool) -> bool:
        """Whether it is written in full before it is measured; ``writes`` says that the run may write to it."""
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
        """What exists already and lies on the same device."""
        return self.path


@dataclass(frozen=True, kw_only=True)
class NewFile(StoredTarget):
    """A file that the run creates. ``file_system`` is that of its directory, None where nobody has looked."""

    kind: ClassVar[TargetKind] = "file"
    is_new: ClassVar[bool] = True

    file_system: FileSystemFacts | None = None

    @property
    def on(self) -> Path:
        """Its directory."""
        return self.path.parent


@dataclass(frozen=True, kw_only=True)
class ExistingFile(StoredTarget):
    """A file that is there. ``file_system`` is None where nobody has looked.

    ``expected`` is the file that an earlier session of the same run had, ``was_created`` says that the run claims to
    have created it, and ``is_written`` that it had written all of it. ``mark`` is what the file carries if the run
    created it under a name of its own, and empty where the run does not claim that; ``is_own`` says that the file does
    carry it. ``is_alone`` is False where nobody can say whether another program has the file open.
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

    ``generic`` is the device that takes commands for the same namespace of NVMe. ``expected`` and ``identifier`` are
    what an earlier session of the same run had, and what named that wherever it was plugged in (empty: nothing did).
    """

    kind: ClassVar[TargetKind] = "device"

    named: Path
    generic: Path | None = None
    expected: Identity | None = None
    identifier: str = ""
    permit: WritePermit | None = None

    @property
    def name(self) -> str:
        """What the user called it."""
        return str(self.named)

    def check_permit(self) -> None:
        """Raises UnpermittedWriteError unless it may be written."""
        check_permit(self.name, self.permit)


@dataclass(frozen=True, kw_only=True)
class SimulatedDrive(BaseTarget):
    """A drive that is computed, new from the factory whenever it is opened."""

    kind: ClassVar[TargetKind] = "simulation"
    is_new: ClassVar[bool] = True

    drive: SimulationFacts

    @property
    def name(self) -> str:
        """The word that means this very drive, seed and all."""
        scale = "" if self.drive.scale == 1 else f",scale={self.drive.scale}"
        return f"{SIMULATED_WORD}{self.drive.model},seed={self.drive.seed}{scale}"


@dataclass(frozen=True, kw_only=True)
class NullTarget(BaseTarget):
    """Nothing at all: what is measured is the engine's own cost."""

    kind: ClassVar[TargetKind] = "null"
    keeps_data: ClassVar[bool] = False

    @property
    def name(self) -> str:
        """The word for it."""
        return NULL_WORD


Target = NewFile | ExistingFile | BlockDevice | SimulatedDrive | NullTarget
