"""A short version of the check of explanations: one drive per mechanism, measured with the campaign that decides."""

import pytest

from iosonde.analysis.run import RunAnalysis
from iosonde.explanations import DECISIONS, Explanation, Mechanism, explain
from iosonde.findings import Case
from iosonde.records import RunRecord
from tests.judging import findings_of
from verify.mechanisms import PROFILE, Named, holds, run_of
from verify.random_drives import SWITCHES

SEED = 77


def explained(run: RunRecord) -> tuple[Explanation, ...]:
    return explain(Case.of(RunAnalysis(run)), findings_of(run))


@pytest.mark.parametrize("mechanism", SWITCHES)
def test_the_deciding_campaign_shows_a_mechanism_that_is_switched_on(mechanism: Mechanism) -> None:
    found = explained(run_of(SEED, mechanism, DECISIONS[mechanism].profile))
    assert mechanism in [each.mechanism for each in found]


@pytest.mark.parametrize("profile", ["decide-bursts", "decide-durability", "decide-order", "decide-working-set"])
def test_the_deciding_campaign_shows_nothing_where_no_mechanism_is_switched_on(profile: str) -> None:
    assert explained(run_of(SEED, None, profile)) == ()


def test_a_drive_without_a_mechanism_is_not_explained() -> None:
    assert explained(run_of(SEED, None, PROFILE)) == ()


def test_enough_drives_must_be_right() -> None:
    def named(mechanism: Mechanism | None, right: int) -> Named:
        return Named(mechanism=mechanism, drives=100, right=right, without_counters=0, others=())

    assert holds([named(Mechanism.FLUSH, 100), named(Mechanism.READ_AHEAD, 80), named(None, 95)])
    assert not holds([named(Mechanism.FLUSH, 100), named(Mechanism.READ_AHEAD, 79), named(None, 95)])
    assert not holds([named(Mechanism.FLUSH, 100), named(None, 94)])
