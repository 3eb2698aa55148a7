"""The chapter of a procedure: what was measured, its conditions, its rounds, its steady state and its figures."""

import shlex
from collections.abc import Callable, Iterator, Sequence

from iosonde.analysis.procedures import (
    PhaseRounds,
    ProcedureRounds,
    ReportedCell,
    determinations_of,
    reported_cells,
)
from iosonde.analysis.procedures.conditions import conditions_of
from iosonde.analysis.procedures.demand import rule_of
from iosonde.analysis.procedures.zones import zoned_workloads
from iosonde.charts.figure import Figure
from iosonde.charts.procedures import (
    confidence_levels,
    convergence,
    latency_convergence,
    matrix_heat_map,
    matrix_lines,
    measurement_window,
    solid_bars,
    solid_maxima,
)
from iosonde.charts.procedures.styles import LINES_MAX, mix_name
from iosonde.failures import FailureLog, PartFailure
from iosonde.records import RunRecord
from iosonde.report.blocks import Block, Chapter, Charts, FactGroup, FactGroups, Folded, Notice, Paragraph
from iosonde.report.made_charts import made_figure
from iosonde.report.procedures.course_blocks import course_blocks
from iosonde.report.procedures.demand_blocks import demand_blocks
from iosonde.report.procedures.results import QUANTITY_OF, more_tables, result_tables
from iosonde.report.procedures.tables import (
    cell_table,
    condition_table,
    criteria_table,
    determination_table,
    is_matrix,
    loop_facts,
    round_table,
)
from iosonde.report.procedures.words import statement_of, title_of
from iosonde.report.procedures.zone_blocks import zone_blocks
from iosonde.report.titles import Heading
from iosonde.report.validity import Invalid
from iosonde.vocabulary import PhaseRole, ProcedureKind, Quantity

ROUND_COLUMNS = 8


def procedure_headings(procedures: Sequence[ProcedureRounds]) -> tuple[Heading, ...]:
    """A heading for each procedure."""
    return tuple(Heading(f"procedure-{number}", title_of(each.procedure)) for number, each in enumerate(procedures, 1))


def procedure_chapters(
    run: RunRecord, procedures: Sequence[ProcedureRounds], invalid: Invalid, failures: FailureLog
) -> tuple[Chapter, ...]:
    """A chapter for each procedure. A notice replaces each part that fails."""
    headings = procedure_headings(procedures)
    return tuple(
        _Maker(run, each, heading, invalid, failures).chapter
        for heading, each in zip(headings, procedures, strict=True)
    )


