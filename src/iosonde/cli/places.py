"""Where output goes: beside an archive, and never over a run or unasked over anything else."""

from pathlib import Path

from iosonde.errors import OutputError


def check_free(path: Path, run: Path, *, force: bool) -> None:
    """Raises OutputError when a file may not be written there. ``force`` gives up what is there, but never the run."""
    # Not at the top: what the store needs would make every --help wait.
    from iosonde.handles import check_plain, telling
    from iosonde.store.names import HEADER_NAME, JOURNAL_NAME

    with telling(path):
        # A name that is too long, or a folder that can't be searched, is found out by the first look.
        path.is_dir()
    if path.resolve() in {run.resolve(), *((run / name).resolve() for name in (HEADER_NAME, JOURNAL_NAME))}:
        raise OutputError(f"{path} is the run itself", "name another file")
    if path.is_dir():
        raise OutputError(f"{path} is a directory", "name a file")
    check_plain(path)
    if path.exists() and not force:
        raise OutputError(f"{path} exists", "name another file, or replace it with --force")
    if not path.parent.is_dir():
        # Said before the work of seconds that drawing is.
        raise OutputError(f"can't write {path}: No such file or directory", "make its folder, or name another place")


def beside_archive(archive: Path, suffix: str) -> Path:
    """The place beside an archive for what is made of it: ``a/run.iosonde.zip`` gives ``a/run.html``."""
    from iosonde.store import ARCHIVE_SUFFIX

    stem = archive.name.removesuffix(ARCHIVE_SUFFIX)
    return archive.with_name(f"{stem if stem != archive.name else archive.stem}{suffix}")
