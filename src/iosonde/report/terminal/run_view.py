"""A whole run on a terminal: the summary, then every cell by experiment, then small charts."""

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import RunEstimates, estimate_run
from iosonde.charts.quantities import plural
from iosonde.findings.model import Finding
from iosonde.records import Experiment, RunRecord
from iosonde.report.display import printable
from iosonde.report.headline import headline_of
from iosonde.report.result_tables import experiment_tables
from iosonde.report.summary import render_summary
from iosonde.report.terminal.distributions import PercentileBars
from iosonde.report.terminal.figures import joined, render_table
from iosonde.report.terminal.findings import render_findings
from iosonde.report.terminal.sweeps import render_sweeps
from iosonde.report.titles import TITLES

DISTRIBUTIONS_MAX: Final = 3
LEGEND: Final = (
    "IOPS: operations/s; MB/s: 10^6 bytes/s; mean and percentiles (of all repeats together): service latency, and "
    "response latency in cells with a rate; "
    "±: half the 95 % interval over repeats."
)


def render_run(run: RunRecord, findings: Sequence[Finding], *, all_findings: bool) -> RenderableType:
    """What ``iosonde show RUN`` prints."""
    estimates = estimate_run(run)
    parts: list[RenderableType] = [render_summary(run, findings, None), Text()]
    if all_findings:
        parts += [Text("All findings", style="bold underline"), render_findings(findings), Text()]
    parts.append(Text(LEGEND, style="dim"))
    parts.extend(_experiments(estimates))
    parts.extend(render_sweeps(estimates))
    parts.extend(_distributions(estimates))
    parts.append(Text("`iosonde show RUN CELL` shows a cell in full, `--findings` all findings.", style="dim"))
    return Group(*parts)


def _experiments(estimates: RunEstimates) -> Iterator[RenderableType]:
    for experiment, title in TITLES.items():
        cells = estimates.of(experiment)
        if cells:
            yield Text(title, style="bold underline")
            yield render_table(joined(experiment_tables(experiment, cells)))
            yield Text()


def _distributions(estimates: RunEstimates) -> Iterator[RenderableType]:
    for cell in _worth_a_distribution(estimates)[:DISTRIBUTIONS_MAX]:
        figures = cell.subject
        if figures is not None:
            yield PercentileBars(f"{printable(cell.cell)}: latency of {plural(figures.operation)}", figures)
            yield Text()


def _worth_a_distribution(estimates: RunEstimates) -> Sequence[CellEstimate]:
    """The tail cells or, where there are none, those that the headline is made of."""
    tails = [cell for cell in estimates.of(Experiment.TAIL) if cell.subject is not None]
    if tails:
        return tails
    named = dict.fromkeys(group.cell for group in headline_of(estimates).groups)
    return [cell for cell in estimates.cells if cell.cell in named and cell.subject is not None]
