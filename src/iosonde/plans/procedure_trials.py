"""The trials of procedures before they are chosen: as few, and as many, as their stop rules allow."""

from iosonde.records import CellTurn, Procedures


def procedure_trials(rule: Procedures, *, at_most: bool) -> tuple[CellTurn, ...]:
    """All trials of the procedures, with the largest or the smallest number of rounds. Their seeds are not known yet.

    A long trial that ends once its samples are steady is a trial in both cases.
    """
    named = (
        (procedure.name, phase.name, number, cell)
        for procedure in rule.procedures
        for phase in procedure.phases
        for number in range(1, phase.rounds(at_most=at_most) + 1)
        for cell in phase.round_cells
    )
    return tuple(
        CellTurn(order=order, cell=cell, repeat=1, seed=0, round=number, procedure=procedure, phase=phase)
        for order, (procedure, phase, number, cell) in enumerate(named, 1)
    )
