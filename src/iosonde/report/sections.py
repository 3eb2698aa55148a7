"""The sections of a page: what each experiment answers, draws and tables. A part that fails costs its own place."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import RunEstimates
from iosonde.analysis.targets import estimate_targets
from iosonde.charts.baseline import baseline_percentiles
from iosonde.charts.block_sizes import block_size_bandwidth, block_size_iops, block_size_latency
from iosonde.charts.consistency import CONSISTENCY_TITLE, run_consistency
from iosonde.charts.depth_percentiles import queue_depth_percentiles
from iosonde.charts.depths import queue_depth_iops, queue_depth_latency
from iosonde.charts.figure import Figure
from iosonde.charts.heat_map import latency_heat_map
from iosonde.charts.matrix import matrix_charts
from iosonde.charts.mix import mix_bandwidth, mix_iops, mix_latency
from iosonde.charts.tail import tail_percentiles
from iosonde.charts.tail_bars import tail_bars
from iosonde.failures import FailureLog, PartFailure
from iosonde.records import Experiment, RunRecord
from iosonde.report.crossed import crossed
from iosonde.report.headline_figures import Headline
from iosonde.report.knee_words import knee_table, scaling_table, swept_sentences
from iosonde.report.pace_table import pace_table
from iosonde.report.percentile_tables import percentile_interval_table, tail_range_table
from iosonde.report.result_tables import ResultTable, experiment_tables, relative_table
from iosonde.report.sentences import course_sentence, experiment_sentence
from iosonde.report.target_table import target_table
from iosonde.report.titles import TITLES
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


@dataclass(frozen=True)
class Section:
    """One experiment on the page: its answer in words, its charts, its tables.

    ``failures`` stand in the place of a sentence or tables that could not be made; a chart holds its own.
    """

    id: str
    title: str
    sentence: str
    figures: tuple[Figure, ...]
    tables: tuple[ResultTable, ...]
    failures: tuple[str, ...] = ()


@dataclass(frozen=True)
class Told:
    """What sections tell of: a run, its figures, and which of them are invalid.

    ``pictures`` are those of sweeps that the picture above all sections has no room for.
    """

    run: RunRecord
    estimates: RunEstimates
    headline: Headline
    invalid: Invalid
    pictures: tuple[Figure, ...] = ()

    def cells(self, experiment: Experiment) -> tuple[CellEstimate, ...]:
        """The cells of an experiment."""
        return self.estimates.of(experiment)

    @property
    def swept(self) -> Experiment:
        """The experiment whose depths the pictures show."""
        return Experiment.QUEUE_DEPTH if self.cells(Experiment.QUEUE_DEPTH) else Experiment.MATRIX


def sections_of(told: Told, failures: FailureLog) -> tuple[Section, ...]:
    """All sections in the page's order: experiments, the course of the run, what each of several targets gave."""
    makers: list[tuple[str, str, Callable[[], Section | None]]] = [
        (experiment.value.replace("_", "-"), title, _experiment(experiment, told, failures))
        for experiment, title in TITLES.items()
        if told.cells(experiment)
    ]
    makers += [
        ("course", COURSE_TITLE, lambda: _course(told, failures)),
        ("targets", TARGETS_TITLE, lambda: _targets(told)),
    ]
    sections = (_made_section(identity, title, make, failures) for identity, title, make in makers)
    return tuple(section for section in sections if section is not None)


def _made_section(
    identity: str, title: str, make: Callable[[], Section | None], failures: FailureLog
) -> Section | None:
    return failures.attempt(
        f'the section "{title}"', make, lambda failure: Section(identity, title, "", (), (), (failure.sentence,))
    )


def made_figures(
    identity: str, title: str, draw: Callable[[], tuple[Figure, ...]], invalid: Invalid, failures: FailureLog
) -> tuple[Figure, ...]:
    """Charts as the page shows them; what stands in their place where they could not be drawn at all."""
    found = failures.attempt(
        f'the chart "{title}"', draw, lambda failure: (Figure.failed(identity, title, failure.sentence),)
    )
    return tuple(made_figure(each.id, each.title, partial(_same, each), invalid, failures) for each in found)


def _same(figure: Figure) -> Figure:
    return figure


def made_figure(
    identity: str, title: str, draw: Callable[[], Figure], invalid: Invalid, failures: FailureLog
) -> Figure:
    """A chart with what is invalid crossed out, known to be JSON or, where it fails, what stands in its place."""

    def drawn() -> Figure:
        figure = crossed(draw(), invalid)
        if figure.chart is not None:
            # Made here, where it costs one chart, and kept for whoever writes it.
            _ = figure.specification_json
        return figure

    return failures.attempt(
        f'the chart "{title}"', drawn, lambda failure: Figure.failed(identity, title, failure.sentence)
    )


