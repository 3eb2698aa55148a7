"""Shows the procedures of a run on a terminal: conditions, steady state and figures."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from iosonde.analysis.procedures import determinations_of, procedures_of
from iosonde.analysis.procedures.conditions import conditions_of
from iosonde.records import RunRecord
from iosonde.report.procedures.results import result_tables
from iosonde.report.procedures.steady_tables import criteria_table, determination_table
from iosonde.report.procedures.tables import condition_table
from iosonde.report.procedures.words import statement_of, title_of
from iosonde.report.tables import ResultTable
from iosonde.report.terminal.figures import render_table
from iosonde.report.validity import Invalid
from iosonde.vocabulary import PhaseRole


def render_procedures(run: RunRecord, invalid: Invalid) -> Iterator[RenderableType]:
    """Each procedure with its tables; nothing for a run without procedures."""
    for rounds in procedures_of(run):
        yield Text(title_of(rounds.procedure), style="bold underline")
        yield Text(statement_of(rounds))
        tables: list[ResultTable | None] = [condition_table(conditions_of(run, rounds, invalid))]
        for phase in rounds.all_judged:
            found = determinations_of(phase)
            tables += [determination_table(found, invalid, list(phase.workloads.values()))] if found else []
            tables.append(criteria_table(phase))
        for phase in rounds.all_of(PhaseRole.ROUNDS):
            tables += result_tables(rounds.procedure.kind, phase.reported, invalid, {})
        for table in tables:
            if table is not None:
                yield Text(table.caption, style="dim")
                yield render_table(table)
                yield Text()
