"""What was measured: each cell by each tool, and what the kernel says of the same reads."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.known_time.cells import CELLS, Cell


@dataclass(frozen=True)
class Trace:
    """Latencies of requests by the kernel's tracepoints, from issue to completion, in buckets by their low ends."""

    count: int
    sum_ns: int
    min_ns: int
    buckets: tuple[tuple[int, int], ...]

    def at_rank(self, rank: int) -> int:
        """The low end of the bucket with that rank, from the shortest on, which is 1."""
        below = 0
        for low_ns, count in self.buckets:
            below += count
            if below >= rank:
                return low_ns
        raise ValueError(rank)

    @property
    def mean_ns(self) -> float:
        """Their mean."""
        return self.sum_ns / self.count


@dataclass(frozen=True)
class Seen:
    """A cell by a tool: latencies of the reads that it counted, and the kernel's time for all that it completed."""

    cell: Cell
    tool: str
    turn: int
    count: int
    min_ns: int
    p50_ns: int
    p99_ns: int | None
    sum_ns: int
    # Reads in flight at the end, which are not counted, and the longest of them.
    censored: int
    censored_ns_max: int
    kernel_count: int
    kernel_ms: int
    trace: Trace | None

    @property
    def mean_ns(self) -> float:
        """The mean of what the tool counted."""
        return self.sum_ns / self.count

    @property
    def kernel_mean_ns(self) -> float:
        """The mean of what the kernel completed meanwhile, from a request's start to its completion."""
        return self.kernel_ms * 1e6 / self.kernel_count


@dataclass(frozen=True)
class Pair:
    """All turns of a cell, by iosonde and by fio."""

    cell: Cell
    iosonde: tuple[Seen, ...]
    fio: tuple[Seen, ...]

    @property
    def quieter(self) -> tuple[Seen, Seen]:
        """The turn with the lower p50 of each: what the host disturbs only adds to a latency."""
        ours, fios = (min(seen, key=lambda each: each.p50_ns) for seen in (self.iosonde, self.fio))
        return ours, fios

    @property
    def p50_ratio(self) -> float:
        """The p50 of iosonde over that of fio."""
        ours, fios = self.quieter
        return ours.p50_ns / fios.p50_ns


def load(path: Path) -> list[Pair]:
    """Reads what was left by the guest."""
    rows = [_seen(json.loads(line)) for line in path.read_text().splitlines()]
    by_tool = {tool: [row for row in rows if row.tool == tool] for tool in ("iosonde", "fio")}
    return [
        Pair(cell, *(tuple(row for row in by_tool[tool] if row.cell == cell) for tool in ("iosonde", "fio")))
        for cell in CELLS
    ]


def _seen(row: dict[str, Any]) -> Seen:
    trace = row.pop("trace", None)
    return Seen(**{**row, "cell": CELLS[row["cell"]], "trace": _trace(trace) if trace else None})


def _trace(said: dict[str, Any]) -> Trace:
    # The first bucket has no low end where it holds what is below all others.
    buckets = tuple((each.get("min", 0), each["count"]) for each in said["buckets"])
    return Trace(said["count"], said["sum"], said["min"], buckets)
