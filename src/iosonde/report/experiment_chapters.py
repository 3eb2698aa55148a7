"""The chapter of an experiment: its answer in words, its charts and its tables. A notice replaces a part that fails."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import ExperimentCells, RunEstimates
from iosonde.analysis.families import Along
from iosonde.charts.baseline import baseline_percentiles
from iosonde.charts.block_sizes import block_size_bandwidth, block_size_iops, block_size_latency
from iosonde.charts.depth_percentiles import queue_depth_percentiles
from iosonde.charts.depths import queue_depth_iops, queue_depth_latency
from iosonde.charts.figure import Figure
from iosonde.charts.limit_lines import with_limits
from iosonde.charts.matrix import matrix_charts
from iosonde.charts.mix import mix_bandwidth, mix_iops, mix_latency
from iosonde.charts.tail import tail_percentiles
from iosonde.charts.tail_bars import tail_bars
from iosonde.failures import FailureLog, PartFailure
from iosonde.records import Experiment
from iosonde.report.block_size_words import block_size_sentences, block_size_table
from iosonde.report.blocks import Chapter, Charts, Folded, Paragraph, notices
from iosonde.report.depth_tail_words import depth_tail_sentences, depth_tail_table
from iosonde.report.dip_words import dip_sentence
from iosonde.report.evaluated_run import EvaluatedRun
from iosonde.report.experiment_table import experiment_table
from iosonde.report.growth_table import growth_tables
from iosonde.report.growth_words import depth_growth_sentences, size_growth_sentences
from iosonde.report.headline_figures import SweptKnee
from iosonde.report.knee_words import knee_table, scaling_table, swept_scalings, swept_sentences
from iosonde.report.made_charts import made_figures
from iosonde.report.marks import invalid_below
from iosonde.report.mix_words import interference_sentences, interference_table, within_mix_sentences
from iosonde.report.pace_table import pace_table
from iosonde.report.percentile_tables import percentile_interval_table, tail_range_table
from iosonde.report.power_table import power_table
from iosonde.report.region_words import region_sentences
from iosonde.report.result_tables import experiment_tables
from iosonde.report.sentences import experiment_sentence
from iosonde.report.signs import INVALID
from iosonde.report.tables import ResultTable
from iosonde.report.tail_cause_words import tail_cause_sentences, tail_cause_table
from iosonde.report.titles import Heading
from iosonde.report.validity import Invalid, marked

_Maker = tuple[str, Callable[[], Sequence[ResultTable | None]]]
Draw = Callable[[Sequence[CellEstimate]], tuple[Figure, ...]]

PARAGRAPHS: Final = "\n\n"
"""What separates the paragraphs of an answer."""

DEPTH_KINDS: Final = frozenset({Experiment.QUEUE_DEPTH, Experiment.TAIL, Experiment.MATRIX})
"""The experiments in which the tail is compared between queue depths."""

_FIGURES: Final[dict[Experiment, tuple[tuple[Draw, ...], ...]]] = {
    Experiment.BASELINE: ((baseline_percentiles,),),
    Experiment.BLOCK_SIZE: ((block_size_iops, block_size_bandwidth, block_size_latency),),
    Experiment.MIX: ((mix_iops, mix_bandwidth, mix_latency),),
    Experiment.QUEUE_DEPTH: ((queue_depth_iops, queue_depth_latency), (queue_depth_percentiles,)),
    Experiment.TAIL: ((tail_percentiles, tail_bars),),
}
"""The charts of each experiment. The charts of a group show the same lines in different quantities, side by side."""


def experiment_chapter(
    heading: Heading, experiment: ExperimentCells, found: EvaluatedRun, more: Sequence[Figure], failures: FailureLog
) -> Chapter:
    """The chapter of an experiment: its answer, its charts, a short table, and the other tables in one fold.

    ``more`` are trade-off charts of its sweeps, placed before its own charts.
    """
    failed: list[str] = []
    knees = knees_of(experiment, found.headline.knees)
    answer = told(heading.title, lambda: _sentence(experiment, knees, found), failures, failed)
    figures = numbered(heading, (*more, *_figures(experiment, found, failures)))
    short = tuple(_attempted(heading, [("results", partial(_short, experiment, found))], found, failures, failed))
    tables = tuple(_attempted(heading, _makers(experiment, knees, found.estimates), found, failures, failed))
    scaling = told(heading.title, lambda: _scaling(experiment, knees, found), failures, failed)
    folded = (Folded(_summary(tables), (*scaling, *tables)),) if tables else ()
    return Chapter(*heading, (*answer, *notices(failed), Charts(figures), *short, *folded))


def numbered(heading: Heading, figures: Sequence[Figure]) -> tuple[Figure, ...]:
    """The charts with unique ids, if another experiment of the same kind has the same charts."""
    number = heading.id.rpartition("-")[2]
    return tuple(replace(each, id=f"{each.id}-{number}") for each in figures) if number.isdigit() else tuple(figures)


def knees_of(experiment: ExperimentCells, knees: Sequence[SweptKnee]) -> tuple[SweptKnee, ...]:
    """The knees of an experiment's own sweeps."""
    held = {cell.cell for cell in experiment.cells}
    return tuple(each for each in knees if held.issuperset(cell.cell for cell in each.sweep.cells))