def _experiment(experiment: Experiment, told: Told, failures: FailureLog) -> Callable[[], Section]:
    def make() -> Section:
        title = TITLES[experiment]
        failed: list[str] = []
        return Section(
            id=experiment.value.replace("_", "-"),
            title=title,
            sentence=_told(title, lambda: _sentence(experiment, told), failures, failed),
            figures=(*(told.pictures if experiment is told.swept else ()), *_figures(experiment, told, failures)),
            tables=tuple(_tables(experiment, told, failures, failed)),
            failures=tuple(failed),
        )

    return make


def _figures(experiment: Experiment, told: Told, failures: FailureLog) -> Iterator[Figure]:
    """The charts of an experiment, all quantities of some lines before the next lines."""
    cells = told.cells(experiment)
    for group in _draws(experiment, cells):
        for figures in zip_longest(*(_drawn(draw, cells, told.invalid, failures) for draw in group)):
            yield from (figure for figure in figures if figure is not None)


def _draws(experiment: Experiment, cells: Sequence[CellEstimate]) -> tuple[tuple[Draw, ...], ...]:
    return (matrix_charts(cells),) if experiment is Experiment.MATRIX else _FIGURES.get(experiment, ())


def _drawn(draw: Draw, cells: Sequence[CellEstimate], invalid: Invalid, failures: FailureLog) -> tuple[Figure, ...]:
    """The charts of some cells; those that fail are named after what draws them."""
    identity = draw.__name__.replace("_", "-")
    return made_figures(identity, identity.replace("-", " ").capitalize(), lambda: draw(cells), invalid, failures)


def _sentence(experiment: Experiment, told: Told) -> str:
    """The answer of an experiment; that of a sweep begins with its knees."""
    answer = experiment_sentence(experiment, told.estimates, told.invalid)
    if experiment is not Experiment.QUEUE_DEPTH:
        return answer
    return " ".join([*swept_sentences(told.headline.knees), *filter(None, [told.headline.knees_invalid]), answer])


def _told(title: str, make: Callable[[], str], failures: FailureLog, failed: list[str]) -> str:
    """The answer of a section in words; what stands in the place of one that fails is added to ``failed``."""

    def instead(failure: PartFailure) -> str:
        failed.append(failure.sentence)
        return ""

    return failures.attempt(f'the sentence of "{title}"', make, instead)


def _tables(experiment: Experiment, told: Told, failures: FailureLog, failed: list[str]) -> Iterator[ResultTable]:
    """The tables of an experiment; what stands in the place of one that fails is added to ``failed``."""
    cells = told.cells(experiment)
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
            ("the knee", lambda: [knee_table(told.headline.knees)]),
            ("bounds and the law", lambda: [scaling_table(told.headline.knees)]),
        ]

    def instead(failure: PartFailure) -> Sequence[ResultTable]:
        failed.append(failure.sentence)
        return ()

    for name, make in makers:
        shown = partial(_shown, make, told.invalid)
        yield from failures.attempt(f'the table of {name} in "{TITLES[experiment]}"', shown, instead)


def _shown(make: Callable[[], Sequence[ResultTable | None]], invalid: Invalid) -> Sequence[ResultTable]:
    """Tables as the page shows them: with what is invalid marked, and why values are missing."""
    return [marked(table, invalid).explained for table in make() if table is not None]


COURSE_TITLE: Final = "Over the time of the run"


def _course(told: Told, failures: FailureLog) -> Section | None:
    """How the target behaved over the time of the run, and latency over time where the tail was the question."""
    cells = told.run.cells
    shown = [*told.cells(Experiment.TAIL), *told.cells(Experiment.PROBE)]
    figures = (
        made_figure(
            "run-consistency",
            CONSISTENCY_TITLE,
            lambda: run_consistency(cells),
            told.invalid,
            failures,
        ),
        *(_heat_map(cell, told, failures) for cell in shown),
    )
    drawn = tuple(figure for figure in figures if figure.chart is not None or figure.failure)
    if not drawn:
        return None
    failed: list[str] = []
    sentence = _told(COURSE_TITLE, lambda: course_sentence(cells), failures, failed)
    return Section(id="course", title=COURSE_TITLE, sentence=sentence, figures=drawn, tables=(), failures=tuple(failed))


def _heat_map(cell: CellEstimate, told: Told, failures: FailureLog) -> Figure:
    identity, title = f"heat-map-{cell.cell}", f"Latency over time: {cell.cell}"
    return made_figure(identity, title, lambda: latency_heat_map(cell, told.run.cells), told.invalid, failures)


TARGETS_TITLE: Final = "The share of each target"


def _targets(told: Told) -> Section | None:
    """What each target gave, where several were measured at the same time."""
    shares = estimate_targets(told.estimates.cells)
    if not shares:
        return None
    return Section(
        id="targets",
        title=TARGETS_TITLE,
        sentence=(
            "Several targets were measured at the same time; the figures above are sums over them, and these are "
            "what each gave meanwhile. What one reaches alone is another cell (targets = 1), or another run."
        ),
        figures=(),
        tables=(marked(target_table(shares, told.run.header.targets), told.invalid).explained,),
    )
