"""Sustained experiments in campaign files: their cells, their order, their time, and what cannot be combined."""

import pytest

from iosonde.errors import UsageError
from iosonde.plans import TargetInfo, campaign_plan, read_campaign
from iosonde.plans.cost import plan_cost
from iosonde.records import Experiment, Plan
from iosonde.units import SECOND_NS

HEAD = 'name = "mine"\nrepeats = 3\n'
USUAL = '[[experiment]]\nname = "usual"\npattern = "random"\nread = 100\nblock_size = "4KiB"\nqueue_depth = 1\n'
SUSTAINED = USUAL.replace("usual", "sustained") + 'kind = "sustained"\n'
TIMED = SUSTAINED + 'duration = "60s"\n'


def plan_of(text: str, *, quick: bool = False) -> Plan:
    target = TargetInfo(span_bytes=1 << 30, fill=False)
    return campaign_plan(read_campaign(text, "m.toml"), target, quick=quick, seed=1)


def test_each_idle_time_is_a_stretch_of_its_own_measured_once_and_after_all_other_cells() -> None:
    plan = plan_of(HEAD + TIMED + 'idle = ["0s", "5m"]\n' + USUAL)
    long = [cell for cell in plan.cells if cell.experiments == (Experiment.SUSTAINED,)]
    assert [cell.timing.idle_ns for cell in long] == [0, 300 * SECOND_NS]
    assert [turn.cell for turn in plan.turns[3:]] == [cell.cell for cell in long]
    assert len(plan.turns) == 3 + 2
    assert "idle" in long[1].cell


def test_a_stretch_has_no_warm_up_and_short_intervals() -> None:
    (cell,) = plan_of(HEAD + TIMED).cells
    assert (cell.timing.warmup_ns, cell.timing.measure_ns) == (0, 60 * SECOND_NS)
    assert cell.timing.interval_ns == 20 * 10**6
    (cell,) = plan_of(HEAD + SUSTAINED + 'amount = "2GiB"\n').cells
    assert cell.timing.amount_bytes == 2 << 30


def test_the_plan_counts_idle_times() -> None:
    without, idle = (plan_cost(plan_of(HEAD + TIMED + f'idle = ["{idle}"]\n')).duration_ns for idle in ("0s", "5m"))
    assert idle - without == 300 * SECOND_NS


def test_the_quick_form_has_one_short_stretch() -> None:
    (cell,) = plan_of(HEAD + TIMED + 'idle = ["0s", "5m"]\n', quick=True).cells
    assert cell.timing.idle_ns == 0


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        (HEAD + SUSTAINED, "sustained needs a duration or an amount", 'add duration = "30m"'),
        (HEAD + USUAL + 'idle = "5m"\n', "idle needs kind = sustained", 'add kind = "sustained"'),
        (HEAD + TIMED + 'warmup = "1s"\n', "sustained has no warm-up", "omit warmup"),
        (HEAD + TIMED + "repeats = 2\n", "sustained measures each stretch once", "omit repeats"),
        (
            'precision = "5%"\n' + HEAD + TIMED,
            "precision cannot be combined with kind = sustained",
            "put them in a separate campaign file",
        ),
        (HEAD + TIMED + 'rate = "1k"\n', "rate cannot be combined with kind = sustained", "omit kind"),
    ],
)
def test_what_cannot_be_combined_is_refused_with_the_way_out(text: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as told:
        read_campaign(text, "m.toml")
    assert message in told.value.message
    assert hint in told.value.hint
