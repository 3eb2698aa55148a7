"""Where output goes: beside an archive, and never over a run or unasked over anything else."""

from pathlib import Path

from iosonde.errors import OutputError


def check_free(path: Path, run: Path, *, force: bool) -> None:
    """Raises OutputError when a file may not be written there. ``force`` replaces what is there, but never the run."""
    # Not at the top: what the store needs would make every --help wait.
    from iosonde.safe_files import check_replaceable, output_errors
    from iosonde.store.names import HEADER_NAME, JOURNAL_NAME

    with output_errors(path):
        # A name that is too long, or a folder that can't be searched, is found out by the first look.
        is_directory = path.is_dir()
    if path.resolve() in {run.resolve(), *((run / name).resolve() for name in (HEADER_NAME, JOURNAL_NAME))}:
        raise OutputError(f"{path} is the run itself", "name another file")
    if is_directory:
        raise OutputError(f"{path} is a directory", "name a file")
    check_replaceable(path)
    if path.exists() and not force:
        raise OutputError(f"{path} exists", "name another file, or replace it with --force")
    if not path.parent.is_dir():
        # Said before the work of seconds that drawing is.
        raise OutputError(f"can't write {path}: No such file or directory", "create its directory, or name another one")


def beside_archive(archive: Path, suffix: str) -> Path:
    """The place beside an archive for what is made of it: ``a/run.iosonde.zip`` gives ``a/run.html``."""
    from iosonde.store import ARCHIVE_SUFFIX

    stem = archive.name.removesuffix(ARCHIVE_SUFFIX)
    return archive.with_name(f"{stem if stem != archive.name else archive.stem}{suffix}")
