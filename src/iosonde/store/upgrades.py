"""What older versions have written, as this one reads it: a step from each version to the next, on raw JSON.

A field that is new and has a default needs no step. A step changes an object in place, and leaves alone what is as the
newer version writes it: a run that a newer version went on with holds frames of both. So a field never changes its
meaning under its name; what means something else is called something else.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic_core import from_json, to_json

from iosonde.records import SCHEMA_VERSION, SourceKind
from iosonde.store.frames import Kind

Step = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class FrameStep:
    """What becomes of the payload of a frame. All that it looks at and changes lies under ``keys``."""

    change: Step
    keys: frozenset[str]


@dataclass(frozen=True)
class Upgrade:
    """From one version to the next: what becomes of the header, and of the payload of each kind of frame."""

    header: Step | None = None
    frames: Mapping[Kind, FrameStep] = field(default_factory=dict)


def _plan_of_steps(header: dict[str, Any]) -> None:
    """The first write became a step, an aim one of the rules by which a run ends, a workload a stream of its cell."""
    plan = header["plan"]
    if "fill" in plan:
        fill = plan.pop("fill")
        plan["preparation"] = [] if fill is None else [{"kind": "write", "order": 0, "cell": fill}]
    if "aim" in plan:
        aim = plan.pop("aim")
        plan["stop"] = {"kind": "fixed"} if aim is None else {"kind": "precision", **aim}
    for cell in (*plan["cells"], *(step["cell"] for step in plan["preparation"] if step["kind"] == "write")):
        if "workload" in cell:
            cell["streams"] = [{"name": "", "workload": cell.pop("workload")}]


def _facts_by_source(cell: dict[str, Any]) -> None:
    """A cell's facts of its engine, from one form for all to one for each source: what fio never said goes."""
    facts = cell.get("engine")
    if facts is None or "source" in facts:
        return
    fio = facts.pop("fio", None)
    if fio is None:
        facts["source"] = SourceKind.IOSONDE
        return
    kept = {name: facts[name] for name in ("engine", "workers", "poll_mode", "fallbacks")}
    cell["engine"] = {"source": SourceKind.FIO, **kept, **fio}


_CELLS: Final = FrameStep(_facts_by_source, frozenset({"engine"}))

UPGRADES: Final[Mapping[int, Upgrade]] = {
    # Version 1 was many: all that came while it was the version has a default.
    1: Upgrade(),
    # The checksum in run.json came, which is no part of the header itself.
    2: Upgrade(),
    # What had completed and was not taken yet came, and what the kernel counts; nobody knows them of older runs.
    3: Upgrade(),
    # Preparation became a list of steps, and when it is enough a rule; rounds came, which nobody knows of older trials.
    # What is known of an engine came to depend on whose it is.
    4: Upgrade(header=_plan_of_steps, frames={Kind.CELL: _CELLS, Kind.PREPARATION: _CELLS}),
    # The end of a session came to say what is known then, and a plan which experiments its campaign has; nobody knows
    # either of older runs.
    5: Upgrade(),
}
"""By the version that they start from."""


def upgraded_header(
    header: dict[str, Any], to: int = SCHEMA_VERSION, upgrades: Mapping[int, Upgrade] = UPGRADES
) -> dict[str, Any]:
    """The header in the form of version ``to``, in place; ``schema_version`` says in which it is written."""
    for version in range(header["schema_version"], to):
        step = upgrades[version].header
        if step is not None:
            step(header)
        header["schema_version"] = version + 1
    return header


class Upgrader:
    """Payloads of a journal that ``version`` has begun, in the form of version ``to``."""

    def __init__(self, version: int, to: int = SCHEMA_VERSION, upgrades: Mapping[int, Upgrade] = UPGRADES) -> None:
        frames = [upgrades[each].frames for each in range(version, to)]
        self._steps = {kind: [steps[kind] for steps in frames if kind in steps] for kind in Kind}

    def changes(self, kind: Kind, keys: Collection[str]) -> bool:
        """Whether any step is about one of these keys in frames of this kind."""
        return any(not step.keys.isdisjoint(keys) for step in self._steps[kind])

    def payload(self, kind: Kind, payload: bytes) -> bytes:
        """One payload as this version would have written it."""
        if not self._steps[kind]:
            return payload
        content = from_json(payload)
        for step in self._steps[kind]:
            step.change(content)
        return to_json(content)
