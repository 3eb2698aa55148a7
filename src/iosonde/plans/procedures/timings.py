"""The times of procedures, divided by a scale on simulated drives that are smaller by as much."""

from dataclasses import dataclass
from math import gcd
from typing import Final

from iosonde.errors import UsageError
from iosonde.plans.preconditioning import fast_random_bytes
from iosonde.plans.procedures.tables import CellsTable, SteadyTable
from iosonde.plans.timings import AMOUNT_INTERVAL_NS_MIN, SLOW_BYTES_PER_S
from iosonde.records import FastRandom, Timing, Workload
from iosonde.units import MILLISECOND_NS, SECOND_NS, exact_duration, exact_size
from iosonde.workload_keys.bounds import DURATION_NS_MIN
from iosonde.workload_keys.keys import AMOUNT, DURATION

INTERVAL_NS: Final = SECOND_NS
"""The samples of the standard are seconds."""
INTERVAL_NS_MIN: Final = MILLISECOND_NS
"""The engine has no shorter intervals."""
AMOUNT_INTERVALS: Final = 1000
WARMUP_PART: Final = 2
ROUND_CELL_NS: Final = 60 * SECOND_NS


@dataclass(frozen=True)
class _Grid:
    """Scales multiples of ``unit_ns`` to multiples of the interval, so that they keep their ratios."""

    unit_ns: int
    scaled_ns: int
    interval_ns: int

    def ns(self, time_ns: int) -> int:
        """A scaled time, at least one unit of the grid."""
        return max(time_ns // self.unit_ns, 1) * self.scaled_ns


@dataclass(frozen=True)
class Clock:
    """Converts the times of a procedure: each is divided by ``scale``."""

    scale: int

    def ns(self, time_ns: int) -> int:
        """A scaled time."""
        return time_ns // self.scale

    def interval_ns(self, time_ns: int) -> int:
        """The intervals of a scaled time, which is a multiple but for nanoseconds: seconds, or shorter if scaled."""
        scaled_ns = max(self.ns(time_ns), 1)
        wanted_ns = min(max(INTERVAL_NS // self.scale, AMOUNT_INTERVAL_NS_MIN), scaled_ns)
        return scaled_ns // (scaled_ns // wanted_ns)

    def exact(self, workload: Workload, steady: SteadyTable | None = None) -> Workload:
        """The workload with a scaled duty cycle. Each interval of its timing lies wholly in an on-time or off-time."""
        if workload.on_ns is None or workload.off_ns is None:
            return workload
        grid = self._grid(workload, steady)
        assert grid is not None, "a duty cycle has a grid"
        return workload.model_copy(update={"on_ns": grid.ns(workload.on_ns), "off_ns": grid.ns(workload.off_ns)})

    def _grid(self, workload: Workload, steady: SteadyTable | None) -> _Grid | None:
        """The grid that a duty cycle and samples need; None for a cell with neither."""
        sample_ns = None if steady is None else steady.sample
        times = [each for each in (workload.on_ns, workload.off_ns, sample_ns) if each is not None]
        if not times:
            return None
        unit_ns = gcd(*times)
        interval_ns = _even_interval_ns(self.ns(unit_ns), self.interval_ns(unit_ns))
        if interval_ns < INTERVAL_NS_MIN:
            raise UsageError(
                "the times of a duty cycle and of samples have no common divisor of at least "
                f"{exact_duration(INTERVAL_NS_MIN * self.scale)}",
                "use multiples of a longer time, or a smaller --time-scale",
            )
        return _Grid(unit_ns, self.ns(unit_ns) // interval_ns * interval_ns, interval_ns)

    def _check_long_enough(self, measure_ns: int) -> None:
        """Raises UsageError for a trial that is too short to be measured because of the scale."""
        if self.scale > 1 and self.ns(measure_ns) < DURATION_NS_MIN <= measure_ns:
            raise UsageError(
                f"a trial of {exact_duration(measure_ns)}, divided by {self.scale:,}, is shorter than "
                f"{exact_duration(DURATION_NS_MIN)}",
                "set a smaller divisor by --time-scale; without it, it is the scale of the simulated drive",
            )

    def _warmup_ns(self, table: CellsTable, measure_ns: int, *, in_rounds: bool) -> int:
        """That of the table; of rounds, if scaled, at least half a cell: a deep queue of large blocks fills slowly."""
        is_long = measure_ns > ROUND_CELL_NS or not in_rounds
        least_ns = 0 if self.scale == 1 or is_long else self.ns(measure_ns) // WARMUP_PART
        return max(self.ns(table.warmup), least_ns)

    def timing(
        self,
        table: CellsTable,
        workload: Workload,
        capacity_bytes: int,
        steady: SteadyTable | None = None,
        *,
        in_rounds: bool = True,
    ) -> Timing:
        """The timing of a cell, whose times are not scaled yet. Amounts are on each target.

        A trial that is not ``in_rounds`` is reported from its start on, and has only the warm-up that it asks for.
        If samples of it are judged, it is decided after each block. Neither such a cell nor one with a duty cycle has a
        warm-up, which would move its samples. Raises UsageError for times without a common grid.
        """
        grid = self._grid(workload, steady)
        block_ns = None if steady is None or grid is None else steady.block
        decide_ns = None if block_ns is None or grid is None else grid.ns(block_ns)
        for measure_ns in table.values(DURATION.name):
            self._check_long_enough(measure_ns)
            return Timing(
                warmup_ns=self._warmup_ns(table, measure_ns, in_rounds=in_rounds) if grid is None else 0,
                measure_ns=self.ns(measure_ns) if grid is None else grid.ns(measure_ns),
                interval_ns=self.interval_ns(measure_ns) if grid is None else grid.interval_ns,
                decide_ns=decide_ns,
                idle_ns=self.ns(table.idle),
            )
        asked_bytes = _asked_bytes(table, workload, capacity_bytes)
        amount_bytes = asked_bytes // workload.block_size_bytes * workload.block_size_bytes
        if not amount_bytes:
            raise UsageError(
                f"a cell of {exact_size(asked_bytes)} is smaller than its blocks of {workload.size_text}",
                "use a larger target; a simulated drive is larger with a smaller scale, such as sim:sata-dc,scale=128",
            )
        return Timing(
            warmup_ns=0,
            measure_ns=SECOND_NS,
            interval_ns=_amount_interval_ns(amount_bytes) if grid is None else grid.interval_ns,
            amount_bytes=amount_bytes,
            idle_ns=self.ns(table.idle),
            limit_ns=None if table.limit is None else max(self.ns(table.limit), 1),
            decide_ns=decide_ns,
        )


def _asked_bytes(table: CellsTable, workload: Workload, capacity_bytes: int) -> int:
    """The bytes that a cell without a duration transfers to or from each target."""
    if isinstance(workload.pattern, FastRandom):
        span_bytes = workload.span_bytes or capacity_bytes
        return fast_random_bytes(workload.pattern, span_bytes, workload.block_size_bytes)
    if table.capacities is not None:
        return table.capacities * (workload.jobs if table.per_job else 1) * capacity_bytes
    (asked_bytes,) = table.values(AMOUNT.name)
    return int(asked_bytes)


def _even_interval_ns(whole_ns: int, interval_ns: int) -> int:
    """An interval of up to twice the length that divides ``whole_ns`` exactly, if there is one; else the same."""
    most = max(whole_ns // interval_ns, 1)
    even = (whole_ns // parts for parts in range(most, most // 2, -1) if whole_ns % parts == 0)
    return next(even, interval_ns)


def _amount_interval_ns(amount_bytes: int) -> int:
    """A second, or a thousandth of the time that a slow drive takes if that is shorter."""
    slow_ns = amount_bytes * SECOND_NS // SLOW_BYTES_PER_S
    return min(max(slow_ns // AMOUNT_INTERVALS, AMOUNT_INTERVAL_NS_MIN), INTERVAL_NS)
