"""The chapters on the whole run: contrasts between cells, explanations, the time series, and the results by target."""

from functools import partial
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.contrasts import contrasts_of
from iosonde.analysis.target_state import last_window
from iosonde.analysis.targets import estimate_targets
from iosonde.analysis.trials import breaks_of
from iosonde.charts.consistency import CONSISTENCY_TITLE, run_consistency
from iosonde.charts.drive_temperature import TEMPERATURE_TITLE, drive_temperature, has_temperature
from iosonde.charts.figure import Figure
from iosonde.charts.heat_map import latency_heat_map
from iosonde.charts.steady_window import steady_window
from iosonde.explanations import OF_HOST, Outcome, examine, explain, observations
from iosonde.failures import FailureLog, PartFailure
from iosonde.findings import Case
from iosonde.records import Experiment
from iosonde.report.blocks import Block, Chapter, Charts, Folded, Paragraph, notices
from iosonde.report.contrast_words import contrast_sentences, contrast_table, valid_contrasts
from iosonde.report.evaluated_run import EvaluatedRun
from iosonde.report.examined_facts import EXAMINED, EXAMINED_KEY, NEED_CAUSE, examined_facts, observation_facts
from iosonde.report.experiment_chapters import shown_table, told
from iosonde.report.explanation_facts import LEAD, NONE_NAMED, explanation_facts
from iosonde.report.made_charts import made_figure
from iosonde.report.sentences import time_series_sentence
from iosonde.report.steady_state_table import steady_state_blocks
from iosonde.report.tables import ResultTable
from iosonde.report.target_table import target_table
from iosonde.report.titles import CONTRASTS, EXPLANATIONS, OVER_TIME, TARGETS, TITLES, experiment_headings

ON_PAPER_MAX: Final = 60
"""The most rows of a collapsed table in the PDF."""


