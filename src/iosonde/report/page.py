"""What stands on the page, as data: the templates only lay it out."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from altair.utils.schemapi import debug_mode

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import RunEstimates, estimate_run
from iosonde.analysis.targets import estimate_targets
from iosonde.charts.baseline import baseline_percentiles
from iosonde.charts.block_sizes import block_size_bandwidth, block_size_iops, block_size_latency
from iosonde.charts.consistency import run_consistency
from iosonde.charts.depth_percentiles import queue_depth_percentiles
from iosonde.charts.depths import queue_depth_iops, queue_depth_latency
from iosonde.charts.figure import Figure
from iosonde.charts.heat_map import latency_heat_map
from iosonde.charts.matrix import matrix_figures
from iosonde.charts.mix import mix_bandwidth, mix_iops, mix_latency
from iosonde.charts.tail import tail_percentiles
from iosonde.charts.tail_bars import tail_bars
from iosonde.charts.trade_off import throughput_latency
from iosonde.findings.model import Finding, gravest_first
from iosonde.records import CellRecord, CellTurn, Experiment, Outcome, RunRecord
from iosonde.report.answers import answers_of
from iosonde.report.brand import Brand, brands_of
from iosonde.report.definitions import DEFINITIONS
from iosonde.report.facts import FactGroup, fact_groups, identity_text, span_text, targets_text
from iosonde.report.headline import Headline, headline_of
from iosonde.report.knee_words import knee_table, scaling_table, swept_sentences
from iosonde.report.pace_table import pace_table
from iosonde.report.percentile_tables import percentile_interval_table, tail_range_table
from iosonde.report.result_tables import ResultTable, experiment_tables, relative_table
from iosonde.report.sentences import course_sentence, experiment_sentence
from iosonde.report.target_table import target_table
from iosonde.report.titles import TITLES

_Draw = Callable[[Sequence[CellEstimate]], tuple[Figure, ...]]

_FIGURES: Final[dict[Experiment, tuple[tuple[_Draw, ...], ...]]] = {
    Experiment.BASELINE: ((baseline_percentiles,),),
    Experiment.BLOCK_SIZE: ((block_size_iops, block_size_bandwidth, block_size_latency),),
    Experiment.MIX: ((mix_iops, mix_bandwidth, mix_latency),),
    Experiment.QUEUE_DEPTH: ((queue_depth_iops, queue_depth_latency), (queue_depth_percentiles,)),
    Experiment.TAIL: ((tail_percentiles, tail_bars),),
    Experiment.MATRIX: ((matrix_figures,),),
}
"""What an experiment is drawn as. Those in one group show the same lines in other quantities, and stand together."""


@dataclass(frozen=True)
class Section:
    """One experiment on the page: its answer in words, its charts, its tables."""

    id: str
    title: str
    sentence: str
    figures: tuple[Figure, ...]
    tables: tuple[ResultTable, ...]


@dataclass(frozen=True)
class Turn:
    """One measurement in the order in which it was made."""

    order: int
    cell: str
    repeat: int
    seed: int
    outcome: str


@dataclass(frozen=True)
class Page:
    """Everything that the page says."""

    run: str
    target: str
    targets: tuple[str, ...]
    identity: str
    span: str
    created_at: str
    version: str
    repeats: str
    brands: tuple[Brand, ...]
    answers: tuple[str, ...]
    headline: Headline
    findings: tuple[Finding, ...]
    picture: Figure | None
    sections: tuple[Section, ...]
    facts: tuple[FactGroup, ...]
    turns: tuple[Turn, ...]
    definitions: tuple[tuple[str, str], ...]

    @property
    def subject(self) -> str:
        """What a picture that goes its own way has to say of where it comes from."""
        return f"{self.target}, span {self.span}, run {self.run}, iosonde {self.version}"

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Every chart of the page, from top to bottom."""
        first = () if self.picture is None else (self.picture,)
        return (*first, *(figure for section in self.sections for figure in section.figures))


def page_of(run: RunRecord, findings: Sequence[Finding]) -> Page:
    """The page of a run."""
    # Every chart is checked against Vega-Lite's schema in the tests; here the checks would cost half a second.
    with debug_mode(arg=False):
        return _page_of(run, findings)


def _page_of(run: RunRecord, findings: Sequence[Finding]) -> Page:
    estimates = estimate_run(run)
    header = run.header
    headline = headline_of(estimates, findings)
    picture, *pictures = throughput_latency(estimates.closed_loops.sweeps) or (None,)
    return Page(
        run=header.run,
        target=targets_text(header),
        targets=tuple(target.path or target.kind for target in header.targets),
        identity="; ".join(identity_text(target) for target in header.targets),
        span=span_text(header),
        created_at=header.created_at,
        version=header.iosonde_version,
        repeats=_repeats_text(run),
        brands=brands_of(run),
        answers=answers_of(estimates, headline, findings),
        headline=headline,
        findings=gravest_first(findings),
        picture=picture,
        sections=(*_sections(estimates, headline, pictures), *_course_section(run, estimates), *_target_section(run)),
        facts=fact_groups(run),
        turns=_turns(run),
        definitions=DEFINITIONS,
    )


