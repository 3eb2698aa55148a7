"""For each mechanism, the shipped campaign that decides whether it is the explanation, and what it then shows."""

from dataclasses import dataclass
from typing import Final

from iosonde.explanations.mechanism import Mechanism


@dataclass(frozen=True)
class Decision:
    """The name of a shipped campaign, and its results if the mechanism is the explanation."""

    profile: str
    expected: str


DECISIONS: Final[dict[Mechanism, Decision]] = {
    Mechanism.THROTTLING: Decision(
        "decide-bursts", "the first bursts after a pause are faster, and the drive's counters rise in later ones"
    ),
    Mechanism.SLC_CACHE: Decision(
        "decide-bursts", "each burst after a long pause starts at the high level, and drops after the same amount"
    ),
    Mechanism.COLLECTION: Decision(
        "decide-writes",
        "random writes slow down over time and recover after a pause; sequential writes do not slow down",
    ),
    Mechanism.FLUSH: Decision(
        "decide-durability", "durable writes take several times as long as plain ones, at every block size"
    ),
    Mechanism.WRITE_BUFFER: Decision(
        "decide-bursts", "short bursts are faster than long ones, which continue at the speed of the media"
    ),
    Mechanism.READ_CACHE: Decision(
        "decide-working-set", "latency rises where the test region outgrows the cache, and not below or above"
    ),
    Mechanism.READ_AHEAD: Decision(
        "decide-order", "only sequential reads are fast; strided reads are as slow as random ones"
    ),
    Mechanism.DIE_CONFLICTS: Decision(
        "decide-order", "at depth 8 and 32, random reads are slower than sequential ones, and not at depth 1"
    ),
    Mechanism.LINK_LIMIT: Decision(
        "decide-limits", "reads of all large sizes, at all depths and with more jobs, reach the same bandwidth"
    ),
    Mechanism.COMMAND_LIMIT: Decision(
        "decide-limits", "reads of 4 KiB and 8 KiB reach the same IOPS, and more jobs do not change them"
    ),
    Mechanism.SCHEDULER: Decision(
        "decide-order", "with the scheduler set to none (/sys/block/DEVICE/queue/scheduler), the results differ"
    ),
    Mechanism.CPU_BOUND: Decision("decide-limits", "IOPS of small reads grow with the number of jobs"),
}
