"""Keeps the settings of devices that a run changes, so that they are restored even if the run is killed.

There is a file for each device. It is on disk before the first change, and is removed when the setting is restored. The
run that changed the device holds a lock on it, which the kernel releases when the process ends.
"""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from iosonde.errors import OutputError, TargetError
from iosonde.records import KeptSetting
from iosonde.safe_files import read_regular, state_folder
from iosonde.store.device_files import STATE_HINT, SUFFIX, file_of_device
from iosonde.store.directories import flush_directory

BYTES_MAX: Final = 1 << 16
"""The largest file that is read."""


@dataclass
class HeldSetting:
    """A setting whose file is locked by this process."""

    setting: KeptSetting
    path: Path
    _file: int

    def forget(self) -> None:
        """Removes the file: the device has its setting again."""
        with suppress(FileNotFoundError):
            self.path.unlink()
        flush_directory(self.path.parent)
        self.release()

    def release(self) -> None:
        """Leaves the file to a later command."""
        os.close(self._file)


def keep_setting(setting: KeptSetting) -> HeldSetting:
    """Writes the setting of a device to disk, and locks it.

    Raises TargetError if an earlier setting of the device was not restored yet, and OutputError.
    """
    folder = _folder()
    path = file_of_device(folder, setting.identity)
    part = folder / f".{secrets.token_hex(8)}"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.write(file, (setting.model_dump_json(indent=2) + "\n").encode())
            os.fsync(file)
            # Unlike a rename, this never replaces the file of an earlier run.
            os.link(part, path)
            flush_directory(folder)
        except BaseException:
            os.close(file)
            raise
        finally:
            part.unlink()
    except FileExistsError as error:
        raise TargetError(
            f"an earlier run changed {setting.device}, and its setting is not restored yet",
            "`iosonde doctor --restore` restores it",
        ) from error
    except OSError as error:
        raise OutputError(
            f"the settings of devices cannot be kept in {folder}: {error.strerror}",
            STATE_HINT,
        ) from error
    return HeldSetting(setting, path, file)


def kept_settings() -> tuple[tuple[KeptSetting, bool], ...]:
    """All settings that are kept, and whether a process holds each: a run that has changed it and is not over."""
    found = []
    for path in _files():
        with suppress(OSError, ValueError, ValidationError):
            setting = _read(path)
            held = _take(path)
            if held is not None:
                os.close(held)
            found.append((setting, held is None))
    return tuple(found)


def left_settings() -> Iterator[HeldSetting]:
    """The settings that ended runs have left, each locked by this process. The caller forgets or releases each."""
    for path in _files():
        with suppress(OSError, ValueError, ValidationError):
            file = _take(path)
            if file is None:
                continue
            try:
                setting = _read(path)
            except BaseException:
                os.close(file)
                raise
            yield HeldSetting(setting, path, file)


def _read(path: Path) -> KeptSetting:
    return KeptSetting.model_validate_json(read_regular(path, bytes_max=BYTES_MAX))


def _take(path: Path) -> int | None:
    """The locked file; None if another process holds it, or has removed it. Raises OSError."""
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(file), path.stat()):
            return file
    except BlockingIOError:
        pass
    except OSError:
        os.close(file)
        raise
    os.close(file)
    return None


def _files() -> list[Path]:
    try:
        return sorted(path for path in _folder().iterdir() if path.suffix == SUFFIX)
    except OSError:
        return []


def _folder() -> Path:
    return state_folder("settings")
