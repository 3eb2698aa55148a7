"""The write cache of drives as a setting of cells."""

import pytest

from iosonde.errors import UsageError
from iosonde.plans import TargetInfo, campaign_plan, read_campaign
from iosonde.records import Plan, WriteCache
from tests.house.asked_workloads import probed

ON, OFF = WriteCache.ON, WriteCache.OFF
GIB = 1 << 30


def plan_of(*caches: str, read: int = 0, fill: bool = True) -> Plan:
    """The plan of a campaign with an experiment for each of these."""
    tables = [
        f'[[experiment]]\nname = "e{number}"\npattern = "random"\nread = {read}\nblock_size = "4KiB"\n'
        f"queue_depth = {number}\n{cache}\n"
        for number, cache in enumerate(caches, 1)
    ]
    campaign = read_campaign("\n".join(['name = "mine"', *tables]), "m.toml")
    return campaign_plan(campaign, TargetInfo(span_bytes=GIB, fill=fill), quick=False, seed=1)


def caches_of(plan: Plan) -> list[WriteCache | None]:
    return [cell.workload.write_cache for cell in plan.every_cell]


def test_a_list_is_an_axis_and_each_value_is_in_the_name_of_its_cell() -> None:
    plan = plan_of('write_cache = ["on", "off"]', fill=False)
    assert [(cell.cell, cell.workload.write_cache) for cell in plan.cells] == [
        ("random-write-4KiB-qd1-write-cache-on", ON),
        ("random-write-4KiB-qd1-write-cache-off", OFF),
    ]


def test_a_flag_and_a_key_are_the_same_cell() -> None:
    one = probed({"read": 0, "write_cache": "off"})
    assert one.workload == plan_of('write_cache = "off"').cells[0].workload


def test_without_the_key_the_cache_stays_as_it_is() -> None:
    plan = plan_of("", read=100, fill=False)
    assert caches_of(plan) == [None]
    assert not plan.sets_write_cache
    assert not plan.needs_grant


def test_reads_with_the_key_need_a_grant_and_write_nothing() -> None:
    plan = plan_of('write_cache = "off"', read=100, fill=False)
    assert plan.needs_grant
    assert not plan.changes


@pytest.mark.parametrize(
    ("caches", "first"),
    [
        (('write_cache = "off"',), OFF),
        (('write_cache = "off"', 'write_cache = "off"'), OFF),
        (('write_cache = ["on", "off"]',), None),
        (('write_cache = "off"', ""), None),
        (("",), None),
    ],
)
def test_preconditioning_has_the_setting_that_all_cells_share(caches: tuple[str, ...], first: object) -> None:
    assert caches_of(plan_of(*caches))[0] is first


def test_other_words_are_refused_with_those_that_exist() -> None:
    with pytest.raises(UsageError) as caught:
        plan_of('write_cache = "write back"')
    assert "on" in f"{caught.value.message} {caught.value.hint}"
