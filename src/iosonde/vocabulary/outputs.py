"""The words of outputs: order, paper and formats."""

from enum import StrEnum


class ListOrder(StrEnum):
    """The order of a list: newest or best first, or names in alphabetical order."""

    STARTED = "started"
    IOPS = "iops"
    LATENCY = "latency"
    DURATION = "duration"
    PATH = "path"


class Paper(StrEnum):
    """The page size of a printed report."""

    A4 = "a4"
    LETTER = "letter"


class ExportFormat(StrEnum):
    """The export formats of a run. ``archive`` is a single file, which iosonde reads like the run directory."""

    ARCHIVE = "archive"
