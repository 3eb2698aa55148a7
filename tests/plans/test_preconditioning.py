"""The forms of preconditioning: their writes, their amounts, and what is refused."""

import pytest

from iosonde.errors import UsageError
from iosonde.plans import TargetInfo, campaign_plan, check_plan, plan_cost, read_campaign
from iosonde.records import Access, Data, FastRandom, Plan, Workload, WriteStep, parse_pattern
from iosonde.report.preconditioning_words import writes_text
from iosonde.sources.engine.job import pattern_of

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
EXPERIMENT = """
[[experiment]]
name = "reads"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = 1
"""


def plan_of(keys: str, span_bytes: int = GIB, *, fill: bool = True, targets: int = 1) -> Plan:
    campaign = read_campaign(f'name = "mine"\n{keys}\n{EXPERIMENT}', "m.toml")
    target = TargetInfo(span_bytes=span_bytes, fill=fill, targets=targets)
    return campaign_plan(campaign, target, quick=False, seed=1)


def writes_of(keys: str, span_bytes: int = GIB) -> list[tuple[object, int, int, int | None]]:
    """The pattern, block size, queue depth and amount of each preconditioning write."""
    steps = plan_of(keys, span_bytes).writes_first
    return [_write(step) for step in steps]


def _write(step: WriteStep) -> tuple[object, int, int, int | None]:
    workload = step.cell.workload
    assert workload.read_percent == 0
    return workload.pattern, workload.block_size_bytes, workload.queue_depth, step.cell.timing.amount_bytes


def test_every_block_is_written_once_in_order_unless_a_campaign_says_otherwise() -> None:
    once = [(Access.SEQUENTIAL, MIB, 8, GIB)]
    assert writes_of("") == once
    assert writes_of('precondition = "once"') == once


def test_independent_preconditioning_writes_twice_the_capacity_in_order() -> None:
    assert writes_of('precondition = "independent"') == [(Access.SEQUENTIAL, 128 * KIB, 32, 2 * GIB)]
    several = writes_of('precondition = "independent"\nprecondition_capacities = 3')
    assert several == [(Access.SEQUENTIAL, 128 * KIB, 32, 3 * GIB)]


def test_random_preconditioning_writes_every_block_before_it_writes_at_random() -> None:
    assert writes_of('precondition = "random"') == [
        (Access.SEQUENTIAL, MIB, 8, GIB),
        (Access.RANDOM, 4 * KIB, 32, 2 * GIB),
    ]
    keys = 'precondition = "random"\nprecondition_capacities = 4\nprecondition_block_size = "16KiB"'
    assert writes_of(keys)[1] == (Access.RANDOM, 16 * KIB, 32, 4 * GIB)