def over_time_chapter(found: EvaluatedRun, failures: FailureLog) -> Chapter | None:
    """Throughput over the run, a latency heat map for each tail cell and probe, and the steady-state verdicts.

    None if nothing can be drawn.
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
    beside = (Charts((_temperature(found, failures),)),) if has_temperature(cells) else ()
    windows = Charts(_windows(found, failures))
    failed: list[str] = []
    answer = told(OVER_TIME.title, lambda: time_series_sentence(cells), failures, failed)
    steady = _steady_states(found, failures, failed)
    rows = [tuple(each for each in drawn if (each is consistency) is first) for first in (True, False)]
    first, *others = (Charts(row) for row in rows if row)
    return Chapter(*OVER_TIME, (*answer, *notices(failed), first, *beside, *others, windows, *steady))


def _temperature(found: EvaluatedRun, failures: FailureLog) -> Figure:
    draw = partial(drive_temperature, found.run.cells)
    return made_figure("drive-temperature", TEMPERATURE_TITLE, draw, found.invalid, failures)


def _windows(found: EvaluatedRun, failures: FailureLog) -> tuple[Figure, ...]:
    """The throughput over the repeats of each experiment whose cells have enough of them."""
    figures = []
    for number, (title, cells) in enumerate(_experiments(found).items(), 1):
        records = {cell: each for cell, each in found.estimates.records.items() if cell in cells}
        if any(last_window(each) for each in records.values()):
            identity, name = f"steady-window-{number}", f"Throughput by repeat: {title}"
            make = partial(steady_window, identity, name, records)
            figures.append(made_figure(identity, name, make, found.invalid, failures))
    return tuple(figures)


def _experiments(found: EvaluatedRun) -> dict[str, set[str]]:
    """The cells of each experiment with a chapter, by its title."""
    experiments = [each for each in found.estimates.experiments if each.kind in TITLES]
    titles = (heading.title for heading in experiment_headings(experiments))
    return {title: {cell.cell for cell in each.cells} for title, each in zip(titles, experiments, strict=True)}


def _steady_states(found: EvaluatedRun, failures: FailureLog, failed: list[str]) -> tuple[Block, ...]:
    """The steady-state verdicts, in a folded table. If it fails, its notice is added to ``failed``."""

    def made() -> tuple[Block, ...]:
        blocks = steady_state_blocks(found.estimates.records, _experiments(found))
        words = tuple(block for block in blocks if isinstance(block, Paragraph))
        tables = tuple(shown_table(block, found.invalid) for block in blocks if isinstance(block, ResultTable))
        number = len(tables[0].lines) if tables else 0
        return (
            *words,
            *(
                (Folded(f"Steady state: results for {number} {'cell' if number == 1 else 'cells'}", tables),)
                if tables
                else ()
            ),
        )

    def instead(failure: PartFailure) -> tuple[Block, ...]:
        failed.append(failure.sentence)
        return ()

    return failures.attempt(f'the steady-state table in "{OVER_TIME.title}"', made, instead)


def _heat_map(cell: CellEstimate, found: EvaluatedRun, failures: FailureLog) -> Figure:
    identity, title = f"heat-map-{cell.cell}", f"Latency over time: {cell.cell}"
    return made_figure(identity, title, lambda: latency_heat_map(cell, found.run.cells), found.invalid, failures)


def contrasts_chapter(found: EvaluatedRun, failures: FailureLog) -> Chapter | None:
    """Cells that differ only in pattern, direction or durability, compared. None if there is no such pair."""
    failed: list[str] = []
    cells = found.estimates.without_sustained.cells

    def tables() -> tuple[ResultTable, ...]:
        table = contrast_table(contrasts_of(cells))
        return () if table is None else (shown_table(table, found.invalid),)

    def instead(failure: PartFailure) -> tuple[ResultTable, ...]:
        failed.append(failure.sentence)
        return ()

    made = failures.attempt(f'the table in "{CONTRASTS.title}"', tables, instead)
    if not made and not failed:
        return None
    answer = told(
        CONTRASTS.title, lambda: " ".join(contrast_sentences(valid_contrasts(cells, found.invalid))), failures, failed
    )
    folded = tuple(Folded(f"All contrasts ({_pairs(len(table.lines))})", (table,)) for table in made)
    return Chapter(*CONTRASTS, (*answer, *notices(failed), *folded))


def explanations_chapter(found: EvaluatedRun) -> Chapter | None:
    """The mechanisms that would explain the results, what asks for a cause, and what the run shows of each mechanism.

    None if the run could not show any mechanism.
    """
    case = Case.of(found.analysis)
    explanations = explain(case, found.findings)
    examined = examine(case, found.findings, explanations)
    of_target = [each.outcome for each in examined if each.mechanism not in OF_HOST]
    if not explanations and set(of_target) == {Outcome.NOT_TESTED}:
        return None
    observed = observations(case, found.findings, examined)
    groups = explanation_facts(explanations, found.run.header)
    causes = observation_facts(observed)
    folds = [Folded(f"{NEED_CAUSE} ({len(causes)})", causes, on_paper=True)] if causes else []
    folds.append(Folded(EXAMINED, (Paragraph(EXAMINED_KEY), examined_facts(examined)), on_paper=True))
    return Chapter(*EXPLANATIONS, (*groups, *folds), (LEAD if groups else NONE_NAMED,))


def _pairs(number: int) -> str:
    return "1 pair of cells" if number == 1 else f"{number:,} pairs of cells"


def targets_chapter(found: EvaluatedRun, *, is_folded: bool = False) -> Chapter | None:
    """The results of each target; None unless several targets were measured at the same time.

    With ``is_folded`` the table is collapsed, and left out of the PDF if it is long.
    """
    shares = estimate_targets(found.estimates.cells)
    if not shares:
        return None
    answer = Paragraph(
        "Several targets were measured at the same time. The results above combine all targets; this table shows each "
        f"target separately. To measure a single target, use {'' if is_folded else 'a cell with targets = 1 or '}a "
        "separate run."
    )
    table = shown_table(target_table(shares, found.run.header.targets), found.invalid)
    if not is_folded:
        return Chapter(*TARGETS, (answer, table))
    folded = Folded(f"Results by target ({len(table.lines)} rows)", (table,), on_paper=len(table.lines) <= ON_PAPER_MAX)
    return Chapter(*TARGETS, (answer, folded))
