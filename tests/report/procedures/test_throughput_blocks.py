"""The bandwidth of all throughput procedures of a run together, by block size."""

from collections.abc import Sequence

from iosonde.analysis.run import RunAnalysis
from iosonde.charts.figure import Figure
from iosonde.findings import Finding, Severity
from iosonde.records import CellPlan, Procedures, RunRecord
from iosonde.report.page import page_of
from iosonde.report.tables import ResultTable
from iosonde.report.titles import IN_SHORT
from iosonde.vocabulary import ProcedureKind, Quantity
from tests.builders import finding
from tests.procedure_builder import LARGE_READ, LARGE_WRITE, MATRIX, READ, WRITE, procedure_run, steady_procedure

SMALL, LARGE = (READ, WRITE), (LARGE_READ, LARGE_WRITE)
IOPS = {READ.cell: 2000, WRITE.cell: 1000, LARGE_READ.cell: 200, LARGE_WRITE.cell: 100}
ID = "throughput-by-block-size"


def throughput_run(*tests: Sequence[CellPlan], kind: ProcedureKind = ProcedureKind.THROUGHPUT) -> RunRecord:
    """A run with a procedure of five rounds for each of the tests."""
    procedures = [
        steady_procedure(cells, cells[-1:], quantity=Quantity.BYTES_PER_S, kind=kind, name=f"tp-{number}")
        for number, cells in enumerate(tests, 1)
    ]
    parts = [
        procedure_run(procedure, [{each.cell: IOPS[each.cell] for each in cells}] * 5, MATRIX)
        for procedure, cells in zip(procedures, tests, strict=True)
    ]
    first = parts[0]
    turns = [turn for part in parts for turn in part.turns_chosen]
    records = [record for part in parts for record in part.cells]
    plan = first.header.plan.model_copy(update={"stop": Procedures(procedures=tuple(procedures))})
    return first.model_copy(
        update={
            "header": first.header.model_copy(update={"plan": plan}),
            "cells": tuple(each.model_copy(update={"order": order}) for order, each in enumerate(records, 1)),
            "turns_chosen": tuple(each.model_copy(update={"order": order}) for order, each in enumerate(turns, 1)),
            "procedure_starts": tuple(start for part in parts for start in part.procedure_starts),
        }
    )


def shown(run: RunRecord, findings: Sequence[Finding] = ()) -> tuple[ResultTable, Figure]:
    page = page_of(RunAnalysis(run), findings)
    [table] = [each for each in page.all_of(ResultTable) if each.caption.startswith("Bandwidth by block size")]
    [figure] = [each for each in page.figures if each.id == ID]
    return table, figure


def texts(table: ResultTable) -> list[tuple[str, ...]]:
    return [line.texts for line in table.lines]


def test_procedures_of_one_block_size_each_have_one_table_and_one_chart_together() -> None:
    table, figure = shown(throughput_run(LARGE, SMALL))

    assert [(head.name, head.unit) for head in table.heads] == [
        ("Block size", ""),
        ("Reads", "MB/s"),
        ("Writes", "MB/s"),
    ]
    assert texts(table) == [("4 KiB", "8.192", "4.096"), ("64 KiB", "13.11", "6.554")]
    assert [(row["block_size"], row["series"], row["bandwidth_mb_per_s"]) for row in figure.rows] == [
        ("4 KiB", "reads", 8.192),
        ("4 KiB", "writes", 4.096),
        ("64 KiB", "reads", 13.1072),
        ("64 KiB", "writes", 6.5536),
    ]


def test_a_procedure_of_one_block_size_has_them_as_well() -> None:
    table, figure = shown(throughput_run(SMALL))

    assert texts(table) == [("4 KiB", "8.192", "4.096")]
    assert [row["series"] for row in figure.rows] == ["reads", "writes"]


def test_they_are_in_the_summary() -> None:
    page = page_of(RunAnalysis(throughput_run(SMALL)), [])

    assert page.chapters[0].title == IN_SHORT.title
    assert ID in [figure.id for figure in page.chapters[0].all_of(Figure)]


def test_invalid_and_doubtful_bandwidths_are_marked_in_both() -> None:
    findings = [
        finding("mix-not-kept", Severity.INVALID, cells=(READ.cell,)),
        finding("latency-cut-short", Severity.DOUBTFUL, cells=(LARGE_WRITE.cell,)),
    ]
    table, figure = shown(throughput_run(SMALL, LARGE), findings)

    assert texts(table) == [("4 KiB", "8.192 ×", "4.096"), ("64 KiB", "13.11", "6.554 ?")]
    assert table.notes == ("× INVALID, see mix-not-kept.", "? doubtful, see latency-cut-short.")
    assert [row["drawn_label"] for row in figure.rows] == ["8.192 ×", "4.096", "13.11", "6.554 ?"]
    assert "? doubtful, see latency-cut-short." in figure.caption
    assert f"INVALID, crossed out, see mix-not-kept: {READ.cell}." in figure.caption


def test_a_direction_that_no_procedure_measures_has_no_column() -> None:
    table, figure = shown(throughput_run((WRITE,), (LARGE_WRITE,)))

    assert [head.name for head in table.heads] == ["Block size", "Writes"]
    assert {row["series"] for row in figure.rows} == {"writes"}


def test_a_block_size_without_reads_has_a_dash_for_them() -> None:
    table, _ = shown(throughput_run(SMALL, (LARGE_WRITE,)))

    assert texts(table) == [("4 KiB", "8.192", "4.096"), ("64 KiB", "–", "6.554")]


def test_procedures_of_the_same_block_size_are_told_apart_by_their_names() -> None:
    table, _ = shown(throughput_run(SMALL, SMALL))

    assert [line.texts[0] for line in table.lines] == ["4 KiB, tp-1", "4 KiB, tp-2"]


def test_other_procedures_have_neither() -> None:
    page = page_of(RunAnalysis(throughput_run(SMALL, kind=ProcedureKind.IOPS)), [])

    assert ID not in [figure.id for figure in page.figures]
    assert not [each for each in page.all_of(ResultTable) if each.caption.startswith("Bandwidth by block size")]
