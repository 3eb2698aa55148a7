"""The order of explanations, and the campaign that decides each of them."""

from typing import Any

from iosonde.analysis.run import RunAnalysis
from iosonde.explanations import DECISIONS, Mechanism, decision_for, explain
from iosonde.findings import Case
from iosonde.findings.finding import Confidence
from iosonde.plans import PROFILES
from iosonde.records import Access
from tests.builders import workload
from tests.explanations.marks import thrice
from tests.sweep_builder import run_of_cells

ONE: dict[str, Any] = {"queue_depth": 1}


def test_likely_explanations_come_first_then_those_with_the_largest_effect() -> None:
    run = run_of_cells(
        {
            workload(**ONE): thrice(100),
            workload(pattern=Access.SEQUENTIAL, **ONE): thrice(20),
            workload(read_percent=0, **ONE): thrice(10),
            workload(read_percent=0): thrice(9_000),
            workload(read_percent=0, pattern=Access.SEQUENTIAL): thrice(100),
        }
    )
    found = explain(Case.of(RunAnalysis(run)), ())
    assert [(each.mechanism, each.confidence) for each in found] == [
        (Mechanism.WRITE_BUFFER, Confidence.LIKELY),
        (Mechanism.READ_AHEAD, Confidence.LIKELY),
        (Mechanism.COLLECTION, Confidence.POSSIBLE),
    ]


def test_a_run_without_any_mark_has_no_explanation() -> None:
    cells = {workload(**ONE): thrice(100), workload(read_percent=0, **ONE): thrice(101)}
    assert explain(Case.of(RunAnalysis(run_of_cells(cells))), ()) == ()


def test_every_mechanism_is_decided_by_a_shipped_campaign() -> None:
    assert set(DECISIONS) == set(Mechanism)
    assert {each.profile for each in DECISIONS.values()} <= set(PROFILES)
    run = run_of_cells({workload(**ONE): thrice(100), workload(read_percent=0, **ONE): thrice(10)})
    (found,) = explain(Case.of(RunAnalysis(run)), ())
    assert decision_for(found).profile == "decide-bursts"
