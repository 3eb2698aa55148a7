"""The data that everything speaks: run, cell, interval, histogram, target, host.

In: what a source measured or read. Out: immutable values that know their own schema version. Integers in base
units, the unit last in the name; nothing here computes a statistic.
"""

from iosonde.records.cell import (
    CellRecord,
    Censored,
    ClockPair,
    CpuUse,
    DriveHealth,
    DriveState,
    EngineTruth,
    Failure,
    Fault,
    Neighbour,
    ShareTotals,
    SlowIo,
    TargetShare,
    ThreadCpu,
)
from iosonde.records.histogram import Histogram, Layout
from iosonde.records.host import HostFacts
from iosonde.records.interval import INTERVAL_FORM, IntervalRecord, OperationTotals, Times
from iosonde.records.run import SCHEMA_VERSION, EngineHello, RunHeader, RunRecord, Session
from iosonde.records.target import (
    Alignment,
    DeviceFacts,
    FileSystemFacts,
    Identity,
    SimulationFacts,
    TargetFacts,
    TargetKind,
    flattened,
)
from iosonde.records.workload import CellPlan, CellTurn, Plan, Timing, Workload
from iosonde.vocabulary import (
    Access,
    Data,
    Engine,
    Experiment,
    FaultKind,
    Operation,
    Outcome,
    Phase,
    Provenance,
    Sync,
)

__all__ = [
    "INTERVAL_FORM",
    "SCHEMA_VERSION",
    "Access",
    "Alignment",
    "CellPlan",
    "CellRecord",
    "CellTurn",
    "Censored",
    "ClockPair",
    "CpuUse",
    "Data",
    "DeviceFacts",
    "DriveHealth",
    "DriveState",
    "Engine",
    "EngineHello",
    "EngineTruth",
    "Experiment",
    "Failure",
    "Fault",
    "FaultKind",
    "FileSystemFacts",
    "Histogram",
    "HostFacts",
    "Identity",
    "IntervalRecord",
    "Layout",
    "Neighbour",
    "Operation",
    "OperationTotals",
    "Outcome",
    "Phase",
    "Plan",
    "Provenance",
    "RunHeader",
    "RunRecord",
    "Session",
    "ShareTotals",
    "SimulationFacts",
    "SlowIo",
    "Sync",
    "TargetFacts",
    "TargetKind",
    "TargetShare",
    "ThreadCpu",
    "Times",
    "Timing",
    "Workload",
    "flattened",
]
