"""Queue-depth sweeps on a terminal: bars of throughput and latency for each depth."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from iosonde.analysis.cells import CellEstimate, OperationEstimate
from iosonde.analysis.experiments import SWEEP_DEPTHS_MIN, DepthSweep, RunEstimates
from iosonde.analysis.families import Along, Family, families_of
from iosonde.charts.quantities import NO_VALUE, depth_text, latency_unit, significant, workload_label
from iosonde.records import Experiment, Workload
from iosonde.report.terminal.symbols import bar
from iosonde.report.validity import MARK, Invalid
from iosonde.units import format_iops

SWEEPS_MAX = 6
"""The most sweeps shown. A matrix can have dozens; the HTML page draws all."""

BAR_MIN, BAR_MAX = 6, 48
KNEE_MARK = "knee"


@dataclass(frozen=True)
class Sweep:
    """Cells that differ only in depth, and the requested depth at the knee; None without a knee."""

    label: str
    points: tuple[tuple[CellEstimate, OperationEstimate], ...]
    knee_depth: int | None


def sweeps_of(estimates: RunEstimates) -> tuple[Sweep, ...]:
    """All sweeps with figures for at least ``SWEEP_DEPTHS_MIN`` depths, first those of the queue-depth experiment."""
    known = estimates.closed_loops.sweeps
    # The depth of an open loop is only a limit; throughput does not depend on it.
    closed = [cell for cell in estimates.cells if not cell.workload.is_open_loop]
    ordered = sorted(closed, key=lambda cell: Experiment.QUEUE_DEPTH not in cell.experiments)
    sweeps = (_sweep(family, known) for family in families_of(ordered, Along.DEPTH))
    return tuple(sweep for sweep in sweeps if len(sweep.points) >= SWEEP_DEPTHS_MIN)


def _sweep(family: Family, known: Sequence[DepthSweep]) -> Sweep:
    points = tuple((cell, figures) for cell in family.cells if (figures := cell.of(family.whole)) is not None)
    names = {cell.cell for cell in family.cells}
    knees = [sweep.knee.point for sweep in known if names >= {cell.cell for cell in sweep.cells}]
    point = knees[0] if knees else None
    return Sweep(sweep_label(family.workload), points, None if point is None else point.queue_depth)


def sweep_label(workload: Workload) -> str:
    """A workload without its depth: ``4 KiB random read, 2 jobs``."""
    parts = [workload_label(workload)]
    parts.extend(
        f"{number} {word}" for number, word in ((workload.jobs, "jobs"), (workload.targets, "targets")) if number > 1
    )
    return ", ".join(parts)


@dataclass(frozen=True)
class SweepBars:
    """A sweep as rows: depth, IOPS with a bar, mean latency with a bar. Both scales begin at 0."""

    sweep: Sweep
    invalid: Invalid = field(default_factory=dict)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The rows, as wide as the terminal, with bars of at most ``BAR_MAX`` columns."""
        unit = latency_unit(figures.latency_ns_mean.mean for _, figures in self.sweep.points)
        depths = ["depth", *(str(cell.queue_depth_asked) for cell, _ in self.sweep.points)]
        reached = ["achieved", *(_achieved(cell) for cell, _ in self.sweep.points)]
        rates = ["IOPS", *(format_iops(figures.iops.mean) for _, figures in self.sweep.points)]
        means = [figures.latency_ns_mean.mean for _, figures in self.sweep.points]
        latencies = [f"mean {unit.name}", *(significant(mean / unit.ns) for mean in means)]
        widths = [max(map(len, texts)) for texts in (depths, reached, rates, latencies)]
        mark = len(KNEE_MARK) + 1 if self.sweep.knee_depth is not None else 0
        mark += len(MARK) + 1 if any(cell.cell in self.invalid for cell, _ in self.sweep.points) else 0
        room = (options.max_width - sum(widths) - mark - 8) // 2
        length = min(max(room, BAR_MIN), BAR_MAX)
        rate_shares = shares(figures.iops.mean for _, figures in self.sweep.points)
        latency_shares = shares(means)
        yield Text(f"{self.sweep.label}: throughput and mean latency by queue depth", style="bold")
        heads = [
            texts[0].rjust(width) for texts, width in zip((depths, reached, rates, latencies), widths, strict=True)
        ]
        yield Text("  ".join([heads[0], heads[1], f"{heads[2]} {' ' * length}", heads[3]]), style="dim")
        for row, (cell, _) in enumerate(self.sweep.points, start=1):
            line = Text.assemble(
                depths[row].rjust(widths[0]),
                "  ",
                reached[row].rjust(widths[1]),
                "  ",
                rates[row].rjust(widths[2]),
                " ",
                (bar(rate_shares[row - 1], length).ljust(length), "blue"),
                "  ",
                latencies[row].rjust(widths[3]),
                " ",
                (bar(latency_shares[row - 1], length), "yellow"),
            )
            if cell.queue_depth_asked == self.sweep.knee_depth:
                line.append(f" {KNEE_MARK}", style="bold")
            if cell.cell in self.invalid:
                line.stylize("strike red")
                line.append(f" {MARK}", style="not strike bold red")
            yield line


def _achieved(cell: CellEstimate) -> str:
    depth, device = cell.queue_depth_achieved, cell.queue_depth_device
    return NO_VALUE if depth is None else depth_text(depth, device)


def shares(values: Iterable[float]) -> list[float]:
    """Each value as a share of the largest."""
    known = list(values)
    top = max(known, default=0.0)
    return [value / top if top > 0 else 0.0 for value in known]


def render_sweeps(estimates: RunEstimates, invalid: Invalid) -> Iterator[SweepBars | Text]:
    """Bars for the first ``SWEEPS_MAX`` sweeps, and a line with the number of others."""
    sweeps = sweeps_of(estimates)
    for sweep in sweeps[:SWEEPS_MAX]:
        yield SweepBars(sweep, invalid)
        yield Text()
    if len(sweeps) > SWEEPS_MAX:
        yield Text(f"The report has {len(sweeps) - SWEEPS_MAX} more sweeps (`iosonde report`).\n", style="dim")
