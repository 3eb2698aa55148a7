"""From the values of keys to a workload; flags, arguments and campaign files meet here."""

from collections.abc import Mapping
from typing import Any

from iosonde.records import Arrivals, Workload
from iosonde.workload_keys import WORKLOAD_KEYS
from iosonde.workload_keys.bounds import OPEN_LOOP_DEPTH


def workload_of(values: Mapping[str, Any], *, targets: int) -> Workload:
    """The workload of the values by their keys' names, each as it is held inside; None for one that is not given.

    ``targets`` is how many there are, of which all are used unless a value says otherwise.
    """
    given = {name: value for name, value in values.items() if value is not None}
    asked: dict[str, Any] = {"targets": targets, **_of_loop(values), **given}
    fields = {key.field: asked[key.name] for key in WORKLOAD_KEYS if key.name in asked}
    sizes = asked["block_size"]
    if not isinstance(sizes, int):
        fields |= {"block_size_bytes": sizes.largest_bytes, "block_sizes": sizes}
    return Workload(**fields)


def _of_loop(values: Mapping[str, Any]) -> dict[str, Any]:
    """What the kind of loop brings along: Poisson's arrivals and a deep queue, or a queue of one."""
    if values["rate"] is None:
        return {"queue_depth": 1}
    return {"arrivals": Arrivals.POISSON, "queue_depth": OPEN_LOOP_DEPTH}
