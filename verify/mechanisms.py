"""Explanations of drives with known mechanisms: the right one must be named first, and none where there is none."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from iosonde.analysis.run import RunAnalysis
from iosonde.explanations import Mechanism, explain
from iosonde.failures import FailureLog
from iosonde.findings import Case, find_in
from iosonde.records import RunRecord
from verify.campaigns import run_profile
from verify.random_drives import SWITCHES, model_text, random_drive

PROFILE: Final = "mechanisms"
WITH_ONE: Final = 200
WITHOUT: Final = 100
RIGHT_MIN: Final = 0.90
NONE_MIN: Final = 0.95
SEED: Final = 240_000
PROCESSES: Final = 2


@dataclass(frozen=True)
class Named:
    """Drives with one mechanism, or with none: how many of their runs name it first, or name none.

    ``without_counters`` is the same if the drive reports neither its media writes nor its throttling. ``others`` are
    the mechanisms that were named first instead.
    """

    mechanism: Mechanism | None
    drives: int
    right: int
    without_counters: int
    others: tuple[str, ...]


def named_mechanisms(with_one: int = WITH_ONE, without: int = WITHOUT) -> Iterator[Named]:
    """Each mechanism on its share of the drives, then drives without any."""
    switches = list(SWITCHES)
    shares = [with_one // len(switches) + (place < with_one % len(switches)) for place in range(len(switches))]
    asked = [*zip(switches, shares, strict=True), (None, without)]
    with ProcessPoolExecutor(PROCESSES) as pool:
        first = SEED
        for mechanism, drives in asked:
            seeds = range(first, first + drives)
            yield _summed(mechanism, list(pool.map(named_on, seeds, [mechanism] * drives)))
            first += drives


def named_on(seed: int, mechanism: Mechanism | None) -> tuple[Mechanism | None, Mechanism | None]:
    """The mechanism that the run of a random drive names first, with the drive's counters and without them."""
    run = run_of(seed, mechanism)
    bare = run.model_copy(update={"cells": [each.model_copy(update={"drives": ()}) for each in run.cells]})
    return _first(run), _first(bare)


def run_of(seed: int, mechanism: Mechanism | None, profile: str = PROFILE) -> RunRecord:
    """A campaign on a random drive."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "drive.toml"
        file.write_text(model_text(random_drive(seed, mechanism)), encoding="utf-8")
        return run_profile(f"sim:{file}", profile, seed)


def _first(run: RunRecord) -> Mechanism | None:
    analysis = RunAnalysis(run)
    found = explain(Case.of(analysis), find_in(analysis, FailureLog()))
    return found[0].mechanism if found else None


def _summed(mechanism: Mechanism | None, found: Sequence[tuple[Mechanism | None, Mechanism | None]]) -> Named:
    return Named(
        mechanism=mechanism,
        drives=len(found),
        right=sum(first is mechanism for first, _ in found),
        without_counters=sum(bare is mechanism for _, bare in found),
        others=tuple(sorted({str(first or "none") for first, _ in found if first is not mechanism})),
    )


def holds(found: Sequence[Named]) -> bool:
    """Whether the right mechanism is named first, and none where there is none, as often as required."""
    with_one = [each for each in found if each.mechanism is not None]
    none = [each for each in found if each.mechanism is None]
    return _share(with_one) >= RIGHT_MIN and _share(none) >= NONE_MIN


def _share(found: Sequence[Named]) -> float:
    return sum(each.right for each in found) / max(sum(each.drives for each in found), 1)
