"""Writes a report as one self-contained HTML file."""

from collections.abc import Callable
from pathlib import Path

from iosonde.failures import FailureLog
from iosonde.report.drawing import Drawers
from iosonde.report.html import bare_html, render_html
from iosonde.report.page import Page
from iosonde.report.stills import stills_of
from iosonde.safe_files import write_file


def write_html(make: Callable[[], Page], path: Path, failures: FailureLog, drawers: Drawers | None) -> None:
    """Writes the report that ``make`` returns as one self-contained page, replacing an existing file.

    Raises OutputError.
    """

    def rendered() -> str:
        page = make()
        return render_html(page, failures, stills_of(page, drawers))

    page = failures.attempt("the page", rendered, lambda failure: bare_html(failure.sentence))
    write_file(path, page)
