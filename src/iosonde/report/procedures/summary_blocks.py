"""The procedures of a run in short: their verdicts and first figures, and the set-up."""

from collections.abc import Iterator, Sequence

from iosonde.analysis.procedures import (
    PhaseRounds,
    ProcedureRounds,
    ReportedCell,
    criteria_of,
)
from iosonde.analysis.procedures.condition import Condition
from iosonde.analysis.procedures.conditions import conditions_of, not_verified
from iosonde.analysis.procedures.demand import demand_of, measured_points, rule_of, varied_phase
from iosonde.analysis.procedures.steady_condition import steady_text, unsteady_alone, unsteady_before
from iosonde.analysis.procedures.zones import ZonedWorkload, zoned_quantity, zoned_workloads
from iosonde.charts.procedures.styles import Unit, cell_label, place_name, unit_of
from iosonde.charts.quantities import significant
from iosonde.findings import Finding
from iosonde.records import LONG_ROLES, RunRecord
from iosonde.report.blocks import FactGroup
from iosonde.report.health_facts import health_groups
from iosonde.report.procedures.course_blocks import course_answer
from iosonde.report.procedures.demand_blocks import no_maximum
from iosonde.report.procedures.header import device_facts
from iosonde.report.procedures.words import (
    REPEATED,
    cells_of,
    mixes_spelt_out,
    parameters_text,
    preconditioning_text,
    rounds_word,
    specification_text,
    title_of,
)
from iosonde.report.validity import invalid_cells, mark_of
from iosonde.units import format_size
from iosonde.vocabulary import PhaseRole, Quantity

FIGURES_MAX = 4


def procedure_answers(
    run: RunRecord, procedures: Sequence[ProcedureRounds], findings: Sequence[Finding]
) -> Iterator[str]:
    """What was not verified, then a sentence on the steady state and the first figures of each procedure."""
    invalid = invalid_cells({each.cell for each in run.cells}, findings)
    found = {title_of(each.procedure): list(not_verified(conditions_of(run, each, invalid))) for each in procedures}
    shared = [each for each in next(iter(found.values()), []) if all(each in others for others in found.values())]
    for title, missing in found.items():
        own = [each for each in missing if each not in shared]
        if own:
            yield f"{title}, not verified: {'; '.join(map(_condition_text, own))}."
    if shared:
        whose = "Not" if len(found) == 1 else "For all procedures, not"
        yield f"{whose} verified: {'; '.join(map(_condition_text, shared))}."
    for each in procedures:
        yield procedure_answer(run, each, findings)


def _condition_text(condition: Condition) -> str:
    return f"{condition.name.lower()}, {condition.state} ({condition.reason})"


def procedure_answer(run: RunRecord, rounds: ProcedureRounds, findings: Sequence[Finding]) -> str:
    """The verdict and the main figures of a procedure in words, with the findings on invalid and doubtful ones."""
    if of_long_trials := course_answer(run, rounds, findings):
        return of_long_trials
    title, phase = title_of(rounds.procedure), rounds.judged or rounds.main
    if not rounds.is_begun or phase is None:
        has_rounds = any(each.role in (PhaseRole.ROUNDS, *LONG_ROLES) for each in rounds.procedure.phases)
        done = "no round is complete" if has_rounds or not run.finished else "complete; it has no rounds to report"
        return f"{title}: {done if rounds.is_begun else 'not measured'}."
    verdict = f"steady state {steady_text(run, phase)}" if criteria_of(phase) else rounds_word(phase.rounds)
    if alone := unsteady_alone(run, rounds):
        verdict = f"{verdict} by the sum of all targets, but {alone}"
    if before := unsteady_before(run, rounds):
        verdict = f"{verdict}, but {before}"
    if rounds.main is not None and (zoned := zoned_workloads(rounds.main.reported)):
        told = f"{title}: {verdict}, {_zones_text(zoned)}"
        return " ".join(filter(None, (told, *_other_parts(run, rounds, findings))))
    figures = "" if rounds.main is None else "; ".join(_figures(rounds.judged, rounds.main, findings))
    means = _means_text(phase)
    if rounds.main is not None and rounds.main is not phase:
        number = len(rounds.main.window)
        means = f"values of the {'round' if number == 1 else rounds_word(number)} after it"
    told = f"{title}: {verdict}. {means[0].upper()}{means[1:]}: {figures}." if figures else f"{title}: {verdict}."
    return " ".join(filter(None, (told, *_other_parts(run, rounds, findings))))


def _other_parts(run: RunRecord, rounds: ProcedureRounds, findings: Sequence[Finding]) -> Iterator[str]:
    """Sentences on the phases before the last one, and on operating points."""
    yield from _earlier_phases(run, rounds, findings)
    yield _points_text(run, rounds, findings)


def _points_text(run: RunRecord, rounds: ProcedureRounds, findings: Sequence[Finding]) -> str:
    """The operating points of a demand variation, which it is measured for; empty for other procedures."""
    rule, phase = rule_of(rounds), varied_phase(rounds)
    if rule is None or phase is None:
        return ""
    points = measured_points(demand_of(run, rounds, phase), rule)
    if not points:
        return ""
    told = [
        f"{each.name} {significant(each.chosen.iops)} IOPS at {each.chosen.jobs} × QD {each.chosen.queue_depth}"
        f"{mark_of(each.chosen.cell, findings)}"
        for each in points
    ]
    if why := no_maximum(points, rule):
        told.insert(0, f"no maximum ({why})")
    return f"Operating points: {', '.join(told)}."


