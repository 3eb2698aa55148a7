"""What the files of a run directory are called, and how long they can be."""

from typing import Final

HEADER_NAME: Final = "run.json"
JOURNAL_NAME: Final = "journal"
ACCOUNT_NAME: Final = "account"
"""A folder: which block of each target should hold which write. No archive takes it along."""
REPORT_NAME: Final = "report.html"

# The plan of the most cells that a campaign may have, with all of their turns, takes a tenth of it.
HEADER_BYTES_MAX: Final = 256 << 20
# A journal of two days is below 2 GiB. Below 4 GiB, an archive needs none of zip's extensions for large ones.
CONTENT_BYTES_MAX: Final = 4 << 30


def bytes_max_of(name: str) -> int:
    """The length that a file of a run can have at most."""
    return HEADER_BYTES_MAX if name == HEADER_NAME else CONTENT_BYTES_MAX
