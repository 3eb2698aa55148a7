"""Removing a file that was made, and nothing else, whatever its name leads to by now.

Linux can't unlink by handle: between a look at a name and its removal anybody can move another file there. So the name
is first taken to one that nobody can guess, in a directory that is held open, and only there it is looked at for good.
What turns out to be somebody else's is put back.

This module also runs by itself, as the process that tries where a file system may never answer. So it needs nothing but
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


def remove_made(path: str, device: int, inode: int, mark: str = "") -> bool:
    """Removes a file if the path leads to it; whether the path has none or that one is gone. Raises OSError.

    False means that something else lies there, and was left. A number that was freed is soon given to another file: one
    that has a mark of another maker is not the one that is meant.
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
    if _numbers(aside, directory) == made and _mark(aside, directory) in {"", mark}:
        os.unlink(aside, dir_fd=directory)
        return True
    _put_back(aside, name, directory)
    return False


def _put_back(aside: str, name: str, directory: int) -> None:
    """Gives somebody else's file its name again, unless that is taken by now."""
    try:
        os.link(aside, name, src_dir_fd=directory, dst_dir_fd=directory, follow_symlinks=False)
    except FileExistsError:
        raise OSError(None, f"another file came to its name twice; the first of them is {aside} now") from None
    except OSError:
        # A directory has no second name, nor has anything on some file systems. What can't be moved stays under its
        # new name, which is told.
        with suppress(FileNotFoundError):
            os.stat(name, dir_fd=directory, follow_symlinks=False)
            raise OSError(None, f"another file came to its name twice; the first of them is {aside} now") from None
        os.rename(aside, name, src_dir_fd=directory, dst_dir_fd=directory)
    else:
        os.unlink(aside, dir_fd=directory)


def _numbers(name: str, directory: int) -> tuple[int, int]:
    found = os.stat(name, dir_fd=directory, follow_symlinks=False)
    return found.st_dev, found.st_ino


def _mark(name: str, directory: int) -> str:
    """The mark that a file carries; empty where it has none, or can have none."""
    try:
        return os.getxattr(f"/proc/self/fd/{directory}/{name}", ATTRIBUTE, follow_symlinks=False).decode(
            "ascii", "replace"
        )
    except OSError:
        return ""


def _main(path: str, device: str, inode: str, mark: str = "") -> int:
    """Ends with 0 where nothing of ours lies at the path any more; else with the reason on stdout."""
    try:
        remove_made(path, int(device), int(inode), mark)
    except OSError as error:
        sys.stdout.write(error.strerror or str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:]))
