"""The part of a chapter on demand variation: IOPS and response times by threads and queue depth, and three points."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from iosonde.analysis.procedures import ProcedureRounds, ReportedCell
from iosonde.analysis.procedures.courses import scale_of, trial_course
from iosonde.analysis.procedures.demand import (
    DemandCell,
    MeasuredPoint,
    demand_of,
    measured_points,
    rule_of,
    varied_phase,
)
from iosonde.analysis.procedures.from_run import trials_of_phase
from iosonde.charts.procedures import confidence_levels
from iosonde.charts.procedures.courses import Course, against_time, throughput_course
from iosonde.charts.procedures.demand import (
    demand_intensity,
    demand_variation,
    iops_by_outstanding,
    latency_by_outstanding,
)
from iosonde.charts.procedures.styles import mix_name, unit_of
from iosonde.charts.quantities import significant
from iosonde.printing import capital
from iosonde.records import OperatingPoints, RunRecord
from iosonde.report.blocks import Block, Charts, Folded, Paragraph
from iosonde.report.dashes import Dash
from iosonde.report.procedures.draw_chart import DrawChart
from iosonde.report.procedures.tables import cell_table, sign_notes
from iosonde.report.signs import INVALID, signed
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.report.validity import Doubtful, Invalid, marked
from iosonde.units import short_duration
from iosonde.vocabulary import PhaseRole, Quantity

NO_CPU: Final = "a simulated drive uses virtual time, which costs no CPU time"
CPU_UNKNOWN: Final = "the CPU time was not recorded"
NOT_IN_WINDOW: Final = "a round of the window has no value"
NAMES: Final = {"maximum": "Maximum", "middle": "Middle", "minimum": "Minimum"}


def demand_blocks(
    run: RunRecord, rounds: ProcedureRounds, chart: DrawChart, invalid: Invalid, doubtful: Doubtful
) -> Iterator[Block]:
    """Demand variation, demand intensity, CPU and the operating points; nothing for other procedures."""
    rule, phase = rule_of(rounds), varied_phase(rounds)
    if rule is None or phase is None:
        return
    demand = demand_of(run, rounds, phase)
    points = measured_points(demand, rule)
    named = tuple((each.name, each.chosen.cell) for each in points)
    yield Charts((chart("demand-variation", "Demand variation", demand_variation, demand),))
    yield Charts((chart("demand-intensity", "Demand intensity", demand_intensity, demand, named),))
    if not demand:
        return
    yield demand_table(demand, Quantity.IOPS, invalid, doubtful)
    yield demand_table(demand, Quantity.LATENCY_NS_MEAN, invalid, doubtful)
    yield _cpu_block(demand, is_simulated=run.header.is_simulated)
    yield Charts(
        (
            chart("outstanding-iops", "IOPS by total outstanding I/O", iops_by_outstanding, demand),
            chart("outstanding-latency", "Response time by total outstanding I/O", latency_by_outstanding, demand),
        )
    )
    yield point_table(points, invalid, doubtful, rule.latency_ns_max)
    if why := no_maximum(points, rule):
        yield Paragraph(f"{capital(why)}: no maximum.")
    yield from _measured(run, rounds, points, chart, (invalid, doubtful))
    yield Folded("All cells", (cell_table(phase.reported, invalid, doubtful),))


def no_maximum(points: Sequence[MeasuredPoint], rule: OperatingPoints) -> str:
    """Why there is no maximum among the points; empty if there is one."""
    if "maximum" in {each.name for each in points}:
        return ""
    return f"no cell has a mean response time below {short_duration(rule.latency_ns_max)}"


def demand_table(demand: Sequence[DemandCell], quantity: Quantity, invalid: Invalid, doubtful: Doubtful) -> ResultTable:
    """One figure of each cell: threads down, queue depths across. Signs mark invalid and doubtful figures."""
    unit = unit_of(quantity, (each.latency_ns for each in demand))

    def text(each: DemandCell) -> str:
        value = each.iops if quantity is Quantity.IOPS else each.latency_ns
        return signed(significant(unit.shown(value)), each.cell, invalid, doubtful)

    title = "IOPS" if quantity is Quantity.IOPS else "Mean response time"
    caption = f"{title} ({unit.name}): threads (TC) by queue depth (QD), means over the window."
    return _matrix(demand, caption, text, sign_notes([each.cell for each in demand], invalid, doubtful))


def _cpu_block(demand: Sequence[DemandCell], *, is_simulated: bool) -> Block:
    if all(each.cpu_share is None for each in demand):
        return Paragraph(f"System CPU of the cells: {NO_CPU if is_simulated else CPU_UNKNOWN}.")
    return cpu_table(demand)


def cpu_table(demand: Sequence[DemandCell]) -> ResultTable:
    """The CPU time of the engine for each cell."""

    def text(each: DemandCell) -> str:
        return Dash(CPU_UNKNOWN) if each.cpu_share is None else significant(100 * each.cpu_share, 3)

    caption = (
        "System CPU (% of all logical CPUs, user and system time of workers and kernel threads): "
        "threads (TC) by queue depth (QD)."
    )
    return _matrix(demand, caption, text)


def _matrix(
    demand: Sequence[DemandCell], caption: str, text: Callable[[DemandCell], str], notes: tuple[str, ...] = ()
) -> ResultTable:
    jobs = sorted({each.jobs for each in demand}, reverse=True)
    depths = sorted({each.queue_depth for each in demand}, reverse=True)
    at = {(each.jobs, each.queue_depth): each for each in demand}

    def shown(threads: int, depth: int) -> str:
        found = at.get((threads, depth))
        return Dash(NOT_IN_WINDOW) if found is None else text(found)

    return ResultTable(
        caption=caption,
        heads=(Head("Threads", number=False), *(Head(f"QD {each}") for each in depths)),
        lines=tuple(Line((f"TC {each}", *(shown(each, depth) for depth in depths))) for each in jobs),
        notes=notes,
    ).explained


def point_table(
    points: Sequence[MeasuredPoint], invalid: Invalid, doubtful: Doubtful, latency_ns_max: int
) -> ResultTable:
    """The operating points with their demand and the figures that they were chosen by, doubtful ones with a sign."""
    unit = unit_of(Quantity.LATENCY_NS_MEAN, (each.chosen.latency_ns for each in points))
    rule = (
        f"Maximum: the most IOPS with a mean response time of at most {short_duration(latency_ns_max)}. Minimum: the "
        "fewest operations in flight. Middle: the IOPS nearest to the mean of both."
    )
    table = ResultTable(
        caption="Operating points, chosen from the means of the demand variation over its window.",
        heads=(
            Head("Point", number=False),
            Head("Threads"),
            Head("Queue depth"),
            Head("Outstanding I/O"),
            Head("IOPS", "operations/s"),
            Head("Mean response time", unit.name),
        ),
        lines=tuple(
            Line(
                (
                    NAMES[each.name],
                    f"{each.chosen.jobs}",
                    f"{each.chosen.queue_depth}",
                    f"{each.chosen.outstanding}",
                    signed(significant(each.chosen.iops), each.chosen.cell, (), doubtful),
                    signed(significant(unit.shown(each.chosen.latency_ns)), each.chosen.cell, (), doubtful),
                ),
                cell=each.chosen.cell,
            )
            for each in points
        ),
        notes=(rule, *sign_notes([each.chosen.cell for each in points], {}, doubtful)),
    )
    return marked(table, invalid, INVALID).explained


def _measured(
    run: RunRecord,
    rounds: ProcedureRounds,
    points: Sequence[MeasuredPoint],
    chart: DrawChart,
    marks: tuple[Invalid, Doubtful],
) -> Iterator[Block]:
    """The pre-writes and the response times at each operating point."""
    phase = rounds.of(PhaseRole.OPERATING_POINTS)
    if phase is None:
        return
    records = {each.cell: each for each in trials_of_phase(run, rounds.procedure.name, phase.name)}
    reported = {each.cell: each for each in phase.reported}
    for point in points:
        figures = []
        for cell in point.cells:
            record, found = records.get(cell), reported.get(cell)
            if record is None or found is None:
                continue
            if found.workload.read_percent == 0:
                course = Course("pre-writes", cell, trial_course(record, scale_of(run)))
                title = f"{NAMES[point.name]}: IOPS of the pre-writes against time"
                across = against_time([course])
                figures.append(chart(f"{point.name}-pre", title, throughput_course, [course], Quantity.IOPS, across))
            else:
                title = f"{NAMES[point.name]}: response-time histogram"
                figures.append(chart(f"{point.name}-histogram", title, confidence_levels, found))
        for each in figures:
            yield Charts((each,))
    if reported:
        names = _trial_names(points, reported)
        yield cell_table(tuple(reported.values()), *marks, head="Operating point", names=names)


def _trial_names(points: Sequence[MeasuredPoint], reported: Mapping[str, ReportedCell]) -> dict[str, str]:
    """What the trials at operating points are called, by cell: ``Middle, pre-writes`` and ``Middle, 40/60``."""
    names: dict[str, list[str]] = {}
    for point in points:
        for cell in point.cells:
            if cell in reported:
                workload = reported[cell].workload
                kind = "pre-writes" if workload.read_percent == 0 else mix_name(workload)
                names.setdefault(cell, []).append(f"{NAMES[point.name]}, {kind}")
    return {cell: "; ".join(each) for cell, each in names.items()}
