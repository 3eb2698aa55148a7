"""Removes a file that iosonde created, and no other file that has come to its name since.

Linux has no unlink by handle: between a check of a name and the unlink, another process can move another file there. So
the file is first renamed to an unguessable name, in a directory that is kept open, and identified there. If it is
another file, it gets its name back.

This module also runs as a script in a separate process, for file systems that may never respond. So it imports only
the standard library.
"""

import os
import secrets
import sys
from contextlib import suppress
from typing import Final

BEGINNING: Final = ".iosonde-"
ENDING: Final = ".removed"
ATTRIBUTE: Final = "user.iosonde.made"


def read_mark(place: str, *, follow: bool) -> str:
    """The mark on a file; empty if it has none, or its file system does not support marks."""
    try:
        return os.getxattr(place, ATTRIBUTE, follow_symlinks=follow).decode("ascii", "replace")
    except OSError:
        return ""


def remove_created(path: str, device: int, inode: int, mark: str = "") -> bool:
    """Removes the file at a path if it is the one with these numbers. Raises OSError.

    Returns True if the file is gone, and False if another file is at the path, which is not touched. File systems
    reuse inode numbers, so a file with another mark is another file.
    """
    folder, name = os.path.split(path)
    directory = os.open(folder or ".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        return _remove(name, directory, (device, inode), mark)
    finally:
        os.close(directory)


def _remove(name: str, directory: int, made: tuple[int, int], mark: str) -> bool:
    try:
        if _numbers(name, directory) != made:
            return False
        aside = f"{BEGINNING}{secrets.token_hex(16)}{ENDING}"
        os.rename(name, aside, src_dir_fd=directory, dst_dir_fd=directory)
    except FileNotFoundError:
        return True
    if _numbers(aside, directory) == made and read_mark(f"/proc/self/fd/{directory}/{aside}", follow=False) in {
        "",
        mark,
    }:
        os.unlink(aside, dir_fd=directory)
        return True
    _put_back(aside, name, directory)
    return False


def _put_back(aside: str, name: str, directory: int) -> None:
    """Renames another file back, unless its name is taken now."""
    try:
        os.link(aside, name, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
    except FileExistsError:
        raise OSError(None, f"two other files were created under its name; the first was renamed to {aside}") from None
    except OSError:
        # Directories have no hard links, and some file systems have none at all. A file that cannot be renamed keeps
        # its new name, and the error says which.
        with suppress(FileNotFoundError):
            os.stat(name, dir_fd=directory, follow_symlinks=False)
            raise OSError(
                None, f"two other files were created under its name; the first was renamed to {aside}"
            ) from None
        os.rename(aside, name, src_dir_fd=directory, dst_dir_fd=directory)
    else:
        os.unlink(aside, dir_fd=directory)


def _numbers(name: str, directory: int) -> tuple[int, int]:
    found = os.stat(name, dir_fd=directory, follow_symlinks=False)
    return found.st_dev, found.st_ino


def _main(path: str, device: str, inode: str, mark: str = "") -> int:
    """Exits with 0 if the file is gone or was replaced by another; else with 1, and the reason on stdout."""
    try:
        remove_created(path, int(device), int(inode), mark)
    except OSError as error:
        sys.stdout.write(error.strerror or str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
