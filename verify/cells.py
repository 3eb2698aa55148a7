"""Published values of the modelled drives, cell by cell: one file per model in ``verify/sources/``.

A cell has a document, a workload, and the published value. A reason names the mechanism that makes cells differ. The
page shows it for a cell that differs by more than 5 %.
"""

import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final

from iosonde.plans.models import model_names
from iosonde.units import format_size, parse_bytes

FOLDER: Final = Path(__file__).parent / "sources"
OFF_MAX: Final = 0.05
"""A larger relative difference needs a reason."""


class Figure(StrEnum):
    """The compared quantity, as named in the file; its unit is in ``UNITS``."""

    IOPS = "iops"
    BANDWIDTH = "bandwidth"
    MEAN = "mean"
    MEDIAN = "median"
    P95 = "p95"
    P99 = "p99"


UNITS: Final = {
    Figure.IOPS: "IOPS",
    Figure.BANDWIDTH: "MB/s",
    Figure.MEAN: "µs, mean",
    Figure.MEDIAN: "µs, median",
    Figure.P95: "µs, p95",
    Figure.P99: "µs, p99",
}


_WORDS: Final = {Figure.IOPS: "IOPS", Figure.BANDWIDTH: "bandwidth"}


class State(StrEnum):
    """The preparation of the drive before the cell."""

    FRESH = "fresh"
    """Nothing was written."""
    FILLED = "filled"
    """It was written once, sequentially."""
    STEADY = "steady"
    """It was written once sequentially and then four times at random."""
    ROUNDS = "rounds"
    """It was written twice sequentially, then in rounds of random writes of all sizes at the same offsets."""
    RECENT = "just written"
    """A small region was written sequentially shortly before, and the cell accesses only this region."""
    SPENT = "spent"
    """Its buckets of credits are empty."""
    EDGE = "at the edge"
    """Nothing was written, and the cell accesses only the first addresses."""


@dataclass(frozen=True)
class Cell:
    """One value in a document. ``expected`` is in the figure's unit. ``reason`` is the text, empty if there is none."""

    document: str
    pattern: str
    read_percent: int
    block_size_bytes: int
    queue_depth: int
    state: State
    figure: Figure
    expected: float
    reason: str

    @property
    def name(self) -> str:
        """The workload and the drive's state, in words."""
        kinds = {100: "read", 0: "write"}
        kind = kinds.get(self.read_percent, f"{self.read_percent}/{100 - self.read_percent} read/write")
        state = "" if self.state is State.FILLED else f", {self.state}"
        return f"{format_size(self.block_size_bytes)} {self.pattern} {kind}, queue depth {self.queue_depth}{state}"

    @property
    def unit(self) -> str:
        """The unit of its figure and, for a latency, the statistic."""
        return UNITS[self.figure]

    @property
    def figure_of_source(self) -> str:
        """The figure and its document, in words."""
        whose = f"{self.document}'" if self.document.endswith("s") else f"{self.document}'s"
        return f"the {whose} {_WORDS.get(self.figure, self.figure)}"

    def is_off(self, seen: float) -> bool:
        """Whether the model's value ``seen`` differs so much that the cell needs a reason."""
        return abs(seen / self.expected - 1) > OFF_MAX


@dataclass(frozen=True)
class Source:
    """The published values of a modelled drive: documents by short name, and their cells."""

    documents: dict[str, str]
    cells: tuple[Cell, ...]


@cache
def source_of(model: str) -> Source:
    """Reads the file of a shipped model. Raises KeyError or ValueError for an invalid file."""
    found: dict[str, Any] = tomllib.loads((FOLDER / f"{model}.toml").read_text(encoding="utf-8"))
    documents: dict[str, str] = found["documents"]
    reasons: dict[str, str] = found.get("reasons", {})
    cells = []
    for each in found["cells"]:
        if each["document"] not in documents:
            raise ValueError(f"{model}: there is no document {each['document']}")
        cells.append(
            Cell(
                document=each["document"],
                pattern=each["pattern"],
                read_percent=each["read_percent"],
                block_size_bytes=parse_bytes(each["block_size"], "block_size"),
                queue_depth=each["queue_depth"],
                state=State(each.get("state", State.FILLED)),
                figure=Figure(each["figure"]),
                expected=each["expected"],
                reason=reasons[each["reason"]] if "reason" in each else "",
            )
        )
    return Source(documents, tuple(cells))


def sources() -> dict[str, Source]:
    """The sources of all shipped models, by model name."""
    return {name: source_of(name) for name in model_names()}
