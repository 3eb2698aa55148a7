"""Converts records of older versions: one step from each version to the next, on raw JSON.

A new field with a default needs no step. A step changes an object in place, and leaves content in the newer form
unchanged: a run that a newer version resumed has frames of both. A field therefore never changes its meaning: a new
meaning gets a new name.
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
    """Converts the payload of a frame. Reads and changes only fields under ``keys``."""

    change: Step
    keys: frozenset[str]


@dataclass(frozen=True)
class Upgrade:
    """From one version to the next: converts the header, and the payload of each kind of frame."""

    header: Step | None = None
    frames: Mapping[Kind, FrameStep] = field(default_factory=dict)


def _plan_of_steps(header: dict[str, Any]) -> None:
    """Preconditioning became steps, the precision became a stop rule, and a workload became a stream of its cell."""
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
    """A cell's engine facts got one form per source. Fields that fio does not report are dropped."""
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
    # Version 1 grew without a new number: all fields added to it have a default.
    1: Upgrade(),
    # New: the checksum in run.json, which is not part of the header itself.
    2: Upgrade(),
    # New: operations completed but not reaped, and the kernel's I/O counts; unknown for older runs.
    3: Upgrade(),
    # Preconditioning became a list of steps, and its end a rule. New: rounds, which are unknown for older trials.
    # The facts of an engine now depend on the source.
    4: Upgrade(header=_plan_of_steps, frames={Kind.CELL: _CELLS, Kind.PREPARATION: _CELLS}),
    # New: the facts at the end of a session, which are unknown for older runs.
    5: Upgrade(),
    # New: label, note, expected values and description of a run, further facts about the host, and the CPU frequency of
    # a trial; unknown for older runs.
    6: Upgrade(),
    # New: the container that the host of a run is; unknown for older runs.
    7: Upgrade(),
    # New: the array that a purged device is a member of, which no older run has.
    8: Upgrade(),
    # New: how long operations took to complete after the end of a trial; unknown for older runs.
    9: Upgrade(),
    # New: the phase in which a procedure measured a trial; unknown for older runs.
    10: Upgrade(),
}
"""The steps, by the version that they convert from."""


def upgraded_header(
    header: dict[str, Any], to: int = SCHEMA_VERSION, upgrades: Mapping[int, Upgrade] = UPGRADES
) -> dict[str, Any]:
    """Converts the header in place to the form of version ``to``. Its ``schema_version`` is the present form."""
    for version in range(header["schema_version"], to):
        step = upgrades[version].header
        if step is not None:
            step(header)
        header["schema_version"] = version + 1
    return header


class Upgrader:
    """Converts payloads of a journal that was started by ``version`` to the form of version ``to``."""

    def __init__(self, version: int, to: int = SCHEMA_VERSION, upgrades: Mapping[int, Upgrade] = UPGRADES) -> None:
        frames = [upgrades[each].frames for each in range(version, to)]
        self._steps = {kind: [steps[kind] for steps in frames if kind in steps] for kind in Kind}

    def changes(self, kind: Kind, keys: Collection[str]) -> bool:
        """Whether a step changes one of these keys in frames of this kind."""
        return any(not step.keys.isdisjoint(keys) for step in self._steps[kind])

    def payload(self, kind: Kind, payload: bytes) -> bytes:
        """One payload in the form of version ``to``."""
        if not self._steps[kind]:
            return payload
        content = from_json(payload)
        for step in self._steps[kind]:
            step.change(content)
        return to_json(content)
