"""Runs side by side: which cells are the same, and whether their rounds overlap."""

import pytest

from iosonde.analysis.procedures import procedures_of
from iosonde.analysis.procedures.side_by_side import Place, SameTest, Source, overlaps, same_tests
from iosonde.records import RunRecord
from iosonde.vocabulary import Access, ProcedureKind, Quantity
from tests.builders import cell_plan, workload
from tests.procedure_builder import MATRIX, READ, WRITE, procedure_run, steady_procedure, write_rounds


def run(*values: int, kind: ProcedureKind = ProcedureKind.IOPS, name: str = "test") -> RunRecord:
    return procedure_run(steady_procedure(kind=kind, name=name), write_rounds(*values))


def source(label: str, record: RunRecord) -> Source:
    return Source(label, procedures_of(record), record)


def test_runs_of_one_kind_of_test_are_the_same_test_whatever_its_name() -> None:
    first, second = run(*[100] * 5, name="pts"), run(*[200] * 5, name="other")
    (found,) = same_tests([source("a", first), source("b", second)])
    assert [each.label for each in found.entries] == ["a", "b"]
    assert [each[Place("0/100", "4 KiB")].cell.iops for each in found.figures] == [100, 200]


def test_procedures_of_a_user_are_the_same_test_if_they_have_one_name() -> None:
    own = ProcedureKind.ROUNDS
    first, same, other = (run(*[100] * 5, kind=own, name=name) for name in ("mine", "mine", "theirs"))
    assert len(same_tests([source("a", first), source("b", same), source("c", other)])[0].entries) == 2
    assert same_tests([source("a", first), source("c", other)]) == ()


def test_cells_that_only_one_run_has_are_kept() -> None:
    whole = procedure_run(
        steady_procedure(MATRIX, kind=ProcedureKind.IOPS),
        [{each.cell: 100 for each in MATRIX}] * 5,
        MATRIX,
    )
    (found,) = same_tests([source("a", run(*[100] * 5)), source("b", whole)])
    assert len(found.places) == 4
    assert [len(each) for each in found.figures] == [1, 4]


def test_the_demand_is_not_part_of_a_cell_unless_a_test_has_several() -> None:
    deep = cell_plan(workload(read_percent=0, queue_depth=32), WRITE.experiments[0], timing=WRITE.timing)
    only_deep = procedure_run(
        steady_procedure((deep,), (deep,), kind=ProcedureKind.IOPS), [{deep.cell: 100}] * 5, (deep,)
    )
    both = procedure_run(
        steady_procedure((WRITE, deep), (deep,), kind=ProcedureKind.IOPS),
        [{WRITE.cell: 50, deep.cell: 100}] * 5,
        (WRITE, deep),
    )
    assert places(source("a", run(*[100] * 5)), source("b", only_deep)) == {"4 KiB 0/100"}
    assert places(source("a", only_deep), source("b", both)) == {
        f"4 KiB 0/100 1 × QD {depth}" for depth in (WRITE.workload.queue_depth, 32)
    }


def test_cells_that_only_their_pattern_tells_apart_are_all_compared() -> None:
    deep = workload(read_percent=0, pattern=Access.SEQUENTIAL)
    streamed = cell_plan(deep, WRITE.experiments[0], timing=WRITE.timing)
    both = procedure_run(
        steady_procedure((WRITE, streamed), (WRITE,), kind=ProcedureKind.IOPS),
        [{WRITE.cell: 50, streamed.cell: 100}] * 5,
        (WRITE, streamed),
    )
    assert places(source("a", run(*[100] * 5)), source("b", both)) == {"4 KiB 0/100 random", "4 KiB 0/100 sequential"}


def test_the_rounds_of_no_steady_state_overlap_with_nothing() -> None:
    (found,) = same_tests([source("a", run(50, 400, 100, 300, 20)), source("b", run(*[100] * 5))])
    assert overlaps(of_rounds(found, 0), of_rounds(found, 1)) is None


def places(*sources: Source) -> set[str]:
    (found,) = same_tests(sources)
    return set(map(str, found.places))


def test_a_drive_that_was_tested_twice_in_one_run_has_two_entries() -> None:
    twice = source("a", run(*[100] * 5, name="first"))
    again = procedures_of(run(*[110] * 5, name="second"))
    (found,) = same_tests([Source("a", (*twice.procedures, *again))])
    assert [each.label for each in found.entries] == ["a: first", "a: second"]


def test_the_values_of_the_rounds_are_those_of_the_window() -> None:
    (found,) = same_tests([source("a", run(900, 100, 101, 102, 103, 104)), source("b", run(*[100] * 5))])
    assert of_rounds(found, 0) == [100, 101, 102, 103, 104]


def of_rounds(found: SameTest, number: int) -> list[float]:
    return found.figures[number][Place("0/100", "4 KiB")].of_rounds(Quantity.IOPS)


@pytest.mark.parametrize(
    ("first", "second", "answer"),
    [
        ([1.0, 2.0], [2.0, 3.0], True),
        ([1.0, 2.0], [2.1, 3.0], False),
        ([2.1, 3.0], [1.0, 2.0], False),
        ([1.0, 9.0], [3.0, 4.0], True),
        ([1.0], [1.0, 2.0], None),
    ],
)
def test_rounds_overlap_if_their_ranges_do(first: list[float], second: list[float], answer: bool | None) -> None:
    assert overlaps(first, second) is answer


def test_a_procedure_that_has_not_begun_is_not_compared() -> None:
    never = run(*[100] * 5).model_copy(update={"cells": (), "turns_chosen": (), "procedure_starts": ()})
    assert same_tests([source("a", run(*[100] * 5)), source("b", never)]) == ()
    assert READ.cell not in {each.cell for each in run(*[100] * 5).cells}
