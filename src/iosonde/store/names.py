"""The names of the files in a run directory, and their length limits."""

from typing import Final

HEADER_NAME: Final = "run.json"
JOURNAL_NAME: Final = "journal"
ACCOUNT_NAME: Final = "account"
"""The directory of the write ledgers: which write each block of a target should contain. Not part of archives."""
REPORT_NAME: Final = "report.html"

# The largest plan that a campaign may have, with all its trials, needs a tenth of this.
HEADER_BYTES_MAX: Final = 256 << 20
# A journal of two days is below 2 GiB. Below 4 GiB, an archive does not need the zip64 extensions.
CONTENT_BYTES_MAX: Final = 4 << 30


def bytes_max_of(name: str) -> int:
    """The length limit of a file of a run, in bytes."""
    return HEADER_BYTES_MAX if name == HEADER_NAME else CONTENT_BYTES_MAX
