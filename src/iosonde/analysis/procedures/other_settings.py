"""Words that tell workloads of the same mix, block size and demand apart."""

from collections.abc import Sequence
from typing import Any, Final

from iosonde.records import Workload
from iosonde.workload_keys import WORKLOAD_KEYS, Key

_NAMED_ELSEWHERE: Final = frozenset({"read_percent", "block_size_bytes", "queue_depth", "jobs", "targets"})
"""Fields that tables, labels and charts already show."""

_KEYS: Final = tuple(
    each for each in WORKLOAD_KEYS if each.field in Workload.model_fields and each.field not in _NAMED_ELSEWHERE
)


def other_settings(workload: Workload, among: Sequence[Workload]) -> str:
    """The settings in which these workloads differ, but for mix, block size and demand: ``random, sync dsync``.

    Empty if they differ in none.
    """
    differing = (each for each in _KEYS if len({getattr(other, each.field) for other in among}) > 1)
    return ", ".join(_text(each, getattr(workload, each.field)) for each in differing)


def settings_at_place(workload: Workload, among: Sequence[Workload]) -> str:
    """The settings in which the workloads of the same mix and block size differ; empty if they differ in none."""
    mix = (workload.size_text, workload.percents)
    return other_settings(workload, [each for each in among if (each.size_text, each.percents) == mix])


def _text(key: Key[Any], value: object) -> str:
    name = key.name.replace("_", " ")
    if value is None:
        return f"no {name}"
    shown = str(key.kind.shown(value))
    return shown if key.field == "pattern" else f"{name} {shown}"
