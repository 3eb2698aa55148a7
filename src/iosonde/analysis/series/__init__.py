"""What a series of intervals tells."""

from iosonde.analysis.series.changes import find_changes

__all__ = ["find_changes"]