def told(title: str, make: Callable[[], str], failures: FailureLog, failed: list[str]) -> tuple[Paragraph, ...]:
    """The answer of a chapter as paragraphs. If it fails, its notice is added to ``failed``."""

    def instead(failure: PartFailure) -> str:
        failed.append(failure.sentence)
        return ""

    sentence = failures.attempt(f'the text of "{title}"', make, instead)
    return tuple(Paragraph(part) for part in sentence.split(PARAGRAPHS) if part)


def shown_table(table: ResultTable, invalid: Invalid) -> ResultTable:
    """A table as the report shows it: invalid rows marked, missing values explained."""
    return marked(table, invalid, INVALID).explained


def _figures(experiment: ExperimentCells, found: EvaluatedRun, failures: FailureLog) -> Iterator[Figure]:
    """The charts of an experiment: all quantities of one set of lines, then of the next set."""
    for group in _draws(experiment.kind, experiment.cells):
        for figures in zip_longest(*(_drawn(draw, experiment.cells, found, failures) for draw in group)):
            yield from (figure for figure in figures if figure is not None)


def _draws(experiment: Experiment, cells: Sequence[CellEstimate]) -> tuple[tuple[Draw, ...], ...]:
    return (
        tuple((draw,) for draw in matrix_charts(cells))
        if experiment is Experiment.MATRIX
        else _FIGURES.get(experiment, ())
    )


def _drawn(draw: Draw, cells: Sequence[CellEstimate], found: EvaluatedRun, failures: FailureLog) -> tuple[Figure, ...]:
    """The charts of some cells. A failed chart is named after the function that draws it."""
    identity = draw.__name__.replace("_", "-")
    title = identity.replace("-", " ").capitalize()

    def drawn() -> tuple[Figure, ...]:
        return tuple(with_limits(figure, found.limits) for figure in draw(cells))

    return made_figures(identity, title, drawn, found.invalid, failures)


def _sentence(experiment: ExperimentCells, knees: Sequence[SweptKnee], found: EvaluatedRun) -> str:
    """The answer of an experiment in paragraphs. The answer of a queue-depth sweep begins with its knees."""
    kind, valid = experiment.kind, [cell for cell in experiment.cells if cell.cell not in found.invalid]
    answer = experiment_sentence(kind, RunEstimates(experiment.cells), found.invalid)
    if kind is Experiment.QUEUE_DEPTH:
        doubts = filter(None, [invalid_below(knees, found.findings)])
        growth = depth_growth_sentences(knees, found.invalid)
        answer = " ".join([*swept_sentences(knees), *doubts, *growth, answer])
    parts = [answer]
    if kind is Experiment.BLOCK_SIZE:
        dips = filter(None, [dip_sentence(valid, Along.BLOCK_SIZE)])
        within = within_mix_sentences(valid)
        parts.append(" ".join([*block_size_sentences(valid), *size_growth_sentences(valid), *within, *dips]))
    if kind in {Experiment.MIX, Experiment.MATRIX}:
        every = [cell for cell in found.estimates.cells if cell.cell not in found.invalid]
        parts.append(" ".join(interference_sentences(valid, every)))
    if kind is Experiment.MATRIX:
        parts.append(" ".join(region_sentences(valid)))
    if kind in DEPTH_KINDS:
        within = within_mix_sentences(valid) if kind is Experiment.QUEUE_DEPTH else []
        parts.append(" ".join([*depth_tail_sentences(valid), *_depth_bounds(valid, found), *within]))
    if kind is Experiment.TAIL:
        parts.append(" ".join(tail_cause_sentences(valid)))
    return PARAGRAPHS.join(parts)


