"""What stands on the page, as data: the templates only lay it out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import RunEstimates, estimate_run
from iosonde.analysis.targets import estimate_targets
from iosonde.charts.baseline import baseline_percentiles
from iosonde.charts.block_sizes import block_size_bandwidth, block_size_iops, block_size_latency
from iosonde.charts.depths import queue_depth_iops, queue_depth_latency
from iosonde.charts.figure import Figure
from iosonde.charts.matrix import matrix_iops, matrix_latency
from iosonde.charts.mix import mix_iops, mix_latency
from iosonde.charts.tail import tail_percentiles
from iosonde.charts.trade_off import throughput_latency
from iosonde.findings.model import Finding, gravest_first
from iosonde.records import CellRecord, CellTurn, Experiment, RunRecord
from iosonde.report.brand import Brand, brands_of
from iosonde.report.definitions import DEFINITIONS
from iosonde.report.facts import FactGroup, fact_groups, identity_text, span_text, targets_text
from iosonde.report.headline import Headline, headline_of
from iosonde.report.result_tables import ResultTable, experiment_tables, tail_range_table
from iosonde.report.sentences import experiment_sentence, knee_sentence
from iosonde.report.target_table import target_table

TITLES: Final = {
    Experiment.BASELINE: "Zero-queue baseline",
    Experiment.BLOCK_SIZE: "Block-size sweep",
    Experiment.MIX: "Read/write mix",
    Experiment.QUEUE_DEPTH: "Queue-depth sweep",
    Experiment.TAIL: "Tail latency",
    Experiment.MATRIX: "Matrix",
    Experiment.PROBE: "Probe",
}
_FIGURES: Final[dict[Experiment, tuple[Callable[[Sequence[CellEstimate]], Figure], ...]]] = {
    Experiment.BASELINE: (baseline_percentiles,),
    Experiment.BLOCK_SIZE: (block_size_iops, block_size_bandwidth, block_size_latency),
    Experiment.MIX: (mix_iops, mix_latency),
    Experiment.QUEUE_DEPTH: (queue_depth_iops, queue_depth_latency),
    Experiment.TAIL: (tail_percentiles,),
    Experiment.MATRIX: (matrix_iops, matrix_latency),
}


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
    identity: str
    span: str
    created_at: str
    version: str
    repeats: int
    brands: tuple[Brand, ...]
    headline: Headline
    findings: tuple[Finding, ...]
    trade_off: Figure | None
    knees: tuple[str, ...]
    sections: tuple[Section, ...]
    facts: tuple[FactGroup, ...]
    turns: tuple[Turn, ...]
    definitions: tuple[tuple[str, str], ...]

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Every chart of the page, from top to bottom."""
        first = () if self.trade_off is None else (self.trade_off,)
        return (*first, *(figure for section in self.sections for figure in section.figures))


def page_of(run: RunRecord, findings: Sequence[Finding]) -> Page:
    """The page of a run."""
    estimates = estimate_run(run)
    header = run.header
    headline = headline_of(estimates, findings)
    swept = estimates.of(Experiment.QUEUE_DEPTH)
    return Page(
        run=header.run,
        target=targets_text(header),
        identity="; ".join(identity_text(target) for target in header.targets),
        span=span_text(header),
        created_at=header.created_at,
        version=header.iosonde_version,
        repeats=header.plan.repeats,
        brands=brands_of(run),
        headline=headline,
        findings=gravest_first(findings),
        trade_off=throughput_latency(swept, dict(headline.knees)) if swept else None,
        knees=tuple(knee_sentence(direction, knee) for direction, knee in headline.knees),
        sections=(*_sections(estimates), *_target_section(run)),
        facts=fact_groups(run),
        turns=_turns(run),
        definitions=DEFINITIONS,
    )


def _sections(estimates: RunEstimates) -> tuple[Section, ...]:
    return tuple(
        Section(
            id=experiment.value.replace("_", "-"),
            title=title,
            sentence=experiment_sentence(experiment, estimates),
            figures=tuple(draw(cells) for draw in _FIGURES.get(experiment, ())),
            tables=_tables(experiment, cells),
        )
        for experiment, title in TITLES.items()
        if (cells := estimates.of(experiment))
    )


def _target_section(run: RunRecord) -> tuple[Section, ...]:
    """What each target gave, where several were measured at the same time."""
    estimates = estimate_targets(run.cells)
    if not estimates:
        return ()
    return (
        Section(
            id="targets",
            title="Each target by itself",
            sentence="Several targets were measured at the same time; the figures above are sums over them.",
            figures=(),
            tables=(target_table(estimates, run.header.targets),),
        ),
    )


def _tables(experiment: Experiment, cells: Sequence[CellEstimate]) -> tuple[ResultTable, ...]:
    tables = [*experiment_tables(experiment, cells)]
    if experiment is Experiment.TAIL:
        tables.append(tail_range_table(cells))
    return tuple(tables)


def _turns(run: RunRecord) -> tuple[Turn, ...]:
    """The planned order with how each measurement ended, or the records' own order where there is no plan."""
    ended = {(record.cell, record.repeat): str(record.outcome) for record in run.cells}
    turns: Sequence[CellTurn | CellRecord] = run.header.plan.turns or run.cells
    return tuple(
        Turn(each.order, each.cell, each.repeat, each.seed, ended.get((each.cell, each.repeat), "not measured"))
        for each in sorted(turns, key=lambda each: each.order)
    )
