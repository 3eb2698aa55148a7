"""Reads rounds that other tools measured: TKperf's XML, fio's JSON and tables. In: files. Out: rounds by procedure."""

from iosonde.sources.rounds.measured import NOTHING_GIVEN, GivenCell, MeasuredRounds
from iosonde.sources.rounds.reading import read_rounds
from iosonde.sources.rounds.tracking import Tracking

__all__ = ["NOTHING_GIVEN", "GivenCell", "MeasuredRounds", "Tracking", "read_rounds"]
