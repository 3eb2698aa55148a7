"""Known column headers of tables of rounds, in lower case and without punctuation."""

from collections.abc import Mapping
from typing import Final

from iosonde.vocabulary import PhaseRole

ROUND: Final = frozenset({"round", "rnd", "loop", "iteration", "pass"})
READ: Final = frozenset(
    {"read", "readpercent", "readpct", "rwmixread", "rwmix", "rw", "mix", "workload", "rwmixpercent", "wld"}
    | {"readwrite", "readwritemix", "readwritepercent", "readwritemixpercent", "rwratio", "rwpercent", "readwriteratio"}
)
DIRECTION: Final = frozenset({"direction", "op", "operation"})
"""Columns of words such as ``read``, in tables without one of those above."""

WRITE: Final = frozenset({"write", "writepercent", "writepct", "rwmixwrite"})
"""Percentages of writes, in tables without a column of reads."""

PERCENT: Final = frozenset({"readpercent", "readpct", "rwmixread", "rwmix", "rwmixpercent"})
"""Those of them that are read percentages, and can accompany a column with fio's ``rw``."""

_SIZE_NAMES: Final = ("bs", "blocksize", "iosize", "transfersize", "xfersize")
SIZE: Final[Mapping[str, int]] = {
    **dict.fromkeys(("size", "block"), 1),
    **{f"{name}{unit}": 1 for name in _SIZE_NAMES for unit in ("", "bytes", "inbytes", "b")},
    **{f"{name}{unit}": 1024 for name in _SIZE_NAMES for unit in ("kib", "kb", "k", "inkib", "inkb")},
}
"""Names of the block size column, with the unit of a plain number in bytes."""

SIZES: Final = frozenset({"blocksizes"})
"""Block sizes with their percentages, in tables that iosonde wrote."""

DEPTH: Final = frozenset(
    {"queuedepth", "iodepth", "qd", "depth", "oio", "oiot", "oiothread", "oioperthread", "outstandingio"}
    | {"outstandingios", "oios", "queuedepthperthread", "queuedepththread", "qdperthread", "qdthread"}
)
JOBS: Final = frozenset({"jobs", "numjobs", "threads", "thread", "tc", "threadcount", "numthreads", "workers"})
PATTERN: Final = frozenset({"pattern", "access", "accesspattern"})
PROCEDURE: Final = frozenset({"procedure"})
PHASE: Final = frozenset({"phase"})
ROLE: Final = frozenset({"role"})
CELL: Final = frozenset({"cell"})
TRACKED: Final = frozenset({"tracked"})
"""The quantities by which a cell is tracked, in tables that iosonde wrote."""
UNIT: Final = frozenset({"unit", "units", "quantity", "metric"})

DRIVE: Final = frozenset(
    {"device", "dev", "drive", "disk", "ssd", "hdd", "dut", "model", "serial", "serialnumber", "sn", "wwn", "firmware"}
    | {"target", "volume", "filename", "host", "hostname", "server", "node", "run"}
)
"""Headers of columns that identify the drive or the run."""

CONDITION: Final = frozenset(
    {"test", "engine", "ioengine", "writecache", "cache", "wce", "direct", "namespace", "ns", "lun", "vendor"}
    | {"product", "filesystem", "fs", "machine", "ar", "activerange", "sample", "pass", "attempt", "repeat"}
    | {"t", "q", "queue", "queues", "valid", "error", "errors", "port", "controller", "scheduler", "config"}
)
"""Headers of columns that tell conditions or trials apart: rows that differ in one are no rounds of one test."""

JUDGED_ROLES: Final = frozenset({PhaseRole.ROUNDS.value, PhaseRole.SCREENING.value})
"""Roles of the phases that are judged by rounds, in tables that iosonde wrote. Others are skipped."""

_TIMES: Final = {
    **dict.fromkeys(("ns", "nsec"), 1),
    **dict.fromkeys(("us", "usec"), 10**3),
    **dict.fromkeys(("ms", "msec"), 10**6),
    **dict.fromkeys(("s", "sec"), 10**9),
}
_RATES: Final = {"kib": 1024, "kb": 10**3, "mib": 1 << 20, "mb": 10**6, "gib": 1 << 30, "gb": 10**9}
_RATE_NAMES: Final = ("", "bw", "bandwidth", "throughput", "datarate", "rate")
_MEAN_NAMES: Final = (
    "lat",
    "latency",
    "latmean",
    "latencymean",
    "meanlat",
    "meanlatency",
    "avglat",
    "avlat",
    "avlatency",
    "avglatency",
    "averagelatency",
    "averageresponsetime",
    "latavg",
    "latencyavg",
    "clat",
    "clatmean",
    "clatavg",
    "meanclat",
    "avgclat",
    "art",
    "avelat",
    "avelatency",
    "responsetime",
    "avgresponsetime",
    "meanresponsetime",
)
_MAX_NAMES: Final = (
    *("latmax", "latencymax", "maxlat", "maxlatency", "clatmax", "maxclat", "mrt"),
    *("maximumlatency", "maxresponsetime", "maximumresponsetime"),
)
_LATENCY_NAMES: Final = ("lat", "latency", "clat")
WITHOUT_UNIT: Final = frozenset({*_MEAN_NAMES, *_MAX_NAMES, *filter(None, _RATE_NAMES)})
"""Names of latencies and bandwidths whose unit is missing."""

# By normalised name: the quantity, and what a value is multiplied by.
VALUES: Final[Mapping[str, tuple[str, float]]] = {
    "iops": ("iops", 1),
    "iopsmean": ("iops", 1),
    "bytespers": ("bytes_per_s", 1),
    "bwbytes": ("bytes_per_s", 1),
    **{f"bw{unit}": ("bytes_per_s", scale) for unit, scale in _RATES.items()},
    **{
        f"{name}{unit}{per}": ("bytes_per_s", scale)
        for name in _RATE_NAMES
        for unit, scale in _RATES.items()
        for per in ("s", "pers", "sec", "ps")
    },
    **dict.fromkeys((f"{name}bs" for name in _RATE_NAMES if name), ("bytes_per_s", 1)),
    "latencynsmean": ("latency_ns_mean", 1),
    "latencynsmax": ("latency_ns_max", 1),
    **{f"{name}{unit}": ("latency_ns_mean", scale) for name in _MEAN_NAMES for unit, scale in _TIMES.items()},
    **{f"{name}{unit}": ("latency_ns_max", scale) for name in _MAX_NAMES for unit, scale in _TIMES.items()},
    **{
        f"{name}{unit}{what}": (f"latency_ns_{quantity}", scale)
        for quantity, words in (("mean", ("mean", "avg", "average", "ave")), ("max", ("max", "maximum")))
        for what in words
        for name in _LATENCY_NAMES
        for unit, scale in _TIMES.items()
    },
}