def _repeats_text(run: RunRecord) -> str:
    """How many repeats figures come from; with an aim, from the cell with the fewest to that with the most."""
    plan = run.header.plan
    if plan.aim is None:
        return str(plan.repeats)
    counts = Counter(record.cell for record in run.cells if record.outcome is Outcome.FINISHED).values()
    least, most = min(counts, default=0), max(counts, default=0)
    return str(most) if least == most else f"{least} to {most}"


def _sections(estimates: RunEstimates, headline: Headline, pictures: Sequence[Figure]) -> tuple[Section, ...]:
    """A section for each experiment; ``pictures`` are those of sweeps that one picture has no room for."""
    swept = Experiment.QUEUE_DEPTH if estimates.of(Experiment.QUEUE_DEPTH) else Experiment.MATRIX
    return tuple(
        Section(
            id=experiment.value.replace("_", "-"),
            title=title,
            sentence=_sentence(experiment, estimates, headline),
            figures=(*(pictures if experiment is swept else ()), *_figures(experiment, cells)),
            tables=_tables(experiment, cells, headline),
        )
        for experiment, title in TITLES.items()
        if (cells := estimates.of(experiment))
    )


def _figures(experiment: Experiment, cells: Sequence[CellEstimate]) -> Iterator[Figure]:
    """The charts of an experiment, all quantities of some lines before the next lines."""
    for group in _FIGURES.get(experiment, ()):
        for figures in zip_longest(*(draw(cells) for draw in group)):
            yield from (figure for figure in figures if figure is not None)


def _sentence(experiment: Experiment, estimates: RunEstimates, headline: Headline) -> str:
    """The answer of an experiment; that of a sweep begins with its knees."""
    answer = experiment_sentence(experiment, estimates)
    if experiment is not Experiment.QUEUE_DEPTH:
        return answer
    return " ".join([*swept_sentences(headline.knees), answer])


def _course_section(run: RunRecord, estimates: RunEstimates) -> tuple[Section, ...]:
    """How the target behaved over the time of the run, and latency over time where the tail was the question."""
    shown = [*estimates.of(Experiment.TAIL), *estimates.of(Experiment.PROBE)]
    figures = (run_consistency(run.cells), *(latency_heat_map(cell, run.cells) for cell in shown))
    drawn = tuple(figure for figure in figures if figure.chart is not None)
    if not drawn:
        return ()
    return (
        Section(
            id="course",
            title="Over the time of the run",
            sentence=course_sentence(run.cells),
            figures=drawn,
            tables=(),
        ),
    )


def _target_section(run: RunRecord) -> tuple[Section, ...]:
    """What each target gave, where several were measured at the same time."""
    planned = {cell.cell: number for number, cell in enumerate(run.header.plan.cells)}
    estimates = sorted(estimate_targets(run.cells), key=lambda each: planned.get(each.cell, len(planned)))
    if not estimates:
        return ()
    return (
        Section(
            id="targets",
            title="The share of each target",
            sentence=(
                "Several targets were measured at the same time; the figures above are sums over them, and these are "
                "what each gave meanwhile. What one reaches alone is another cell (targets = 1), or another run."
            ),
            figures=(),
            tables=(target_table(estimates, run.header.targets),),
        ),
    )


def _tables(experiment: Experiment, cells: Sequence[CellEstimate], headline: Headline) -> tuple[ResultTable, ...]:
    tables = [*experiment_tables(experiment, cells)]
    beside = (percentile_interval_table(experiment, cells), pace_table(cells))
    tables.extend(table for table in beside if table is not None)
    if experiment is Experiment.TAIL:
        tables.append(tail_range_table(cells))
    if experiment is Experiment.QUEUE_DEPTH:
        tables.append(relative_table(cells))
        told = (knee_table(headline.knees), scaling_table(headline.knees))
        tables.extend(table for table in told if table is not None)
    return tuple(tables)


def _turns(run: RunRecord) -> tuple[Turn, ...]:
    """The planned order with how each measurement ended, or the records' own order where there is no plan."""
    ended = {(record.cell, record.repeat): str(record.outcome) for record in run.cells}
    turns: Sequence[CellTurn | CellRecord] = run.turns or run.cells
    return tuple(
        Turn(each.order, each.cell, each.repeat, each.seed, ended.get((each.cell, each.repeat), "not measured"))
        for each in sorted(turns, key=lambda each: each.order)
    )
