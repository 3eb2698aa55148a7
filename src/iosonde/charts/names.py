"""Names of lines in charts, made only of the parameters that distinguish the lines."""

import re
from collections import Counter
from collections.abc import Collection, Sequence

from iosonde.analysis.families import Along, Family
from iosonde.charts.quantities import SYNC_LABELS, cell_depth_label, direction_label, extra_parts, load_label
from iosonde.records import Data, Operation, Workload

CLASS_NAMES = {
    Operation.READ: "reads",
    Operation.WRITE: "writes",
    Operation.TRIM: "trims",
    Operation.COMMIT: "commits",
    Operation.ALL: "all",
}
_ON_AXIS = {Along.DEPTH: {"load"}, Along.BLOCK_SIZE: {"size"}, Along.READ_SHARE: {"operations"}}
_ALWAYS = {
    Along.BLOCK_SIZE: {"pattern", "operations"},
    Along.DEPTH: {"operations"},
    Along.NOTHING: {"operations", "load"},
}
_FRONT = ("size", "pattern", "operations")


def names_of(families: Sequence[Family], along: Along) -> list[str]:
    """A name for each family from the parameters in which families differ, for example ``4 KiB random read, 4 jobs``.

    It always includes the operations (except by read share) and any flushes: ``read``, ``70/30 mix``.
    """
    parts = [_parts(family, along) for family in families]
    every = {key for each in parts for key in each}
    differing = {key for key in every if len({each.get(key, "") for each in parts}) > 1}
    wanted = (differing | _ALWAYS.get(along, set())) - _ON_AXIS.get(along, set())
    names = [_name(each, wanted) for each in parts]
    often = Counter(names)
    return [
        name if often[name] == 1 else f"{name} ({family.cells[0].cell})"
        for name, family in zip(names, families, strict=True)
    ]


def class_name(family: str, operation: Operation) -> str:
    """The name of a class of operations of a mix: ``70/30 mix: reads``."""
    return f"{family}: {CLASS_NAMES[operation]}" if family else CLASS_NAMES[operation]


def slug(text: str) -> str:
    """A name in the form of ids and file names."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def cell_parts(asked: Workload) -> dict[str, str]:
    """The text of each parameter of a workload. Some default values have an empty text or no entry."""
    return {
        "size": asked.size_text,
        "pattern": str(asked.pattern),
        "operations": direction_label(asked),
        "sync": SYNC_LABELS[asked.sync],
        "data": "" if asked.data is Data.RANDOM else f"{asked.data} data",
        **extra_parts(asked),
        "jobs": "1 job" if asked.jobs == 1 else f"{asked.jobs} jobs",
        "targets": "1 target" if asked.targets == 1 else f"{asked.targets} targets",
        "load": load_label(asked),
    }


def _parts(family: Family, along: Along) -> dict[str, str]:
    asked = family.workload
    parts = {**cell_parts(asked), "load": _load(family, along)}
    if along is Along.BLOCK_SIZE and asked.block_sizes is not None:
        parts["sizes"] = asked.size_text
    return parts


def _load(family: Family, along: Along) -> str:
    """The depth of each worker, or the rate. For a single cell: its total depth, with the achieved one if different."""
    if along is Along.NOTHING and not family.workload.is_open_loop:
        return cell_depth_label(family.cells[0])
    return load_label(family.workload)


def _name(parts: dict[str, str], wanted: Collection[str]) -> str:
    front = " ".join(parts[key] for key in _FRONT if key in wanted) + parts["sync"]
    rest = [text for key, text in parts.items() if key in wanted and key not in {*_FRONT, "sync"} and text]
    return ", ".join(part for part in (front.lstrip(" ,+"), *rest) if part)
