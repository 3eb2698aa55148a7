"""The chapters about the whole run: the time series, and the share of each target."""

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.targets import estimate_targets
from iosonde.charts.consistency import CONSISTENCY_TITLE, run_consistency
from iosonde.charts.figure import Figure
from iosonde.charts.heat_map import latency_heat_map
from iosonde.failures import FailureLog
from iosonde.records import Experiment
from iosonde.report.blocks import Chapter, Charts, Paragraph, notices
from iosonde.report.evaluated import EvaluatedRun
from iosonde.report.experiment_chapters import shown_table, told
from iosonde.report.made_charts import made_figure
from iosonde.report.sentences import course_sentence
from iosonde.report.target_table import target_table
from iosonde.report.titles import OVER_TIME, TARGETS


def over_time_chapter(found: EvaluatedRun, failures: FailureLog) -> Chapter | None:
    """Throughput over the run, and a latency heat map of each tail cell and probe. None where nothing can be drawn."""
    cells = found.run.cells
    consistency = made_figure(
        "run-consistency", CONSISTENCY_TITLE, lambda: run_consistency(cells), found.invalid, failures
    )
    mapped = [*found.cells(Experiment.TAIL), *found.cells(Experiment.PROBE)]
    figures = (consistency, *(_heat_map(cell, found, failures) for cell in mapped))
    drawn = tuple(figure for figure in figures if figure.chart is not None or figure.failure)
    if not drawn:
        return None
    failed: list[str] = []
    answer = told(OVER_TIME.title, lambda: course_sentence(cells), failures, failed)
    rows = [tuple(each for each in drawn if (each is consistency) is first) for first in (True, False)]
    return Chapter(*OVER_TIME, (*answer, *notices(failed), *(Charts(row) for row in rows if row)))


def _heat_map(cell: CellEstimate, found: EvaluatedRun, failures: FailureLog) -> Figure:
    identity, title = f"heat-map-{cell.cell}", f"Latency over time: {cell.cell}"
    return made_figure(identity, title, lambda: latency_heat_map(cell, found.run.cells), found.invalid, failures)


def targets_chapter(found: EvaluatedRun) -> Chapter | None:
    """What each target gave, where several were measured at the same time."""
    shares = estimate_targets(found.estimates.cells)
    if not shares:
        return None
    answer = Paragraph(
        "Several targets were measured at the same time; the figures above are sums over them, and these are "
        "what each gave meanwhile. What one reaches alone is another cell (targets = 1), or another run."
    )
    table = shown_table(target_table(shares, found.run.header.targets), found.invalid)
    return Chapter(*TARGETS, (answer, table))
