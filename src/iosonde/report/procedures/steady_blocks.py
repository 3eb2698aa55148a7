"""The part of a chapter on steady state: the convergence of the tracking variables and their determination."""

from collections.abc import Iterator

from iosonde.analysis.procedures import PhaseRounds, ProcedureRounds, determinations_of
from iosonde.analysis.procedures.demand import rule_of
from iosonde.charts.figure import Figure
from iosonde.charts.procedures import convergence, latency_convergence, measurement_window
from iosonde.charts.procedures.styles import LINES_MAX
from iosonde.report.blocks import Block, Charts, Folded, Paragraph
from iosonde.report.procedures.draw_chart import DrawChart, for_phase
from iosonde.report.procedures.results import QUANTITY_OF
from iosonde.report.procedures.steady_tables import criteria_table, determination_table, round_table
from iosonde.report.validity import Invalid
from iosonde.vocabulary import ProcedureKind, Quantity

ROUND_COLUMNS = 8


def steady_blocks(rounds: ProcedureRounds, chart: DrawChart, figure: DrawChart, invalid: Invalid) -> Iterator[Block]:
    """The steady state of each judged phase of a procedure; the convergence of its main phase without any."""
    phases = rounds.all_judged
    if len(phases) <= 1:
        phase = rounds.judged or rounds.main
        if phase is not None:
            yield from _Maker(rounds, phase, chart, figure, invalid).blocks
        return
    for number, phase in enumerate(phases, 1):
        yield Paragraph(f'Steady state of the phase "{phase.name}":')
        yield from _Maker(rounds, phase, for_phase(chart, number), for_phase(figure, number), invalid).blocks


class _Maker:
    """Makes the blocks of one phase."""

    def __init__(
        self, rounds: ProcedureRounds, phase: PhaseRounds, chart: DrawChart, figure: DrawChart, invalid: Invalid
    ) -> None:
        self._rounds = rounds
        self._phase = phase
        self._chart = chart
        self._figure = figure
        self._invalid = invalid

    @property
    def blocks(self) -> Iterator[Block]:
        """The convergence, and the determination if there is a criterion."""
        yield from self._convergence()
        if self._phase.tracked:
            yield from self._determination()

    def _convergence(self) -> Iterator[Block]:
        phase = self._phase
        # The values of a single round, which nothing is judged by, are among the results.
        if phase.rounds == 1 and phase.rule is None:
            return
        yield Charts(tuple(self._convergence_charts()))
        quantity, cells = self._quantity, _converging(self._rounds, phase)
        tables = tuple(
            round_table(phase, cells[start : start + ROUND_COLUMNS], quantity, self._invalid)
            for start in range(0, len(cells), ROUND_COLUMNS)
        )
        yield Folded(f"Values of all {phase.rounds} rounds", tables)

    @property
    def _quantity(self) -> Quantity:
        tracked = self._phase.tracked
        first = tracked[0].quantity if tracked else Quantity.IOPS
        return QUANTITY_OF.get(self._rounds.procedure.kind, first)

    def _convergence_charts(self) -> Iterator[Figure]:
        phase, quantity = self._phase, self._quantity
        for name, cells in _groups(self._rounds, phase):
            title = f"Steady-state convergence{name}"
            identity = f"convergence-{quantity.value}{_slug(name)}"
            yield self._chart(identity, title, convergence, phase, cells, quantity)
            if self._rounds.procedure.kind is ProcedureKind.LATENCY:
                title = f"Convergence of the maximum latency{name}"
                identity = f"convergence-maximum{_slug(name)}"
                yield self._chart(identity, title, latency_convergence, phase, cells)

    def _determination(self) -> Iterator[Block]:
        phase = self._phase
        found, among = determinations_of(phase), list(phase.workloads.values())
        if found:
            yield Charts(
                tuple(
                    self._figure(
                        f"window-{number}", "Measurement window", measurement_window, each, among, phase.counted
                    )
                    for number, each in enumerate(found, 1)
                )
            )
            yield determination_table(found, self._invalid, among, phase.counted)
        elif phase.rule is not None:
            size = phase.rule.window
            yield Paragraph(f"Steady state cannot be judged: a window of {size} complete rounds is missing.")
        table = criteria_table(phase)
        if table is not None:
            yield table


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
        others = [each for each in writes if tracked and each not in tracked]
        if others:
            # If writes are tracked, these are the other cells whose demand varies.
            yield (": other cells" if set(tracked) & set(writes) else ": writes between rounds"), others
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
