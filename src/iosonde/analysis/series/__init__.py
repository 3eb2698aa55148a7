"""What a series of intervals tells."""

from iosonde.analysis.series.changes import Change, find_changes

__all__ = ["Change", "find_changes"]
