"""Where single trials are listed, each is named by its phase, its round and its attempt."""

import re

from iosonde.analysis.procedures.from_run import discarded_attempts
from iosonde.analysis.run import RunAnalysis
from iosonde.analysis.tables import cell_table
from iosonde.records import PhasePlan, Procedure, Procedures, RunRecord
from iosonde.report.facts import fact_groups
from iosonde.report.measurement_order import measurements, plan_listing
from iosonde.report.terminal.cell_choice import chosen_cell
from iosonde.report.terminal.cell_view import render_cell
from iosonde.vocabulary import PhaseRole
from tests.procedure_builder import WRITE, procedure_run, steady_procedure, write_rounds
from tests.report.terminal.test_views import lines_of

PHASES = ("before", "after", "after")


def two_phases() -> Procedure:
    """A procedure that measures a cell in two phases."""
    names = dict.fromkeys(PHASES)
    phases = tuple(PhasePlan(name=each, role=PhaseRole.ROUNDS, cells=(WRITE.cell,)) for each in names)
    return steady_procedure(phases=phases)


def run_of_phases(attempt: int = 1) -> RunRecord:
    """One trial of the first phase, and two of the second."""
    return procedure_run(two_phases(), write_rounds(100, 110, 120), phase=PHASES, attempt=attempt)


def test_the_table_of_cells_names_the_procedure_and_the_attempt_of_each_trial() -> None:
    table = cell_table(RunAnalysis(run_of_phases(attempt=2)))
    trials = zip(*(table[name].tolist() for name in ("procedure", "attempt", "phase")), strict=True)

    assert set(trials) == {("test", 2, "before"), ("test", 2, "after")}


def test_the_run_order_names_the_phase_and_the_round_of_each_trial() -> None:
    analysis = RunAnalysis(run_of_phases())
    rows = measurements(analysis.run, analysis.estimates)

    assert [row[-2:] for row in rows] == [
        ("before, round 1", "finished, earlier phase"),
        ("after, round 1", "finished, used"),
        ("after, round 2", "finished, used"),
    ]
    assert [head.name for head in plan_listing(rows).table.heads[-2:]] == ["Phase", "Outcome"]


def test_the_run_order_names_the_attempt_after_the_first_and_the_procedure_if_there_are_several() -> None:
    run = run_of_phases(attempt=2)
    procedures = (two_phases(), two_phases().model_copy(update={"name": "other"}))
    plan = run.header.plan.model_copy(update={"stop": Procedures(procedures=procedures)})
    several = run.model_copy(update={"header": run.header.model_copy(update={"plan": plan})})
    analysis = RunAnalysis(several)

    assert measurements(analysis.run, analysis.estimates)[0][-2] == "test, before, round 1, attempt 2"


def test_the_details_of_a_cell_count_the_trials_of_all_phases_and_name_the_phase_of_each() -> None:
    run = run_of_phases()
    text = "\n".join(lines_of(render_cell(run, chosen_cell(run, WRITE.cell, None), (), all_findings=False), 160))

    assert "Repeats: 3 finished" in text
    assert re.search(r"^phase +1: before; 2: after; 3: after *$", text, re.MULTILINE)


def test_the_trials_of_an_earlier_attempt_are_counted_as_repeated() -> None:
    first, second = run_of_phases(), run_of_phases(attempt=2)
    moved = {"order": 10}
    turns = tuple(each.model_copy(update={"order": each.order + moved["order"]}) for each in second.turns_chosen)
    cells = tuple(each.model_copy(update={"order": each.order + moved["order"]}) for each in second.cells)
    starts = (*first.procedure_starts, *second.procedure_starts)
    run = first.model_copy(
        update={
            "cells": (*first.cells, *cells),
            "turns_chosen": (*first.turns_chosen, *turns),
            "procedure_starts": starts,
        }
    )
    facts = [pair for group in fact_groups(RunAnalysis(run)) for pair in group.facts]

    assert discarded_attempts(run) == len(first.cells)
    assert ("trials repeated after an interruption or failure", str(len(first.cells))) in facts