@pytest.mark.parametrize(("spare", "permille"), [("15%", 150), ("7%", 70), ("14.5%", 145), ("28", 280)])
def test_fast_random_preconditioning_writes_all_assumed_flash_and_as_much_as_its_spare_part(
    spare: str, permille: int
) -> None:
    value = f'"{spare}"' if spare.endswith("%") else spare
    blocks = GIB // (4 * KIB)
    amount_bytes = (blocks + 2 * -(-blocks * permille // 1000)) * 4 * KIB
    keys = f'precondition = "fast-random"\nover_provisioning = {value}'
    assert writes_of(keys) == [(FastRandom(permille), 4 * KIB, 32, amount_bytes)]


def test_fast_random_preconditioning_assumes_fifteen_percent_unless_a_campaign_says_otherwise() -> None:
    ((pattern, *_),) = writes_of('precondition = "fast-random"')
    assert pattern == FastRandom(150)


def test_a_slc_cache_is_filled_before_the_modelled_writes() -> None:
    plan = plan_of('precondition = "fast-random"\nslc_cache = "40MB"')
    cache, modelled = (step.cell for step in plan.writes_first)
    # Whole blocks of 128 KiB.
    assert cache.workload.span_bytes == cache.timing.amount_bytes == 306 * 128 * KIB
    assert modelled.workload.span_bytes is None
    assert [step.order for step in plan.writes_first] == [-1, 0]


def test_a_target_that_is_only_read_is_not_preconditioned_in_any_form() -> None:
    assert plan_of('precondition = "fast-random"', fill=False).preparation == ()


def test_all_forms_write_the_requested_data_on_all_targets() -> None:
    for form in ("once", "independent", "random", "fast-random"):
        plan = plan_of(f'precondition = "{form}"\nfill = "zeros"', targets=2)
        assert {(step.cell.workload.data, step.cell.workload.targets) for step in plan.writes_first} == {
            (Data.ZEROS, 2)
        }


def test_the_bytes_of_a_form_are_known_beforehand_for_all_targets() -> None:
    plan = plan_of('precondition = "fast-random"\nover_provisioning = "25%"', targets=2)
    assert plan_cost(plan).fill_bytes == 2 * (GIB + GIB // 2)
    check_plan(plan, targets=2)


def test_small_random_writes_have_no_more_intervals_than_sequential_ones_at_a_tenth_of_the_rate() -> None:
    sequential, random = plan_of('precondition = "random"', span_bytes=256 * GIB).writes_first
    assert sequential.cell.timing.interval_ns * 20 == pytest.approx(random.cell.timing.interval_ns, rel=0.01)


@pytest.mark.parametrize(
    ("keys", "message", "hint"),
    [
        ('precondition = "sprandom"', 'm.toml:2: precondition = "sprandom" is not', "fast-random"),
        ("precondition_capacities = 3", "needs precondition = independent or random", 'add precondition = "random"'),
        (
            'precondition = "random"\nover_provisioning = "7%"',
            "m.toml:3: over_provisioning needs precondition = fast-random",
            'add precondition = "fast-random"',
        ),
        (
            'precondition = "fast-random"\nover_provisioning = "0.5%"',
            'over_provisioning = "0.5%" is not in the range 1% to 400%',
            "",
        ),
        (
            'precondition = "random"\nprecondition_capacities = 101',
            "precondition_capacities = 101 is not in the range 1 to 100",
            "",
        ),
        ('precondition = "fast-random"\nslc_cache = "2GiB"', "slc_cache 2 GiB is larger than the test region", ""),
        (
            'precondition = "fast-random"\nprecondition_block_size = "3KiB"',
            "is not a multiple of the block size 3 KiB",
            "set precondition_block_size to 4KiB",
        ),
    ],
)
def test_a_mistake_is_told_with_the_way_out(keys: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as refused:
        plan_of(keys)
    assert message in refused.value.message
    assert hint in (refused.value.hint or "")


def test_the_modelled_writes_are_no_workload_to_measure() -> None:
    campaign = read_campaign('name = "mine"\n' + EXPERIMENT.replace('"random"', '"fast-random:15"'), "m.toml")
    plan = campaign_plan(campaign, TargetInfo(span_bytes=GIB, fill=True), quick=False, seed=1)
    with pytest.raises(UsageError, match="fast-random:15 is a preconditioning write, not a workload to measure"):
        check_plan(plan, targets=1)


def test_the_pattern_of_a_record_is_read_back_and_reaches_the_engine() -> None:
    pattern = FastRandom(145)
    assert str(pattern) == "fast-random:14.5"
    assert parse_pattern(str(pattern), "pattern") == pattern
    assert pattern_of(pattern) == {"fast_random": {"over_provisioning_permille": 145}}


@pytest.mark.parametrize("text", ["fast-random", "fast-random:0.9", "fast-random:401", "fast-random:much"])
def test_an_over_provisioning_outside_its_range_is_no_pattern(text: str) -> None:
    with pytest.raises(UsageError, match="the over-provisioning must be between 1 and 400 %"):
        parse_pattern(text, "pattern")


def test_the_assumptions_are_told_with_the_writes() -> None:
    asked = Workload(pattern=FastRandom(145), read_percent=0, block_size_bytes=4096, queue_depth=32)
    told = "fast-random 4 KiB writes (assumes an over-provisioning of 14.5 % and an empty drive)"
    assert writes_text(asked) == told
    plain = asked.model_copy(update={"pattern": Access.SEQUENTIAL, "span_bytes": 2 * MIB})
    assert writes_text(plain) == "sequential 4 KiB writes of the first 2 MiB"
