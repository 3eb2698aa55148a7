"""Latency distributions on a terminal: percentiles and histogram as bars, on logarithmic axes."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from math import ceil, floor, log2, log10
from typing import Final

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from iosonde.analysis.cells import OperationEstimate, PercentileEstimate
from iosonde.analysis.histogram import SAMPLES_BEYOND_MIN, low_and_width, percent_label
from iosonde.records import Histogram
from iosonde.report.terminal.symbols import bar
from iosonde.report.terminal.telling_apart import cut
from iosonde.units import format_latency

BAR_MAX: Final = 60
ROWS_MAX: Final = 20
STEPS_AN_OCTAVE: Final = (4, 2, 1)
"""Rows per octave of latency. The finest step with at most ``ROWS_MAX`` rows is used."""


@dataclass(frozen=True)
class PercentileBars:
    """The percentiles of one class on a log axis, each with its confidence interval, or else its range over repeats."""

    title: str
    figures: OperationEstimate

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """A row for the minimum, each supported percentile, and the maximum."""
        rows = [("min", self.figures.latency_ns_min, "")]
        rows.extend(
            (percent_label(each.percent), each.value_ns, _range(each))
            for each in self.figures.percentiles
            if each.value_ns is not None
        )
        rows.append(("max", self.figures.latency_ns_max, ""))
        low = 10 ** floor(log10(max(rows[0][1], 1)))
        names, values = max(len(name) for name, _, _ in rows), max(len(format_latency(each)) for _, each, _ in rows)
        spans = max(len(span) for _, _, span in rows)
        room = options.max_width - names - values - 4
        # Omit the range if it would leave no room for bars.
        shown = spans if room - spans - 2 >= BAR_MAX // 3 else 0
        length = min(room - (shown + 2 if shown else 0), BAR_MAX)
        yield from titled(self.title, f"bars: log axis from {format_latency(low)}", options)
        for name, value_ns, span in rows:
            share = _log_share(value_ns, low, self.figures.latency_ns_max)
            line = Text.assemble(
                name.ljust(names), "  ", format_latency(value_ns).rjust(values), " ", (bar(share, length), "magenta")
            )
            if shown and span:
                line.append(" " * (length - line.cell_len + names + values + 4) + span, style="dim")
            yield line
        missing = [percent_label(each.percent) for each in self.figures.percentiles if each.value_ns is None]
        if missing:
            yield Text(f"Omitted (fewer than {SAMPLES_BEYOND_MIN} samples above): {', '.join(missing)}.", style="dim")


def _range(percentile: PercentileEstimate) -> str:
    if percentile.low_ns is not None and percentile.high_ns is not None:
        return f"95 % CI: {format_latency(percentile.low_ns)} to {format_latency(percentile.high_ns)}"
    if percentile.lowest_ns is None or percentile.highest_ns is None or percentile.lowest_ns == percentile.highest_ns:
        return ""
    return f"repeats {format_latency(percentile.lowest_ns)} to {format_latency(percentile.highest_ns)}"


def _log_share(value_ns: int, low_ns: float, high_ns: int) -> float:
    if high_ns <= low_ns:
        return 1.0
    return log10(max(value_ns, low_ns) / low_ns) / log10(high_ns / low_ns)


@dataclass(frozen=True)
class Bin:
    """The number of operations with ``low_ns`` ≤ latency < ``high_ns``."""

    low_ns: float
    high_ns: float
    count: int


def bins_of(histogram: Histogram) -> tuple[Bin, ...]:
    """The counts in bins of equal width on a log axis, including empty bins between others."""
    if not histogram.bucket:
        return ()
    middles = []
    for bucket in histogram.bucket:
        low, width = low_and_width(histogram.layout, bucket)
        middles.append(max(low + width / 2, 1.0))
    for steps in STEPS_AN_OCTAVE:
        first, last = floor(log2(middles[0]) * steps), floor(log2(middles[-1]) * steps)
        if last - first < ROWS_MAX or steps == STEPS_AN_OCTAVE[-1]:
            break
    counts = [0] * (last - first + 1)
    for middle, count in zip(middles, histogram.count, strict=True):
        counts[floor(log2(middle) * steps) - first] += count
    return tuple(
        Bin(2 ** ((first + index) / steps), 2 ** ((first + index + 1) / steps), count)
        for index, count in enumerate(counts)
    )


@dataclass(frozen=True)
class HistogramBars:
    """A histogram with horizontal bars, latency from top to bottom. Both axes are logarithmic, which shows outliers."""

    title: str
    histogram: Histogram

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """A row for each bin: its lower end, its count, its bar, and the cumulative share."""
        bins = bins_of(self.histogram)
        total = sum(each.count for each in bins)
        lows = [f"{format_latency(each.low_ns)}" for each in bins]
        counts = [f"{each.count:,}" for each in bins]
        up_to = [_share_text(reached, total) for reached in accumulate(each.count for each in bins)]
        widths = [max(map(len, texts), default=0) for texts in (lows, counts, up_to)]
        length = min(max(options.max_width - sum(widths) - 8, BAR_MAX // 6), BAR_MAX)
        top = ceil(log10(max((each.count for each in bins), default=1) + 1))
        heads = ("from", "count", "cumulative")
        widths = [max(width, len(head)) for width, head in zip(widths[:2], heads[:2], strict=True)] + [widths[2]]
        length = min(length, options.max_width - widths[0] - widths[1] - max(widths[2], len(heads[2])) - 6)
        yield from titled(self.title, "bars: count, log axis", options)
        yield Text(f"{heads[0].rjust(widths[0])}  {heads[1].rjust(widths[1])} {' ' * length}  {heads[2]}", style="dim")
        for row, each in enumerate(bins):
            share = log10(each.count + 1) / top if each.count else 0.0
            yield Text.assemble(
                lows[row].rjust(widths[0]),
                "  ",
                counts[row].rjust(widths[1]),
                " ",
                (bar(share, length).ljust(length), "cyan"),
                "  ",
                (up_to[row].rjust(len(heads[2])), "dim"),
            )


def _share_text(reached: int, total: int) -> str:
    """A cumulative share with as many nines as needed: 100 % only if no operation is slower."""
    if reached == total:
        return "100 %"
    beyond = 1 - reached / total
    decimals = min(max(ceil(-log10(beyond)) - 1, 1), 6) if beyond > 0 else 1
    return f"{floor(reached / total * 10 ** (decimals + 2)) / 10**decimals:.{decimals}f} %"


def titled(title: str, note: str, options: ConsoleOptions) -> Iterator[Text]:
    """A title with a note in parentheses after it, or below it if the line is full."""
    line = Text.assemble((title, "bold"), (f" ({note})", "dim"))
    if line.cell_len <= options.max_width:
        yield line
    else:
        yield Text(cut(title, options.max_width), style="bold")
        yield Text(f"({note})", style="dim")
