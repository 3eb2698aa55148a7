"""Checks for optional dependencies (``pip install 'iosonde[pdf]'``), called before anything is measured or written."""

from iosonde.errors import UsageError


def check_pdf() -> None:
    """Raises UsageError if Typst, which typesets the PDF, is not installed."""
    try:
        import typst  # noqa: F401 - whether it is there is all that is asked
    except ImportError as error:
        raise UsageError(
            "PDF output requires Typst, which is not installed",
            "run `pip install 'iosonde[pdf]'`, or use --html and print the page from a browser",
        ) from error