def _earlier_phases(run: RunRecord, rounds: ProcedureRounds, findings: Sequence[Finding]) -> Iterator[str]:
    """A sentence for each phase with rounds before the last one."""
    for phase in rounds.all_of(PhaseRole.ROUNDS)[:-1]:
        is_told = phase is rounds.judged or not criteria_of(phase)
        verdict = "" if is_told else f"steady state {steady_text(run, phase)}; "
        figures = "; ".join(_figures(phase, phase, findings))
        yield f'Phase "{phase.name}": {verdict}{_means_text(phase)}: {figures or "none"}.'


def _means_text(phase: PhaseRounds) -> str:
    window = phase.window
    return f"means of rounds {window[0]} to {window[-1]}" if len(window) > 1 else f"values of round {window[0]}"


def _zones_text(workloads: Sequence[ZonedWorkload]) -> str:
    """The means over the zones of the first workloads, with their first and last zone, in words."""
    quantity = zoned_quantity(workloads)
    among = [each.workload for each in workloads]
    texts = []
    for each in workloads[:FIGURES_MAX]:
        found = each.figures(quantity)
        if found is not None:
            unit = unit_of(quantity, [found.mean])
            ends = [None if value is None else significant(unit.shown(value)) for value in (found.first, found.last)]
            of = "" if found.measured == found.zones else f" over {found.measured} of {found.zones} zones"
            texts.append(
                f"{cell_label(each.workload, among)} {significant(unit.shown(found.mean))} {_name(unit)}{of} "
                f"({ends[0] or 'no value'} in the first zone, {ends[1] or 'no value'} in the last)"
            )
    if len(workloads) > FIGURES_MAX:
        texts.append(f"and {len(workloads) - FIGURES_MAX} more")
    zones = max(len(each.cells) for each in workloads)
    return f"{zones} zones. Means of the zones: {'; '.join(texts)}." if texts else f"{zones} zones without values."


def _figures(judged: PhaseRounds | None, phase: PhaseRounds, findings: Sequence[Finding]) -> Iterator[str]:
    """The first figures of a phase: those of the tracking variables."""
    cells = {each.cell: each for each in phase.reported}
    wanted: list[tuple[ReportedCell, Quantity]] = []
    if judged is not None:
        wanted = [(cells[each.cell], each.quantity) for each in judged.tracked if each.cell in cells]
    wanted = wanted or [(each, Quantity.IOPS) for each in cells.values()]
    among = [each.workload for each in cells.values()]
    for cell, quantity in wanted[:FIGURES_MAX]:
        value = cell.of(quantity)
        if value is not None:
            unit = unit_of(quantity, [value])
            shown = f"{significant(unit.shown(value))} {_name(unit)}"
            yield f"{place_name(cell.workload, among)} {shown}{mark_of(cell.cell, findings)}"


def _name(unit: Unit) -> str:
    """What follows a number in a sentence."""
    names = {Quantity.IOPS: "IOPS", Quantity.LATENCY_NS_MEAN: f"{unit.name} mean latency"}
    return names.get(unit.quantity, unit.name)


def _rounds_facts(phases: Sequence[PhaseRounds]) -> Iterator[tuple[str, str]]:
    """How many rounds each phase has; nothing for a procedure of single trials."""
    found = [each for each in phases if each.role in REPEATED or each.rounds > 1]
    if found:
        names = "; ".join(f"{each.name}: {each.rounds}" for each in found)
        yield "rounds", names if len(found) > 1 else str(found[0].rounds)


def setup_groups(run: RunRecord, procedures: Sequence[ProcedureRounds]) -> Iterator[FactGroup]:
    """The device, its health before and after, the platform, and the parameters of each procedure."""
    host = run.header.host
    yield FactGroup("Device under test", tuple(device_facts(run)))
    yield FactGroup(
        "Test platform",
        (
            ("host", host.hostname or "unknown"),
            ("CPU", host.cpu_model or "unknown"),
            ("memory", format_size(host.memory_bytes)),
            ("OS", f"{host.distribution or ''} {host.kernel} {host.architecture}".strip()),
            ("test software", f"iosonde {run.header.iosonde_version}"),
        ),
    )
    for each in procedures:
        procedure = each.procedure
        planned = [plan for phase in procedure.phases for plan in cells_of(run, phase)]
        yield FactGroup(
            f"Set-up: {title_of(procedure)}",
            (
                ("specification", specification_text(procedure) or "none"),
                ("procedure", f"{procedure.name}, version {procedure.version}"),
                ("precondition", preconditioning_text(run, procedure)),
                ("test parameters", parameters_text(run, procedure)),
                *mixes_spelt_out(planned).items(),
                ("active range", f"{procedure.active_range_percent} %"),
                *_rounds_facts(each.phases),
            ),
        )
    yield from health_groups(run)
