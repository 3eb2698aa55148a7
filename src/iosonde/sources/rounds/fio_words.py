"""fio's words for reads, writes and mixes (``rw``), and the options of a job."""

from collections.abc import Mapping
from typing import Any, Final

READS: Final = {"read": 100, "randread": 100, "write": 0, "randwrite": 0}
"""The read percentage of pure workloads."""

MIXED: Final = frozenset({"rw", "readwrite", "randrw"})
"""Mixes, whose read percentage is another option."""


def options_of(output: Mapping[str, Any], job: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a job: those of its output, and its own."""
    return (output.get("global options") or {}) | (job.get("job options") or {})
