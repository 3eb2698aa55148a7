"""What the files of a run directory are called."""

from typing import Final

HEADER_NAME: Final = "run.json"
JOURNAL_NAME: Final = "journal"
ACCOUNT_NAME: Final = "account"
"""A folder: which block of each target should hold which write. No archive takes it along."""
REPORT_NAME: Final = "report.html"
