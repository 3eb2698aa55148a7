"""The chapter of an experiment: its answer in words, its charts, its tables. A part that fails costs its own place."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.charts.baseline import baseline_percentiles
from iosonde.charts.block_sizes import block_size_bandwidth, block_size_iops, block_size_latency
from iosonde.charts.depth_percentiles import queue_depth_percentiles
from iosonde.charts.depths import queue_depth_iops, queue_depth_latency
from iosonde.charts.figure import Figure
from iosonde.charts.matrix import matrix_charts
from iosonde.charts.mix import mix_bandwidth, mix_iops, mix_latency
from iosonde.charts.tail import tail_percentiles
from iosonde.charts.tail_bars import tail_bars
from iosonde.failures import FailureLog, PartFailure
from iosonde.records import Experiment
from iosonde.report.blocks import Chapter, Charts, Paragraph, notices
from iosonde.report.evaluated import EvaluatedRun
from iosonde.report.knee_words import knee_table, scaling_table, swept_sentences
from iosonde.report.made_charts import made_figures
from iosonde.report.pace_table import pace_table
from iosonde.report.percentile_tables import percentile_interval_table, tail_range_table
from iosonde.report.relative_table import relative_table
from iosonde.report.result_tables import experiment_tables
from iosonde.report.sentences import experiment_sentence
from iosonde.report.tables import ResultTable
from iosonde.report.titles import TITLES, experiment_heading
from iosonde.report.validity import Invalid, marked

Draw = Callable[[Sequence[CellEstimate]], tuple[Figure, ...]]

_FIGURES: Final[dict[Experiment, tuple[tuple[Draw, ...], ...]]] = {
    Experiment.BASELINE: ((baseline_percentiles,),),
    Experiment.BLOCK_SIZE: ((block_size_iops, block_size_bandwidth, block_size_latency),),
    Experiment.MIX: ((mix_iops, mix_bandwidth, mix_latency),),
    Experiment.QUEUE_DEPTH: ((queue_depth_iops, queue_depth_latency), (queue_depth_percentiles,)),
    Experiment.TAIL: ((tail_percentiles, tail_bars),),
}
"""What an experiment is drawn as. Those in one group show the same lines in other quantities, and stand together."""


def experiment_chapter(
    experiment: Experiment, found: EvaluatedRun, more: Sequence[Figure], failures: FailureLog
) -> Chapter:
    """The chapter of an experiment. ``more`` are charts of its sweeps that stand before its own."""
    heading = experiment_heading(experiment)
    failed: list[str] = []
    answer = told(heading.title, lambda: _sentence(experiment, found), failures, failed)
    figures = tuple(_figures(experiment, found, failures))
    tables = tuple(_tables(experiment, found, failures, failed))
    return Chapter(*heading, (*answer, *notices(failed), Charts((*more, *figures)), *tables))


def told(title: str, make: Callable[[], str], failures: FailureLog, failed: list[str]) -> tuple[Paragraph, ...]:
    """The answer of a chapter in words; what stands in the place of one that fails is added to ``failed``."""

    def instead(failure: PartFailure) -> str:
        failed.append(failure.sentence)
        return ""

    sentence = failures.attempt(f'the sentence of "{title}"', make, instead)
    return (Paragraph(sentence),) if sentence else ()


def shown_table(table: ResultTable, invalid: Invalid) -> ResultTable:
    """A table as the report shows it: with what is invalid marked, and why values are missing."""
    return marked(table, invalid).explained


def _figures(experiment: Experiment, found: EvaluatedRun, failures: FailureLog) -> Iterator[Figure]:
    """The charts of an experiment, all quantities of some lines before the next lines."""
    cells = found.cells(experiment)
    for group in _draws(experiment, cells):
        for figures in zip_longest(*(_drawn(draw, cells, found.invalid, failures) for draw in group)):
            yield from (figure for figure in figures if figure is not None)


def _draws(experiment: Experiment, cells: Sequence[CellEstimate]) -> tuple[tuple[Draw, ...], ...]:
    return (
        tuple((draw,) for draw in matrix_charts(cells))
        if experiment is Experiment.MATRIX
        else _FIGURES.get(experiment, ())
    )


def _drawn(draw: Draw, cells: Sequence[CellEstimate], invalid: Invalid, failures: FailureLog) -> tuple[Figure, ...]:
    """The charts of some cells; those that fail are named after what draws them."""
    identity = draw.__name__.replace("_", "-")
    return made_figures(identity, identity.replace("-", " ").capitalize(), lambda: draw(cells), invalid, failures)


def _sentence(experiment: Experiment, found: EvaluatedRun) -> str:
    """The answer of an experiment; that of a sweep begins with its knees."""
    answer = experiment_sentence(experiment, found.estimates, found.invalid)
    if experiment is not Experiment.QUEUE_DEPTH:
        return answer
    headline = found.headline
    return " ".join([*swept_sentences(headline.knees), *filter(None, [headline.knees_invalid]), answer])


def _tables(
    experiment: Experiment, found: EvaluatedRun, failures: FailureLog, failed: list[str]
) -> Iterator[ResultTable]:
    """The tables of an experiment; what stands in the place of one that fails is added to ``failed``."""
    cells = found.cells(experiment)
    makers: list[tuple[str, Callable[[], Sequence[ResultTable | None]]]] = [
        ("figures", lambda: experiment_tables(experiment, cells)),
        ("intervals of percentiles", lambda: [percentile_interval_table(experiment, cells)]),
        ("rates", lambda: [pace_table(cells)]),
    ]
    if experiment is Experiment.TAIL:
        makers.append(("the repeats' percentiles", lambda: [tail_range_table(cells)]))
    if experiment is Experiment.QUEUE_DEPTH:
        makers += [
            ("multiples of the first depth", lambda: [relative_table(cells)]),
            ("the knee", lambda: [knee_table(found.headline.knees)]),
            ("bounds and the law", lambda: [scaling_table(found.headline.knees)]),
        ]

    def instead(failure: PartFailure) -> Sequence[ResultTable]:
        failed.append(failure.sentence)
        return ()

    for name, make in makers:
        shown = partial(_shown, make, found.invalid)
        yield from failures.attempt(f'the table of {name} in "{TITLES[experiment]}"', shown, instead)


def _shown(make: Callable[[], Sequence[ResultTable | None]], invalid: Invalid) -> Sequence[ResultTable]:
    return [shown_table(table, invalid) for table in make() if table is not None]
