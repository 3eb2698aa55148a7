"""Shows a whole run on a terminal: the summary, then all cells by experiment, then small charts."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from rich.console import Group, RenderableType
from rich.text import Text

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import RunEstimates
from iosonde.analysis.run import RunAnalysis
from iosonde.charts.quantities import plural
from iosonde.failures import STRICT, FailureLog
from iosonde.findings.finding import Finding
from iosonde.printing import printable
from iosonde.records import Experiment
from iosonde.report.headline import headline_of
from iosonde.report.result_tables import experiment_tables
from iosonde.report.summary import render_summary
from iosonde.report.terminal.distributions import PercentileBars
from iosonde.report.terminal.figures import joined, render_table
from iosonde.report.terminal.findings import render_findings
from iosonde.report.terminal.sweeps import render_sweeps
from iosonde.report.terminal.text_direction import Deferred, Isolated, failed
from iosonde.report.titles import TITLES
from iosonde.report.validity import MARK, Invalid, invalid_cells, marked, see

DISTRIBUTIONS_MAX: Final = 3
LEGEND: Final = (
    "IOPS: operations/s; MB/s: 1,000,000 bytes/s; latency: service time, or response time in cells with an "
    "arrival rate; percentiles: from merged histograms; ±: half-width of the 95 % confidence interval."
)


def render_run(
    analysis: RunAnalysis, findings: Sequence[Finding], *, all_findings: bool, failures: FailureLog = STRICT
) -> RenderableType:
    """The output of ``iosonde show RUN``. A notice replaces each part that fails; ``failures`` records it."""

    def isolated(part: str, make: Callable[[], Iterable[RenderableType]]) -> RenderableType:
        return Isolated(part, Deferred(make), failures)

    summary = isolated("the summary", lambda: [render_summary(analysis, findings, None, failures)])
    estimates = failures.attempt(
        "the analysis of the run", lambda: analysis.estimates, lambda _: RunEstimates((), {}), FIGURES
    )
    parts: list[RenderableType] = [summary, Text(), *map(failed, failures.sentences_of(FIGURES))]
    if analysis.run.header.expected is not None:
        parts += [isolated("the verdicts", lambda: _verdicts(analysis, findings, failures)), Text()]
    if all_findings:
        title = Text("All findings", style="bold underline")
        parts += [title, isolated("the findings", lambda: [render_findings(findings)]), Text()]
    parts.append(Text(LEGEND, style="dim"))
    invalid = invalid_cells((cell.cell for cell in estimates.cells), findings)
    parts.extend(
        isolated(f'the section "{title}"', partial(_experiment, experiment, title, estimates, invalid))
        for experiment, title in TITLES.items()
    )
    if analysis.run.header.plan.procedures:
        parts.append(isolated("the procedures", lambda: _procedures(analysis, invalid)))
    parts.append(isolated("the sweeps", lambda: render_sweeps(estimates, invalid)))
    parts.append(isolated("the distributions", lambda: _distributions(estimates, invalid)))
    parts.append(
        Text("`iosonde show RUN CELL` shows all details of a cell; `--findings` shows all findings.", style="dim")
    )
    return Group(*parts)


FIGURES: Final = "figures"
"""The section of the failure log for the analysis of the run. Its notice is shown below the summary."""


def _verdicts(analysis: RunAnalysis, findings: Sequence[Finding], failures: FailureLog) -> Iterator[RenderableType]:
    """The comparison with the expected values that the run has in its record."""
    # Imported here because few runs have expected values, and their schema takes long to load.
    from iosonde.report.stored_checks import stored_checks
    from iosonde.report.terminal.checked import render_checked

    checked = stored_checks(analysis, tuple(findings), failures)
    if checked is not None:
        yield render_checked(checked)


def _procedures(analysis: RunAnalysis, invalid: Invalid) -> Iterator[RenderableType]:
    # Imported here: few runs have procedures, and it imports NumPy and the charts.
    from iosonde.report.terminal.procedures import render_procedures

    yield from render_procedures(analysis.recorded, invalid)


def _experiment(
    experiment: Experiment, title: str, estimates: RunEstimates, invalid: Invalid
) -> Iterator[RenderableType]:
    cells = estimates.of(experiment)
    if cells:
        yield Text(title, style="bold underline")
        yield render_table(marked(joined(experiment_tables(experiment, cells)), invalid))
        yield Text()


def _distributions(estimates: RunEstimates, invalid: Invalid) -> Iterator[RenderableType]:
    for cell in _worth_a_distribution(estimates)[:DISTRIBUTIONS_MAX]:
        figures = cell.subject
        if figures is not None:
            mark = f" ({MARK}, {see(invalid[cell.cell])})" if cell.cell in invalid else ""
            yield PercentileBars(f"{printable(cell.cell)}{mark}: latency of {plural(figures.operation)}", figures)
            yield Text()


def _worth_a_distribution(estimates: RunEstimates) -> Sequence[CellEstimate]:
    """The tail cells; if there are none, the cells of the headline."""
    tails = [cell for cell in estimates.of(Experiment.TAIL) if cell.subject is not None]
    if tails:
        return tails
    named = dict.fromkeys(group.cell for group in headline_of(estimates).groups)
    return [cell for cell in estimates.cells if cell.cell in named and cell.subject is not None]
