"""What the files of a run directory are called."""

from typing import Final

HEADER_NAME: Final = "run.json"
JOURNAL_NAME: Final = "journal"
REPORT_NAME: Final = "report.html"
