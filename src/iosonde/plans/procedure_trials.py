"""The trials of procedures before they are chosen: as few, and as many, as their stop rules allow."""

from collections.abc import Iterator
from itertools import chain

from iosonde.records import CellTurn, PhasePlan, Procedures, Rounds, SteadySamples, SteadyState


def procedure_trials(rule: Procedures, *, at_most: bool) -> tuple[CellTurn, ...]:
    """All trials of the procedures, with the largest or the smallest number of rounds. Their seeds are not known yet.

    A long trial that ends once its samples are steady is a trial in both cases.
    """
    named = (
        (procedure.name, phase.name, number, cell)
        for procedure in rule.procedures
        for phase in procedure.phases
        for number in range(1, rounds_of(phase, at_most=at_most) + 1)
        for cell in _cells_of(phase)
    )
    return tuple(
        CellTurn(order=order, cell=cell, repeat=1, seed=0, round=number, procedure=procedure, phase=phase)
        for order, (procedure, phase, number, cell) in enumerate(named, 1)
    )


def rounds_of(phase: PhasePlan, *, at_most: bool) -> int:
    """The number of rounds of a phase, at most or at least."""
    match phase.stop:
        case Rounds(rounds=rounds):
            return rounds
        case SteadySamples():
            return 1
        case SteadyState(rounds_max=most, window=window):
            return most if at_most else min(window, most)


def _cells_of(phase: PhasePlan) -> Iterator[str]:
    if phase.points is None:
        return iter(phase.cells)
    # Three operating points. All cells of a demand variation take the same time.
    return chain.from_iterable(list(phase.points.cells.values())[:3])
