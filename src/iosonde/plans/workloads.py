"""The workload from the values of keys, for flags, Python arguments and campaign files."""

from collections.abc import Mapping
from typing import Any

from iosonde.records import Arrivals, Workload
from iosonde.workload_keys import WORKLOAD_KEYS
from iosonde.workload_keys.bounds import OPEN_LOOP_DEPTH


def workload_of(values: Mapping[str, Any], *, targets: int) -> Workload:
    """The workload from values in base units, by the names of their keys. A value that is not given is None.

    ``targets`` is the number of targets. All of them are used unless a value says otherwise.
    """
    given = {name: value for name, value in values.items() if value is not None}
    asked: dict[str, Any] = {"targets": targets, **_of_loop(values), **given}
    fields = {key.field: asked[key.name] for key in WORKLOAD_KEYS if key.name in asked}
    sizes = asked["block_size"]
    if not isinstance(sizes, int):
        fields |= {"block_size_bytes": sizes.largest_bytes, "block_sizes": sizes}
    return Workload(**fields)


def _of_loop(values: Mapping[str, Any]) -> dict[str, Any]:
    """The defaults of the loop: Poisson arrivals and a deep queue in an open loop, queue depth 1 in a closed loop."""
    if values["rate"] is None:
        return {"queue_depth": 1}
    return {"arrivals": Arrivals.POISSON, "queue_depth": OPEN_LOOP_DEPTH}
