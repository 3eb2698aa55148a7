"""A run and its estimates, which are computed on demand and cached in the ``RunAnalysis`` only."""

import pytest

from iosonde.analysis.experiments import RunEstimates, estimate_run
from iosonde.analysis.run import RunAnalysis
from iosonde.records import RunRecord
from tests.lab_builder import lab_run


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The name of the run of each computation of estimates, in order."""
    computed: list[str] = []

    def counting(run: RunRecord) -> RunEstimates:
        computed.append(run.header.run)
        return estimate_run(run)

    monkeypatch.setattr("iosonde.analysis.run.estimate_run", counting)
    return computed


def named(name: str) -> RunAnalysis:
    run = lab_run(repeats=1)
    return RunAnalysis(run.model_copy(update={"header": run.header.model_copy(update={"run": name})}))


def test_nothing_is_computed_before_it_is_asked_for(counted: list[str]) -> None:
    named("one")
    assert counted == []


def test_runs_that_are_looked_at_in_turns_are_computed_once_each(counted: list[str]) -> None:
    one, other = named("one"), named("other")
    held = [each.estimates for each in (one, other, one, other)]
    assert counted == ["one", "other"]
    assert held[0] is held[2]
    assert held[1] is held[3]


def test_another_analysis_of_the_same_run_computes_for_itself(counted: list[str]) -> None:
    one = named("one")
    assert RunAnalysis(one.run).estimates == one.estimates
    assert counted == ["one", "one"]
