"""Demand variation: each number of threads (TC) with each queue depth (QD), over the window of steady rounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from iosonde.analysis.operating_points import ChosenPoints, Point, chosen_points
from iosonde.analysis.procedures.from_run import trials_of_phase
from iosonde.analysis.procedures.reported import ReportedCell
from iosonde.analysis.procedures.rounds import PhaseRounds, ProcedureRounds
from iosonde.records import CellRecord, OperatingPoints, RunRecord, Workload


@dataclass(frozen=True)
class DemandCell:
    """One demand: the means over the window. ``cpu_share`` is that of all logical CPUs of the host, None if unknown."""

    cell: str
    workload: Workload
    iops: float
    latency_ns: float
    cpu_share: float | None

    @property
    def jobs(self) -> int:
        """The threads."""
        return self.workload.jobs

    @property
    def queue_depth(self) -> int:
        """The operations in flight of each thread."""
        return self.workload.queue_depth

    @property
    def outstanding(self) -> int:
        """The total outstanding I/O: threads times queue depth, over all targets."""
        return self.workload.operations_in_flight


def varied_cells(phase: PhaseRounds, points: OperatingPoints) -> tuple[ReportedCell, ...]:
    """The cells of which operating points are chosen, with all their reported figures."""
    return tuple(each for each in phase.reported if each.cell in points.cells)


def demand_of(run: RunRecord, rounds: ProcedureRounds, phase: PhaseRounds) -> tuple[DemandCell, ...]:
    """The cells of a demand variation that have a value in each round of the window."""
    rule = rule_of(rounds)
    if rule is None:
        return ()
    cpu = _cpu_shares(run, trials_of_phase(run, rounds.procedure.name, phase.name), phase.window)
    return tuple(
        DemandCell(each.cell, each.workload, each.iops, each.latency_ns_mean, cpu.get(each.cell))
        for each in varied_cells(phase, rule)
        if each.iops is not None and each.latency_ns_mean is not None
    )


def rule_of(rounds: ProcedureRounds) -> OperatingPoints | None:
    """The rule of the operating points of a procedure; None if it has none."""
    return next((each.points for each in rounds.procedure.phases if each.points is not None), None)


def varied_phase(rounds: ProcedureRounds) -> PhaseRounds | None:
    """The phase with the rounds from which the operating points are chosen; None before its first whole round."""
    rule = rule_of(rounds)
    if rule is None:
        return None
    return next((each for each in rounds.phases if each.name == rule.phase and each.rounds), None)


def _cpu_shares(run: RunRecord, records: Sequence[CellRecord], window: range) -> Mapping[str, float]:
    """The CPU time of the threads that do the I/O as a share of all logical CPUs, a mean over the window.

    The rest of the process is left out: the kernel counts it from one wake-up of its main thread to another, which on
    a busy host come later than the beginning and the end of the measurement.
    """
    cpus = run.header.host.cpus_online
    found: dict[str, list[float]] = {}
    for each in records:
        busy_ns = each.cpu_io_ns
        if busy_ns is None or not each.measured_ns or not cpus or (each.round or 1) not in window:
            continue
        found.setdefault(each.cell, []).append(busy_ns / each.measured_ns / cpus)
    return {cell: fmean(shares) for cell, shares in found.items()}


def chosen_of(demand: Sequence[DemandCell], points: OperatingPoints) -> ChosenPoints | None:
    """The maximum, middle and minimum among the cells of a demand variation."""
    found = [Point(each.cell, each.iops, each.latency_ns, each.outstanding) for each in demand]
    return chosen_points(found, points.latency_ns_max)


def best_by_outstanding(demand: Sequence[DemandCell]) -> tuple[DemandCell, ...]:
    """For each total outstanding I/O the cell with the highest IOPS, by outstanding I/O."""
    best: dict[int, DemandCell] = {}
    for each in demand:
        if each.outstanding not in best or each.iops > best[each.outstanding].iops:
            best[each.outstanding] = each
    return tuple(best[number] for number in sorted(best))


@dataclass(frozen=True)
class MeasuredPoint:
    """An operating point: its name, the demand that it was chosen by, and the cells that were measured there."""

    name: str
    chosen: DemandCell
    cells: tuple[str, ...]


def measured_points(demand: Sequence[DemandCell], points: OperatingPoints) -> tuple[MeasuredPoint, ...]:
    """The operating points, from the maximum down."""
    found = chosen_of(demand, points)
    by_name = {each.cell: each for each in demand}
    named = {} if found is None else found.named
    return tuple(MeasuredPoint(name, by_name[each.cell], points.cells[each.cell]) for name, each in named.items())
