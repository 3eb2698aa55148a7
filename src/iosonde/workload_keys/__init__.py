"""One description of a workload: each key with its values, bounds, default and help. A leaf that is cheap to import.

Flags, arguments of the API, campaign keys, sweeps, names of cells and the reference are derived from it.
"""

from iosonde.workload_keys.key import InFile, Key
from iosonde.workload_keys.keys import EXPERIMENT_KEYS, PROBE_KEYS, TIMING_KEYS, WORKLOAD_KEYS
from iosonde.workload_keys.kinds import Kind, OneOf, PatternText, Quantity, SizesText, Switch, Whole

__all__ = [
    "EXPERIMENT_KEYS",
    "PROBE_KEYS",
    "TIMING_KEYS",
    "WORKLOAD_KEYS",
    "InFile",
    "Key",
    "Kind",
    "OneOf",
    "PatternText",
    "Quantity",
    "SizesText",
    "Switch",
    "Whole",
]
