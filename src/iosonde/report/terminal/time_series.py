"""The time series of a cell: a sparkline of throughput and one of latency for each repeat."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.text import Text

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.latency import leading
from iosonde.analysis.totals import total_of
from iosonde.records import CellRecord, IntervalRecord, Operation, Phase
from iosonde.report.terminal.symbols import sparkline
from iosonde.units import SECOND_NS, format_duration, format_iops, format_latency

BOUNDARY: Final = "|"
ROOM_MIN: Final = 8
SPARKS_MAX: Final = 120


@dataclass(frozen=True)
class _Row:
    """The values of one quantity by interval. The first ``warm`` values are of the warm-up."""

    name: str
    values: list[float | None]
    warm: int
    shown: Callable[[float], str]
    style: str

    @property
    def span(self) -> str:
        known = [value for value in self.values[self.warm :] if value is not None]
        return f"{self.shown(min(known))} to {self.shown(max(known))}" if known else "no completions"

    def line(self, room: int) -> Text:
        top = max((value for value in self.values if value is not None), default=0.0)
        share = self.warm / len(self.values) if self.values else 0.0
        before = min(max(round(room * share), 1), self.warm) if self.warm else 0
        line = Text(f"{self.name}  ")
        line.append(sparkline(self.values[: self.warm], before, top) if before else "", style="dim")
        line.append(BOUNDARY if before else "", style="dim")
        line.append(sparkline(self.values[self.warm :], room - before, top), style=self.style)
        return line.append(f"  {self.span}", style="dim")


@dataclass(frozen=True)
class TimeSeries:
    """Two sparklines of one repeat: IOPS and mean latency by interval, with the warm-up left of a vertical bar."""

    record: CellRecord
    operation: Operation

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The two lines. Each ends with the lowest and the highest value of the measured intervals."""
        intervals = [each for each in self.record.intervals if each.end_ns > each.start_ns]
        warm = sum(each.phase is Phase.WARMUP for each in intervals)
        ordered = sorted(intervals, key=lambda each: each.phase is Phase.MEASURE)
        rows = [
            _Row(f"repeat {self.record.repeat}  {name}", [of(each) for each in ordered], warm, shown, style)
            for name, of, shown, style in (
                ("IOPS", self._iops, format_iops, "blue"),
                ("mean", self._latency_ns, format_latency, "yellow"),
            )
        ]
        spans = max(len(row.span) for row in rows)
        room = max(options.max_width - len(rows[0].name) - spans - 5, ROOM_MIN)
        for row in rows:
            yield row.line(min(room, SPARKS_MAX))

    def _iops(self, interval: IntervalRecord) -> float | None:
        totals = total_of(interval.operations, self.operation)
        return (totals.count if totals else 0) * SECOND_NS / (interval.end_ns - interval.start_ns)

    def _latency_ns(self, interval: IntervalRecord) -> float | None:
        totals = total_of(interval.operations, self.operation)
        return leading(totals).latency_ns_sum / totals.count if totals else None


def render_time_series(records: Sequence[CellRecord], estimate: CellEstimate) -> Iterator[RenderableType]:
    """The time series of each repeat that has intervals."""
    shown = [record for record in records if record.intervals]
    if not shown:
        return
    subject = estimate.subject
    operation = subject.operation if subject is not None else Operation.ALL
    length = format_duration(shown[0].timing.interval_ns)
    yield Text.assemble(
        ("Time series", "bold underline"),
        (f" (intervals of {length}, scale from 0, warm-up left of the vertical bar)", "dim"),
    )
    yield from (TimeSeries(record, operation) for record in shown)
    yield Text()
