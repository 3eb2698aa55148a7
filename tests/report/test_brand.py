"""The labels of a whole run that come before its numbers."""

import pytest

from iosonde.records import RunRecord
from iosonde.report.brand import brands_of
from tests.procedure_builder import procedure_run, steady_procedure, write_rounds

RUN = procedure_run(steady_procedure(), write_rounds(*[100] * 5))


def on_targets(number: int) -> RunRecord:
    header = RUN.header.model_copy(update={"more_targets": (RUN.header.target,) * (number - 1)})
    return RUN.model_copy(update={"header": header})


@pytest.mark.parametrize(("targets", "words"), [(1, []), (2, ["totals of 2 targets"]), (12, ["totals of 12 targets"])])
def test_results_of_several_targets_are_called_totals(targets: int, words: list[str]) -> None:
    assert [each.word for each in brands_of(on_targets(targets)) if "total" in each.word] == words
