"""The chapter of a procedure: what was measured, its conditions, its rounds, its steady state and its figures."""

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from iosonde.analysis.procedures import PhaseRounds, ProcedureRounds, ReportedCell
from iosonde.analysis.procedures.conditions import conditions_of
from iosonde.analysis.procedures.demand import varied_phase
from iosonde.analysis.procedures.zones import zoned_workloads
from iosonde.analysis.run import RunAnalysis
from iosonde.charts.figure import Figure
from iosonde.charts.procedures import (
    confidence_levels,
    matrix_heat_map,
    matrix_lines,
    solid_bars,
    solid_maxima,
)
from iosonde.charts.procedures.styles import mix_name
from iosonde.failures import FailureLog, PartFailure
from iosonde.findings import Finding
from iosonde.records import RunRecord
from iosonde.report.blocks import (
    Block,
    Chapter,
    Charts,
    FactGroup,
    FactGroups,
    Folded,
    Notice,
    Paragraph,
)
from iosonde.report.evaluated_run import EvaluatedRun
from iosonde.report.made_charts import made_figure
from iosonde.report.procedures.course_blocks import course_blocks
from iosonde.report.procedures.demand_blocks import demand_blocks
from iosonde.report.procedures.doubts import doubts_of
from iosonde.report.procedures.draw_chart import DrawChart, Drawing, for_phase
from iosonde.report.procedures.results import QUANTITY_OF, more_tables, result_tables
from iosonde.report.procedures.steady_blocks import steady_blocks
from iosonde.report.procedures.tables import (
    cell_table,
    condition_table,
    is_matrix,
    loop_facts,
)
from iosonde.report.procedures.words import statement_of, title_of
from iosonde.report.procedures.zone_blocks import zone_blocks
from iosonde.report.titles import Heading
from iosonde.report.validity import Doubtful, Invalid, doubtful_cells
from iosonde.vocabulary import PhaseRole, ProcedureKind, Quantity


def procedure_headings(procedures: Sequence[ProcedureRounds]) -> tuple[Heading, ...]:
    """A heading for each procedure."""
    return tuple(Heading(f"procedure-{number}", title_of(each.procedure)) for number, each in enumerate(procedures, 1))


def procedure_chapters(found: EvaluatedRun, failures: FailureLog) -> tuple[Chapter, ...]:
    """A chapter for each procedure. A notice replaces each part that fails."""
    headings = procedure_headings(found.procedures)
    known = _Known(found.findings, found.invalid, found.procedure_charts)
    return tuple(
        _Maker(found.analysis.recorded, each, heading, failures, known).chapter
        for heading, each in zip(headings, found.procedures, strict=True)
    )


def procedure_charts(analysis: RunAnalysis) -> Iterator[Charts]:
    """The charts of these chapters as they are before anything is found invalid. One that fails is empty."""
    headings = procedure_headings(analysis.procedures)
    for heading, each in zip(headings, analysis.procedures, strict=True):
        yield from _Maker(analysis.recorded, each, heading, FailureLog(), _Known()).charts


@dataclass(frozen=True)
class _Known:
    """The findings, what they make invalid, and charts that are already built, by id."""

    findings: Sequence[Finding] = ()
    invalid: Invalid = field(default_factory=dict)
    charts: Mapping[str, Figure] = field(default_factory=dict)