class _Maker:
    """Makes the parts of one chapter."""

    def __init__(
        self, run: RunRecord, rounds: ProcedureRounds, heading: Heading, invalid: Invalid, failures: FailureLog
    ) -> None:
        self._run = run
        self._rounds = rounds
        self._heading = heading
        self._invalid = invalid
        self._failures = failures

    @property
    def chapter(self) -> Chapter:
        """The whole chapter."""
        parts: list[tuple[str, Callable[[], Iterator[Block]]]] = [
            ("statement", self._statement),
            ("conditions", self._conditions),
            ("long trials", lambda: course_blocks(self._run, self._rounds, self._chart, self._figure)),
            ("convergence", self._convergence),
            ("steady state", self._determination),
            ("results", self._results),
            ("demand", lambda: demand_blocks(self._run, self._rounds, self._chart, self._invalid)),
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

    def _conditions(self) -> Iterator[Block]:
        yield condition_table(conditions_of(self._run, self._rounds))

    def _convergence(self) -> Iterator[Block]:
        phase = self._rounds.judged or self._rounds.main
        # The values of a single round, which nothing is judged by, are among the results.
        if phase is None or (phase.rounds == 1 and phase.rule is None):
            return
        figures = tuple(self._convergence_charts(phase))
        yield Charts(figures)
        quantity, cells = self._quantity(phase), _converging(self._rounds, phase)
        tables = tuple(
            round_table(phase, cells[start : start + ROUND_COLUMNS], quantity)
            for start in range(0, len(cells), ROUND_COLUMNS)
        )
        yield Folded(f"Values of all {phase.rounds} rounds", tables)

    def _quantity(self, phase: PhaseRounds) -> Quantity:
        first = phase.tracked[0].quantity if phase.tracked else Quantity.IOPS
        return QUANTITY_OF.get(self._rounds.procedure.kind, first)

    def _convergence_charts(self, phase: PhaseRounds) -> Iterator[Figure]:
        quantity = self._quantity(phase)
        for name, cells in _groups(self._rounds, phase):
            title = f"Steady-state convergence{name}"
            yield self._chart(f"convergence-{quantity.value}{_slug(name)}", title, convergence, phase, cells, quantity)
            if self._rounds.procedure.kind is ProcedureKind.LATENCY:
                title = f"Convergence of the maximum latency{name}"
                yield self._chart(f"convergence-maximum{_slug(name)}", title, latency_convergence, phase, cells)

    def _determination(self) -> Iterator[Block]:
        phase = self._rounds.judged
        if phase is None:
            return
        found = determinations_of(phase)
        if found:
            yield Charts(
                tuple(
                    self._figure(f"window-{number}", "Measurement window", measurement_window, each)
                    for number, each in enumerate(found, 1)
                )
            )
            yield determination_table(found)
        elif phase.rule is not None:
            size = phase.rule.window
            yield Paragraph(f"Steady state cannot be judged: a window of {size} complete rounds is missing.")
        table = criteria_table(phase)
        if table is not None:
            yield table

    def _results(self) -> Iterator[Block]:
        phase = self._rounds.main
        # Those of a demand variation are in a part of their own.
        if phase is None or rule_of(self._rounds) is not None:
            return
        cells, kind = reported_cells(phase), self._rounds.procedure.kind
        if workloads := zoned_workloads(cells):
            yield from zone_blocks(workloads, self._chart, self._invalid)
            in_zones = {each.cell for zoned in workloads for each in zoned.cells}
            if others := [each for each in cells if each.cell not in in_zones]:
                yield cell_table(others, self._invalid)
            yield Folded("All cells", (cell_table(cells, self._invalid),))
            return
        yield from result_tables(kind, cells, self._invalid)
        if len(cells) > 1 and is_matrix(cells):
            yield from self._plots(kind, cells)
        more = more_tables(kind, cells, self._invalid)
        if more:
            yield Folded("Other quantities", more, on_paper=True)

    def _plots(self, kind: ProcedureKind, cells: Sequence[ReportedCell]) -> Iterator[Block]:
        if kind is ProcedureKind.LATENCY:
            mean = self._chart(
                "solid-mean", "Mean latency by block size and mix", solid_bars, cells, Quantity.LATENCY_NS_MEAN
            )
            most = self._chart("solid-maximum", "Maximum latency by block size and mix", solid_maxima, cells)
            yield Charts((mean, most))
            return
        quantity = QUANTITY_OF.get(kind, Quantity.IOPS)
        name = "IOPS" if quantity is Quantity.IOPS else "Bandwidth"
        if len({each.workload.block_size_bytes for each in cells}) == 1:
            return
        lines = self._chart("lines", f"{name} by block size", matrix_lines, cells, quantity)
        heat = self._chart("heat", f"{name} by block size and mix", matrix_heat_map, cells, quantity)
        yield Charts((heat,))
        yield Charts((lines,))
        if len({mix_name(each.workload) for each in cells}) > 1:
            yield Charts((self._chart("solid", f"{name} as bars", solid_bars, cells, quantity),))

    def _histogram(self) -> Iterator[Block]:
        phase = self._rounds.of(PhaseRole.HISTOGRAM)
        if phase is None:
            return
        cells = reported_cells(phase)
        yield Charts(
            tuple(
                self._chart(f"histogram-{number}", f"Response-time histogram: {each.cell}", confidence_levels, each)
                for number, each in enumerate(cells, 1)
            )
        )
        yield cell_table(cells, self._invalid)

    def _loops(self) -> Iterator[Block]:
        command = FactGroup("Command line", (("command", shlex.join(self._run.header.command)),))
        yield FactGroups((*loop_facts(self._run, self._rounds), command))

    def _chart(self, identity: str, title: str, draw: Callable[..., Figure], *given: object) -> Figure:
        """A chart that is told its own id and title."""
        name = f"{self._heading.id}-{identity}"
        return made_figure(name, title, lambda: draw(name, title, *given), self._invalid, self._failures)

    def _figure(self, identity: str, title: str, draw: Callable[..., Figure], *given: object) -> Figure:
        """A chart that makes its own title."""
        name = f"{self._heading.id}-{identity}"
        return made_figure(name, title, lambda: draw(name, *given), self._invalid, self._failures)


def _groups(rounds: ProcedureRounds, phase: PhaseRounds) -> Iterator[tuple[str, list[str]]]:
    """The cells of each convergence plot, with what its title adds.

    Throughput has a plot of writes and one of reads. Others have the pure writes of all block sizes, if these are
    tracked; else the cells that are, or all.
    """
    writes = [cell for cell in dict.fromkeys(phase.cells) if phase.workloads[cell].read_percent == 0]
    reads = [cell for cell in dict.fromkeys(phase.cells) if phase.workloads[cell].read_percent == 100]  # noqa: PLR2004 - percent
    if rounds.procedure.kind is ProcedureKind.THROUGHPUT and writes and reads:
        yield ": writes", writes
        yield ": reads", reads
        return
    if rule_of(rounds) is not None:
        tracked = [each.cell for each in phase.tracked]
        yield "", tracked or list(dict.fromkeys(phase.cells))
        between = [each for each in writes if tracked and each not in tracked]
        if between:
            yield ": writes between rounds", between
        return
    cells = _converging(rounds, phase)
    yield ": writes" if cells == writes else "", cells


def _converging(rounds: ProcedureRounds, phase: PhaseRounds) -> list[str]:
    every = list(dict.fromkeys(phase.cells))
    if rule_of(rounds) is not None:
        return [each.cell for each in phase.tracked]
    writes = [cell for cell in every if phase.workloads[cell].read_percent == 0]
    if rounds.procedure.kind in {ProcedureKind.IOPS, ProcedureKind.LATENCY} and 0 < len(writes) <= LINES_MAX:
        return writes
    if len(every) <= LINES_MAX:
        return every
    tracked = list(dict.fromkeys(each.cell for each in phase.tracked))
    return tracked[:LINES_MAX] or writes[:LINES_MAX] or every[:LINES_MAX]


def _slug(name: str) -> str:
    return name.replace(": ", "-").replace(" ", "-")