def _scaling(experiment: ExperimentCells, knees: Sequence[SweptKnee], found: EvaluatedRun) -> str:
    """The bounds and the scaling law of a sweep over queue depths, and whether it has a dip; empty for others."""
    if experiment.kind is not Experiment.QUEUE_DEPTH:
        return ""
    valid = [cell for cell in experiment.cells if cell.cell not in found.invalid]
    return " ".join(filter(None, [*swept_scalings(knees), dip_sentence(valid, Along.DEPTH)]))


def _depth_bounds(valid: Sequence[CellEstimate], found: EvaluatedRun) -> list[str]:
    if found.checked is None:
        return []
    # Imported here: few reports have expected values, and their files' schema takes long to load.
    from iosonde.report.depth_bound_words import depth_bound_sentences

    return depth_bound_sentences(valid, found.checked)


def _short(experiment: ExperimentCells, found: EvaluatedRun) -> list[ResultTable]:
    knees = {
        cell.cell
        for each in knees_of(experiment, found.headline.knees)
        for cell in each.sweep.cells
        if each.knee.point is not None and cell.queue_depth_asked == each.knee.point.queue_depth
    }
    return [
        experiment_table(experiment.kind, experiment.cells, found.aim_ended, deviations=found.deviations, named=knees)
    ]


def _makers(experiment: ExperimentCells, knees: Sequence[SweptKnee], whole: RunEstimates) -> list[_Maker]:
    """The name and the maker of each folded table."""
    kind, cells = experiment.kind, experiment.cells
    makers: list[_Maker] = [
        ("results", lambda: experiment_tables(kind, cells)),
        ("confidence intervals of percentiles", lambda: [percentile_interval_table(kind, cells)]),
        ("rates", lambda: [pace_table(cells)]),
        ("power", lambda: [power_table(cells)]),
    ]
    if kind in {Experiment.BLOCK_SIZE, Experiment.MATRIX}:
        makers.append(("the regions of block size", lambda: [block_size_table(cells)]))
    makers.append(("mixes and their pure workloads", lambda: [interference_table(cells, whole.cells)]))
    makers.append(("results relative to the first row", lambda: growth_tables(kind, cells)))
    if kind in DEPTH_KINDS:
        makers.append(("percentiles by queue depth", lambda: [depth_tail_table(cells)]))
    if kind is Experiment.TAIL:
        makers += [
            ("percentiles per repeat", lambda: [tail_range_table(cells)]),
            ("causes of the slowest operations", lambda: [tail_cause_table(cells)]),
        ]
    if kind is Experiment.QUEUE_DEPTH:
        makers += [
            ("the knee", lambda: [knee_table(knees)]),
            ("bounds and scaling", lambda: [scaling_table(knees)]),
        ]
    return makers


def _summary(tables: Sequence[ResultTable]) -> str:
    """The label of the fold: the number of rows and what they contain."""
    number = len(tables[0].lines)
    rows = f"{number:,} rows" if number > 1 else "1 row"
    return f"Full table ({rows}): confidence intervals, more percentiles, discarded repeats, CPU"


def _attempted(
    heading: Heading, makers: Sequence[_Maker], found: EvaluatedRun, failures: FailureLog, failed: list[str]
) -> Iterator[ResultTable]:
    """Tables as the report shows them. If one fails, its notice is added to ``failed``."""

    def instead(failure: PartFailure) -> Sequence[ResultTable]:
        failed.append(failure.sentence)
        return ()

    for name, make in makers:
        shown = partial(_shown, make, found.invalid)
        yield from failures.attempt(f'the table of {name} in "{heading.title}"', shown, instead)


def _shown(make: Callable[[], Sequence[ResultTable | None]], invalid: Invalid) -> Sequence[ResultTable]:
    return [shown_table(table, invalid) for table in make() if table is not None]
