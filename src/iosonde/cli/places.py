"""Output files of a run: which were requested, and whether the flags agree with each other."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iosonde.errors import UsageError
from iosonde.report.extras import check_pdf
from iosonde.vocabulary import Paper

TABLES: Final = ("cells", "estimates", "intervals", "histograms")


@dataclass(frozen=True)
class Places:
    """The path of each output; None for one that was not requested."""

    html: Path | None = None
    pdf: Path | None = None
    markdown: Path | None = None
    charts: Path | None = None
    csv: Path | None = None
    parquet: Path | None = None
    json: Path | None = None

    @property
    def files(self) -> dict[str, Path]:
        """The outputs that are one file, by flag."""
        asked = {"--html": self.html, "--pdf": self.pdf, "--markdown": self.markdown, "--json": self.json}
        return {flag: path for flag, path in asked.items() if path is not None}

    @property
    def directories(self) -> tuple[Path, ...]:
        """The outputs that are a directory of files."""
        return tuple(path for path in (self.charts, self.csv, self.parquet) if path is not None)

    @property
    def has_pictures(self) -> bool:
        """Whether any of the outputs contains images that must be drawn; the HTML page can draw its own."""
        return any(path is not None for path in (self.pdf, self.markdown, self.charts))

    @property
    def any(self) -> bool:
        """Whether any output was requested."""
        return bool(self.files or self.directories)


_EXAMPLES: Final = {
    "--html": "report.html",
    "--pdf": "report.pdf",
    "--markdown": "report.md",
    "--json": "run.json",
}


def check_flags(places: Places, paper: Paper | None) -> None:
    """Raises UsageError for flags that contradict each other or need a package that is not installed."""
    if paper is not None and places.pdf is None:
        raise UsageError("--paper needs a PDF", "add --pdf FILE, or omit --paper")
    for flag, path in places.files.items():
        if str(path) == "-":
            raise UsageError(
                f"{flag} requires a file and cannot write to stdout (-)", f"specify a file, such as {_EXAMPLES[flag]}"
            )
    flags: dict[Path, str] = {}
    for flag, path in places.files.items():
        other = flags.setdefault(path.resolve(), flag)
        if other != flag:
            raise UsageError(f"{other} and {flag} both write to {path}", "specify a different file for each")
    for flag, folder, suffix in (("--csv", places.csv, "csv"), ("--parquet", places.parquet, "parquet")):
        for table in TABLES if folder is not None else ():
            assert folder is not None
            path = folder / f"{table}.{suffix}"
            if path.resolve() in flags:
                raise UsageError(
                    f"{flags[path.resolve()]} and {flag} both write to {path}", "specify a different file for each"
                )
    if places.pdf is not None:
        check_pdf()