class _Maker:
    """Makes the parts of one chapter."""

    def __init__(
        self, run: RunRecord, rounds: ProcedureRounds, heading: Heading, failures: FailureLog, known: _Known
    ) -> None:
        self._run = run
        self._rounds = rounds
        self._heading = heading
        self._failures = failures
        self._findings = known.findings
        self._invalid = known.invalid
        self._begun = known.charts

    @cached_property
    def _doubtful(self) -> Doubtful:
        cells = (each.cell for phase in self._rounds.phases for each in phase.reported)
        return doubtful_cells(cells, self._findings)

    @property
    def charts(self) -> Iterator[Charts]:
        """The charts alone."""
        for name, make in (
            ("long trials", self._courses),
            ("steady state", self._steady),
            ("results", self._results),
            ("demand", self._demand),
            ("histogram", self._histogram),
        ):
            yield from (block for block in self._made(name, make) if isinstance(block, Charts))

    @property
    def chapter(self) -> Chapter:
        """The whole chapter."""
        parts: list[tuple[str, Callable[[], Iterator[Block]]]] = [
            ("statement", self._statement),
            ("conditions", self._conditions),
            ("long trials", self._courses),
            ("steady state", self._steady),
            ("doubts", lambda: map(Paragraph, doubts_of(self._rounds, self._invalid, self._doubtful))),
            ("results", self._results),
            ("demand", self._demand),
            ("histogram", self._histogram),
            ("loops", self._loops),
        ]
        blocks = [block for name, make in parts for block in self._made(name, make)]
        return Chapter(*self._heading, tuple(blocks))

    def _made(self, name: str, make: Callable[[], Iterator[Block]]) -> tuple[Block, ...]:
        def instead(failure: PartFailure) -> tuple[Block, ...]:
            return (Notice(failure.sentence),)

        return self._failures.attempt(f'the {name} of "{self._heading.title}"', lambda: tuple(make()), instead)

    def _statement(self) -> Iterator[Block]:
        yield Paragraph(statement_of(self._rounds))
        if not self._rounds.is_begun:
            yield Paragraph("It was not measured.")

    def _courses(self) -> Iterator[Block]:
        draw = Drawing(self._chart, self._figure)
        return course_blocks(self._run, self._rounds, draw, self._invalid, self._doubtful)

    def _steady(self) -> Iterator[Block]:
        return steady_blocks(self._rounds, self._chart, self._figure, self._invalid)

    def _demand(self) -> Iterator[Block]:
        return demand_blocks(self._run, self._rounds, self._chart, self._invalid, self._doubtful)

    def _conditions(self) -> Iterator[Block]:
        yield condition_table(conditions_of(self._run, self._rounds, self._invalid))

    def _results(self) -> Iterator[Block]:
        # Those of a demand variation are in a part of their own.
        varied = varied_phase(self._rounds)
        phases = [each for each in self._rounds.all_of(PhaseRole.ROUNDS) if each is not varied]
        for number, phase in enumerate(phases, 1):
            if len(phases) > 1:
                yield Paragraph(f'Results of the phase "{phase.name}":')
            yield from self._results_of(phase, self._chart if len(phases) == 1 else for_phase(self._chart, number))

    def _results_of(self, phase: PhaseRounds, chart: DrawChart) -> Iterator[Block]:
        cells, kind = phase.reported, self._rounds.procedure.kind
        if workloads := zoned_workloads(cells):
            yield from zone_blocks(workloads, chart, self._invalid)
            in_zones = {each.cell for zoned in workloads for each in zoned.cells}
            if others := [each for each in cells if each.cell not in in_zones]:
                yield cell_table(others, self._invalid, self._doubtful)
            yield Folded("All cells", (cell_table(cells, self._invalid, self._doubtful),))
            return
        yield from result_tables(kind, cells, self._invalid, self._doubtful)
        if len(cells) > 1 and is_matrix(cells):
            yield from _plots(kind, cells, chart)
        more = more_tables(kind, cells, self._invalid, self._doubtful)
        if more:
            yield Folded("Other quantities", more, on_paper=True)

    def _histogram(self) -> Iterator[Block]:
        cells = [each for phase in self._rounds.all_of(PhaseRole.HISTOGRAM) for each in phase.reported]
        if not cells:
            return
        yield Charts(
            tuple(
                self._chart(f"histogram-{number}", f"Response-time histogram: {each.cell}", confidence_levels, each)
                for number, each in enumerate(cells, 1)
            )
        )
        yield cell_table(cells, self._invalid, self._doubtful)

    def _loops(self) -> Iterator[Block]:
        command = FactGroup("Command line", (("command", shlex.join(self._run.header.command)),))
        yield FactGroups((*loop_facts(self._run, self._rounds), command))

    def _chart(self, identity: str, title: str, draw: Callable[..., Figure], *given: object) -> Figure:
        """A chart that is told its own id and title."""
        return self._figure(identity, title, lambda name: draw(name, title, *given))

    def _figure(self, identity: str, title: str, draw: Callable[..., Figure], *given: object) -> Figure:
        """A chart that makes its own title."""
        name = f"{self._heading.id}-{identity}"
        begun = self._begun.get(name)
        return made_figure(name, title, lambda: begun or draw(name, *given), self._invalid, self._failures)


def _plots(kind: ProcedureKind, cells: Sequence[ReportedCell], chart: DrawChart) -> Iterator[Block]:
    if kind is ProcedureKind.LATENCY:
        mean = chart("solid-mean", "Mean latency by block size and mix", solid_bars, cells, Quantity.LATENCY_NS_MEAN)
        most = chart("solid-maximum", "Maximum latency by block size and mix", solid_maxima, cells)
        yield Charts((mean, most))
        return
    quantity = QUANTITY_OF.get(kind, Quantity.IOPS)
    name = "IOPS" if quantity is Quantity.IOPS else "Bandwidth"
    if len({each.workload.block_size_bytes for each in cells}) == 1:
        return
    lines = chart("lines", f"{name} by block size", matrix_lines, cells, quantity)
    heat = chart("heat", f"{name} by block size and mix", matrix_heat_map, cells, quantity)
    yield Charts((heat,))
    yield Charts((lines,))
    if len({mix_name(each.workload) for each in cells}) > 1:
        yield Charts((chart("solid", f"{name} as bars", solid_bars, cells, quantity),))
