"""The chapters about the whole run: the time series, and the share of each target."""

from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.targets import estimate_targets
from iosonde.analysis.trials import breaks_of
from iosonde.charts.consistency import CONSISTENCY_TITLE, run_consistency
from iosonde.charts.figure import Figure
from iosonde.charts.heat_map import latency_heat_map
from iosonde.failures import FailureLog, PartFailure
from iosonde.records import Experiment
from iosonde.report.blocks import Chapter, Charts, Leaf, Listing, Paragraph, notices
from iosonde.report.evaluated import EvaluatedRun
from iosonde.report.experiment_chapters import shown_table, told
from iosonde.report.made_charts import made_figure
from iosonde.report.sentences import course_sentence
from iosonde.report.steady_state_table import steady_state_blocks
from iosonde.report.tables import ResultTable
from iosonde.report.target_table import target_table
from iosonde.report.titles import OVER_TIME, TARGETS

STEADY_OPEN_MAX: Final = 12
"""A longer table of verdicts is folded; the sentence above it counts them."""


def over_time_chapter(found: EvaluatedRun, failures: FailureLog) -> Chapter | None:
    """Throughput over the run, a latency heat map of each tail cell and probe, and which cells are steady.

    None where nothing can be drawn.
    """
    cells = found.run.cells
    consistency = made_figure(
        "run-consistency",
        CONSISTENCY_TITLE,
        lambda: run_consistency(cells, breaks_of(found.run)),
        found.invalid,
        failures,
    )
    mapped = [*found.cells(Experiment.TAIL), *found.cells(Experiment.PROBE)]
    figures = (consistency, *(_heat_map(cell, found, failures) for cell in mapped))
    drawn = tuple(figure for figure in figures if figure.chart is not None or figure.failure)
    if not drawn:
        return None
    failed: list[str] = []
    answer = told(OVER_TIME.title, lambda: course_sentence(cells), failures, failed)
    steady = _steady_states(found, failures, failed)
    return Chapter(*OVER_TIME, (*answer, *notices(failed), Charts(drawn), *steady))


def _steady_states(found: EvaluatedRun, failures: FailureLog, failed: list[str]) -> tuple[Leaf, ...]:
    """The verdicts on steady state, a long table folded; the notice of a failure is added to ``failed``."""

    def shown(block: Paragraph | ResultTable) -> Leaf:
        if isinstance(block, Paragraph):
            return block
        table, number = shown_table(block, found.invalid), len(block.lines)
        return table if number <= STEADY_OPEN_MAX else Listing("Steady state", f"verdicts on {number} cells", table)

    def made() -> tuple[Leaf, ...]:
        return tuple(map(shown, steady_state_blocks(found.estimates.records)))

    def instead(failure: PartFailure) -> tuple[Leaf, ...]:
        failed.append(failure.sentence)
        return ()

    return failures.attempt(f'the table of steady states in "{OVER_TIME.title}"', made, instead)


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
