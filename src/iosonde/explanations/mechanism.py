"""Mechanisms that can explain results, and what an explanation consists of."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from iosonde.findings.finding import Confidence


class Mechanism(StrEnum):
    """What can change or limit the results of a target, in the words of reports."""

    THROTTLING = "throttling"
    SLC_CACHE = "SLC cache"
    COLLECTION = "garbage collection"
    FLUSH = "flush of a volatile write cache"
    WRITE_BUFFER = "write buffer"
    READ_CACHE = "read cache"
    READ_AHEAD = "read-ahead or coalescing"
    DIE_CONFLICTS = "channel or die conflicts"
    LINK_LIMIT = "bandwidth limit"
    COMMAND_LIMIT = "command rate limit"
    SCHEDULER = "I/O scheduler"
    CPU_BOUND = "CPU of the host"


OF_HOST: Final = frozenset({Mechanism.SCHEDULER, Mechanism.CPU_BOUND})
"""The mechanisms of the host. Simulated drives have none of them."""


@dataclass(frozen=True)
class Explanation:
    """A mechanism whose marks a run shows.

    ``evidence`` are the observations for it, ``against`` those that speak against it, or other possible causes.
    ``factor`` is by how much the mechanism changes the figure of an observation, at least 1. A cause is never more than
    ``likely``.
    """

    mechanism: Mechanism
    confidence: Confidence
    evidence: tuple[str, ...]
    against: tuple[str, ...]
    factor: float
