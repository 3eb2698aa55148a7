"""fio's words for reads, writes and mixes (``rw``)."""

from typing import Final

READS: Final = {"read": 100, "randread": 100, "write": 0, "randwrite": 0}
"""The read percentage of pure workloads."""

MIXED: Final = frozenset({"rw", "readwrite", "randrw"})
"""Mixes, whose read percentage is another option."""
