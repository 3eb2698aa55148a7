"""Reads rounds that other tools measured: TKperf's XML, fio's JSON and tables. In: files. Out: rounds by procedure."""

from iosonde.sources.rounds.measured import MeasuredRounds, Tracking
from iosonde.sources.rounds.reading import read_rounds

__all__ = ["MeasuredRounds", "Tracking", "read_rounds"]
