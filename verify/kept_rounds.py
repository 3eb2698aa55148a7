"""The stored rounds of steady state: each drive in each test, so that one of them can be measured again by itself."""

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from verify.kept import RESULTS
from verify.steady_rounds import DRIVES, Drive, Edge, FoundRounds, steady_rounds_page

KEPT: Final = "steady-rounds.json"
PAGE: Final = "steady-rounds.md"


def keep(found: Iterable[FoundRounds], folder: Path = RESULTS) -> None:
    """Stores results in the place of older ones of the same drive and test, and writes the page."""
    stored = kept(folder)
    by_key = {(each.procedure, each.drive): each for each in [*stored, *found]}
    order = {drive: place for place, drive in enumerate(DRIVES)}
    tests = list(dict.fromkeys(_test_of(procedure) for procedure, _ in by_key))
    every = sorted(
        (each for each in by_key.values() if each.drive in order),
        key=lambda each: (tests.index(_test_of(each.procedure)), order[each.drive]),
    )
    (folder / KEPT).write_text(json.dumps([asdict(each) for each in every], indent=1) + "\n", encoding="utf-8")
    (folder / PAGE).write_text(steady_rounds_page(every), encoding="utf-8")


def kept(folder: Path = RESULTS) -> list[FoundRounds]:
    """The stored results."""
    file = folder / KEPT
    return list(map(_read, json.loads(file.read_text(encoding="utf-8")))) if file.exists() else []


def _test_of(procedure: str) -> str:
    """The test of a procedure: ``tp`` of ``tp-1MiB``."""
    return procedure.partition("-")[0]


def _read(stored: dict[str, Any]) -> FoundRounds:
    edges = (Edge(each["round"], _three(each["ranges"]), _three(each["lines"])) for each in stored["edges"])
    return FoundRounds(
        Drive(**stored["drive"]),
        stored["procedure"],
        stored["of_mean"],
        tuple(stored["of_seeds"]),
        stored["stopped"],
        tuple(edges),
    )


def _three(values: list[float]) -> tuple[float, float, float]:
    one, low, high = values
    return one, low, high
