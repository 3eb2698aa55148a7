"""Simulated drives for procedures whose times are scaled: what depends on time shrinks with it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from iosonde.errors import UsageError
from iosonde.records import SimulationFacts
from iosonde.sources import SimulatedDrive, Target

BUFFERED_PER_DIE: Final = 2
"""A write buffer that holds less than two programs of each die would slow the drive down."""


def check_one_scale(targets: Sequence[Target]) -> None:
    """Raises UsageError for simulated drives that are scaled differently: a procedure has one scale for its times."""
    scales = {each.name: each.drive.scale for each in targets if isinstance(each, SimulatedDrive)}
    if len(set(scales.values())) > 1:
        named = " and ".join(f"{name} to 1/{scale:,}" for name, scale in scales.items())
        raise UsageError(
            f"the simulated drives are scaled differently: {named}",
            "give all of them the same scale (sim:NAME,scale=N), or measure each by itself and use `iosonde compare`",
        )


def time_scaled(target: Target, scale: int) -> Target:
    """The drive with a write buffer and an idle delay that are smaller by the scale; other targets as they are.

    In scaled times a drive is idle for a part of the time, and receives a part of the data. A buffer of the full size
    would absorb all of it, and garbage collection would never begin. The buffer keeps room for the dies' programs.
    """
    if scale == 1 or not isinstance(target, SimulatedDrive) or not target.drive.is_ssd:
        return target
    table: dict[str, Any] = {**target.drive.table}
    if isinstance(buffer := table.get("buffer"), dict):
        least_bytes = BUFFERED_PER_DIE * _dies_bytes(table["media"])
        size_bytes = min(max(buffer["size_bytes"] // scale, least_bytes), buffer["size_bytes"])
        table["buffer"] = {**buffer, "size_bytes": size_bytes}
    if isinstance(idle := table.get("idle"), dict):
        table["idle"] = {**idle, "delay_ns": max(idle["delay_ns"] // scale, 1)}
    facts: SimulationFacts = target.drive.model_copy(update={"table": table})
    return replace(target, drive=facts)


def _dies_bytes(media: dict[str, Any]) -> int:
    """What all dies program at the same time."""
    dies: int = media["channels"] * media["dies_per_channel"]
    return dies * int(media["planes_per_die"]) * int(media["page_bytes"])
