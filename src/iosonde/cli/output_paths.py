"""Paths of output files: next to an archive, never over a run, and over other files only with --force."""

from pathlib import Path

from iosonde.errors import OutputError


def check_free(path: Path, run: Path, *, force: bool) -> None:
    """Raises OutputError if a file cannot be written there. ``force`` replaces an existing file, but never the run."""
    # Not at the top: the imports of the store would slow down every --help.
    from iosonde.safe_files import check_replaceable, output_errors
    from iosonde.store.names import HEADER_NAME, JOURNAL_NAME

    with output_errors(path):
        # This first access detects a name that is too long and a directory without search permission.
        is_directory = path.is_dir()
    if path.resolve() in {run.resolve(), *((run / name).resolve() for name in (HEADER_NAME, JOURNAL_NAME))}:
        raise OutputError(f"writing {path} would overwrite the run itself", "specify another file")
    if is_directory:
        raise OutputError(f"{path} is a directory", "specify a file")
    check_replaceable(path)
    if path.exists() and not force:
        raise OutputError(f"{path} exists", "specify another file, or use --force to replace it")
    if not path.parent.is_dir():
        # Checked before drawing, which takes seconds.
        raise OutputError(
            f"cannot write {path}: No such file or directory", "create its directory, or specify another file"
        )


def beside_archive(archive: Path, suffix: str) -> Path:
    """The path of an output next to an archive: ``a/run.html`` for ``a/run.iosonde.zip``."""
    from iosonde.store import ARCHIVE_SUFFIX

    stem = archive.name.removesuffix(ARCHIVE_SUFFIX)
    return archive.with_name(f"{stem if stem != archive.name else archive.stem}{suffix}")
