"""Output files of a run: whether their paths are free, and what was written."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.analysis.run import RunAnalysis
from iosonde.cli.messages import say
from iosonde.cli.output_paths import check_free
from iosonde.cli.places import TABLES, Places
from iosonde.errors import OutputError
from iosonde.failures import FailureLog, PartFailure
from iosonde.findings import Finding
from iosonde.safe_files import write_file
from iosonde.store import make_directory
from iosonde.vocabulary import Paper

if TYPE_CHECKING:
    from iosonde.report.drawing import Drawers
    from iosonde.report.page import Page


class PageWriter:
    """Writes a page in the requested forms, and lists them on stderr."""

    def __init__(self, drawers: "Drawers | None", failures: FailureLog, make: "Callable[[], Page]") -> None:
        self.drawers = drawers
        self.failures = failures
        self._make = make
        self._made: list[Path] = []

    @contextmanager
    def into(self, places: Places, *runs: Path, force: bool) -> Iterator[None]:
        """Checks the paths. At the end it removes the directories it made and left empty."""
        try:
            self._check_places(places, runs, force=force)
            yield
        finally:
            for path in self._made:
                with suppress(OSError):
                    path.rmdir()

    @cached_property
    def page(self) -> "Page":
        """The page with its figures, for all outputs with charts."""
        return self._make()

    def _check_places(self, places: Places, runs: Sequence[Path], *, force: bool) -> None:
        """Raises OutputError if a path is in use, before anything is written. Creates the directories."""
        for path, run in product(places.files.values(), runs):
            check_free(path, run, force=force)
        directories = list(places.directories)
        if places.markdown is not None:
            from iosonde.report.markdown import pictures_folder

            directories.append(pictures_folder(places.markdown))
        self._made += [path for path in directories if make_directory(path)]
        if force:
            return
        for kind, taken in self._files_inside(places):
            there = next((path for path in taken if path.exists()), None)
            if there is not None:
                raise OutputError(
                    f"{there.parent} already contains {kind}",
                    "specify another directory, or use --force to replace them",
                )

    def _files_inside(self, places: Places) -> Iterator[tuple[str, Iterable[Path]]]:
        """The files to write into directories, by kind."""
        for directory, suffix in ((places.csv, "csv"), (places.parquet, "parquet")):
            if directory is not None:
                yield "tables", [directory / f"{name}.{suffix}" for name in TABLES]
        if places.charts is not None:
            from iosonde.report.images import chart_paths

            yield "charts", chart_paths(self.page, places.charts)
        if places.markdown is not None:
            from iosonde.report.markdown import markdown_pictures

            yield "charts", markdown_pictures(self.page, places.markdown)

    def write(self, places: Places, paper: Paper) -> tuple[PartFailure, ...]:
        """Writes each requested output, and returns those that failed. Raises OutputError."""
        lost: list[PartFailure] = []
        for path, write in self._writers(places, paper):
            if path is not None:
                wrote = self.failures.attempt(f"the output {path}", partial(write, path), _lost_in(lost))
                if wrote:
                    say(f"wrote {wrote}")
        return tuple(lost)

    def _writers(self, places: Places, paper: Paper) -> Iterator[tuple[Path | None, Callable[[Path], str]]]:
        yield places.html, self._html
        yield places.pdf, lambda path: self._pdf(path, paper)
        yield places.markdown, self._markdown
        yield places.charts, self._charts

    @property
    def _needed_drawers(self) -> "Drawers":
        assert self.drawers is not None, "an output with images was requested"
        return self.drawers

    def _html(self, path: Path) -> str:
        from iosonde.report.html import render_html
        from iosonde.report.stills import stills_of

        write_file(path, render_html(self.page, self.failures, stills_of(self.page, self.drawers)))
        return str(path)

    def _pdf(self, path: Path, paper: Paper) -> str:
        from iosonde.report.pdf import render_pdf

        write_file(path, render_pdf(self.page, self._needed_drawers, paper, self.failures))
        return str(path)

    def _markdown(self, path: Path) -> str:
        from iosonde.report.markdown import write_markdown

        report, *pictures = write_markdown(self.page, path, self._needed_drawers, self.failures)
        return f"{report}, {len(pictures)} charts in {pictures[0].parent}" if pictures else str(report)

    def _charts(self, path: Path) -> str:
        from iosonde.report.images import SUFFIXES, write_charts

        written = write_charts(self.page, path, self._needed_drawers, self.failures)
        empty = sum(figure.chart is None and not figure.failure for figure in self.page.figures)
        nothing = f"; charts without data: {empty}" if empty else ""
        return f"{len(written) // len(SUFFIXES)} charts as SVG, PNG and CSV to {path}{nothing}"


class RunWriter(PageWriter):
    """Writes the page and the data of one run."""

    def __init__(
        self,
        analysis: RunAnalysis,
        findings: tuple[Finding, ...],
        drawers: "Drawers | None",
        failures: FailureLog,
        make: "Callable[[], Page]",
    ) -> None:
        super().__init__(drawers, failures, make)
        self.analysis = analysis
        self.findings = findings

    def _writers(self, places: Places, paper: Paper) -> Iterator[tuple[Path | None, Callable[[Path], str]]]:
        yield from super()._writers(places, paper)
        yield places.csv, self._csv
        yield places.parquet, self._parquet
        yield places.json, self._json

    def _csv(self, path: Path) -> str:
        from iosonde.report.export import write_csv

        return _listed(write_csv(self.analysis, self.findings, path))

    def _parquet(self, path: Path) -> str:
        from iosonde.report.export import run_tables
        from iosonde.store import write_parquet

        return _listed(write_parquet(path, run_tables(self.analysis, self.findings)))

    def _json(self, path: Path) -> str:
        from iosonde.report.export import write_json

        write_json(self.analysis, self.findings, path)
        return str(path)


def check_lost(lost: Sequence[PartFailure]) -> None:
    """Raises OutputError for outputs that failed completely."""
    if lost:
        raise OutputError(
            f"{', '.join(failure.part for failure in lost)} could not be written",
            "all other outputs were written; see above",
        )


def _lost_in(lost: list[PartFailure]) -> Callable[[PartFailure], str]:
    """Records an output that failed, of which nothing was written."""

    def instead(failure: PartFailure) -> str:
        lost.append(failure)
        return ""

    return instead


def _listed(paths: tuple[Path, ...]) -> str:
    return ", ".join(str(path) for path in paths)
