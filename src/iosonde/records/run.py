"""A whole run: its header, written before anything is touched, and its cells."""

from typing import Final

from iosonde.records.base import Record
from iosonde.records.cell import CellRecord
from iosonde.records.host import HostFacts
from iosonde.records.target import TargetFacts
from iosonde.records.workload import Plan
from iosonde.vocabulary import Engine

SCHEMA_VERSION: Final = 1


class EngineHello(Record):
    """What the engine said of itself when it started."""

    version: str
    protocol: int
    build_profile: str
    engines: tuple[Engine, ...]
    io_uring_refused: str | None
    overhead_ns_per_io: int | None = None


class RunHeader(Record):
    """Everything about a run but its figures."""

    schema_version: int = SCHEMA_VERSION
    run: str
    created_at: str
    iosonde_version: str
    command: tuple[str, ...]
    engine_asked: str
    engine: Engine
    plan: Plan
    target: TargetFacts
    host: HostFacts
    hello: EngineHello


class RunRecord(Record):
    """A run as it can be read back: ``finished`` is False when it was cut off; ``fill`` is the first write.

    ``damage`` says where the journal stops being readable, and why.
    """

    header: RunHeader
    fill: CellRecord | None
    cells: tuple[CellRecord, ...]
    finished: bool
    damage: str | None = None
