"""A condition of a procedure, and how far it is known to have been met."""

from dataclasses import dataclass
from enum import StrEnum


class ConditionState(StrEnum):
    """How far a condition is known to have been met. ``simulated``: a model stands for the drive."""

    FAILED = "failed"
    UNKNOWN = "unknown"
    SKIPPED = "skipped"
    SIMULATED = "simulated"
    VERIFIED = "verified"


@dataclass(frozen=True)
class Condition:
    """A condition, its state, and the reason: what was seen, or why it could not be seen."""

    name: str
    state: ConditionState
    reason: str
