"""Sources of cell records: iosonde's own engine, and fio. In: the cells of a plan. Out: cell records."""

from collections.abc import Sequence

from iosonde.sources.engine import EngineSource
from iosonde.sources.engine.caches import restore_cache, set_caches, survey_cache
from iosonde.sources.engine.locate import find_engine
from iosonde.sources.engine.purging import purge_devices, read_devices_back, sample_devices, survey_device
from iosonde.sources.fio import FioSource, check_fio_can
from iosonde.sources.power_command import PowerCommand
from iosonde.sources.source import (
    Interrupted,
    IoPath,
    KeptLedger,
    LeftLedger,
    MadeTarget,
    OpenRequest,
    OpenTarget,
    Source,
)
from iosonde.sources.targets import (
    NULL_WORD,
    SIMULATED_WORD,
    BlockDevice,
    ExistingFile,
    NewFile,
    NullTarget,
    SimulatedDrive,
    StoredTarget,
    Target,
)
from iosonde.vocabulary import EngineChoice

__all__ = [
    "NULL_WORD",
    "SIMULATED_WORD",
    "BlockDevice",
    "EngineSource",
    "ExistingFile",
    "FioSource",
    "Interrupted",
    "IoPath",
    "KeptLedger",
    "LeftLedger",
    "MadeTarget",
    "NewFile",
    "NullTarget",
    "OpenRequest",
    "OpenTarget",
    "PowerCommand",
    "SimulatedDrive",
    "Source",
    "StoredTarget",
    "Target",
    "check_fio_can",
    "find_engine",
    "purge_devices",
    "read_devices_back",
    "restore_cache",
    "sample_devices",
    "set_caches",
    "start_source",
    "survey_cache",
    "survey_device",
]


def start_source(choice: EngineChoice, prefix: Sequence[str]) -> Source:
    """Starts a source, with ``prefix`` before its commands. Raises EngineError if it is not available."""
    return FioSource(prefix) if choice is EngineChoice.FIO else EngineSource([*prefix, find_engine()])
