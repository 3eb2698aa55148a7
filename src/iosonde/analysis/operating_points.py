"""The operating points of a demand variation: SNIA PTS 2.0.2, chapters 13 and 14."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from iosonde.analysis.rounds import tracked_value
from iosonde.records import CellRecord, OperatingPoints
from iosonde.vocabulary import Quantity


class Point(NamedTuple):
    """The mean throughput and latency of a cell over rounds, and its operations in flight."""

    cell: str
    iops: float
    latency_ns: float
    in_flight: int


class ChosenPoints(NamedTuple):
    """The cells of the three operating points. The maximum is None if no cell is fast enough."""

    maximum: Point | None
    middle: Point
    minimum: Point

    @property
    def named(self) -> Mapping[str, Point]:
        """The points by name, from the maximum down."""
        found = {"maximum": self.maximum, "middle": self.middle, "minimum": self.minimum}
        return {name: point for name, point in found.items() if point is not None}


def points_of(cells: Sequence[str], records: Sequence[CellRecord]) -> list[Point]:
    """The mean of each cell over its finished trials among ``records``; cells without any are left out."""
    found = []
    for cell in cells:
        trials = [each for each in records if each.cell == cell]
        iops = [value for each in trials if (value := tracked_value(each, Quantity.IOPS)) is not None]
        latency = [value for each in trials if (value := tracked_value(each, Quantity.LATENCY_NS_MEAN)) is not None]
        if iops and latency:
            workload = trials[0].workload
            depth = workload.jobs * workload.queue_depth
            found.append(Point(cell, sum(iops) / len(iops), sum(latency) / len(latency), depth))
    return found


def chosen_points(points: Sequence[Point], latency_ns_max: int) -> ChosenPoints | None:
    """The three operating points; None without any cell.

    The middle is the cell whose throughput is nearest to the mean of maximum and minimum. If no cell is fast enough for
    a maximum, the one with the lowest latency takes its place there.
    """
    if not points:
        return None
    minimum = min(points, key=lambda each: (each.in_flight, each.cell))
    fast = [each for each in points if each.latency_ns < latency_ns_max]
    maximum = max(fast, key=lambda each: (each.iops, -each.in_flight), default=None)
    top = maximum or min(points, key=lambda each: each.latency_ns)
    wanted = (top.iops + minimum.iops) / 2
    return ChosenPoints(maximum, min(points, key=lambda each: (abs(each.iops - wanted), each.in_flight)), minimum)


def last_window(records: Sequence[CellRecord], window: int) -> list[CellRecord]:
    """The trials of the last ``window`` rounds."""
    last = max((each.round or 1 for each in records), default=0)
    return [each for each in records if (each.round or 1) > last - window]


def cells_at_points(rule: OperatingPoints, records: Sequence[CellRecord], window: int = 5) -> tuple[str, ...]:
    """The cells to measure at the operating points that rounds decide: those of the maximum, middle and minimum."""
    chosen = chosen_points(points_of(list(rule.cells), last_window(records, window)), rule.latency_ns_max)
    if chosen is None:
        return ()
    return tuple(cell for point in chosen.named.values() for cell in rule.cells[point.cell])
