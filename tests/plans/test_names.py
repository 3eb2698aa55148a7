"""Names of cells: each cell has one of its own, exact for every key and value, and those of before are kept."""

import re
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from iosonde.errors import UsageError
from iosonde.plans import CampaignTable, TargetInfo, build, campaign_plan, cell_name
from iosonde.records import Plan, SessionEnd
from iosonde.store import RunDirectory, load_run
from iosonde.workload_keys import EXPERIMENT_KEYS, OneOf, Switch, Whole
from tests.builders import cell_record, run_record, workload

TIB: Final = 1 << 40
# Letters, digits and three signs: no shell, no CSV file and no file system sees anything in them.
PLAIN = re.compile(r"[A-Za-z0-9.+-]+")
TIME_UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
SIZE_UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "kB": 10**3, "MB": 10**6, "GB": 10**9}


def values(
    one: st.SearchStrategy[Any], key: Callable[[Any], object] = lambda value: value
) -> st.SearchStrategy[list[Any]]:
    """One to three values; a few of them, so that combinations stay few."""
    return st.lists(one, min_size=1, max_size=3, unique_by=key)


def quantity(most: int, units: dict[str, int], least: int = 0) -> st.SearchStrategy[str]:
    """Numbers with units, many of them close to each other, where rounding would make them one."""

    def text(number: int, unit: str) -> str:
        return f"{number}{unit}"

    near = [
        1,
        99,
        100,
        999,
        1000,
        1001,
        1023,
        1024,
        1025,
        1500,
        1536,
        1537,
        5000,
        5001,
        60_000,
        99_949,
        99_950,
        100_000,
    ]
    numbers = st.sampled_from(near) | st.integers(1, 10**6)
    return st.builds(text, numbers, st.sampled_from(sorted(units))).filter(
        lambda each: least <= amount_of(each, units) <= most
    )


def amount_of(text: str, units: dict[str, int]) -> int:
    digits = re.match(r"\d+", text)
    assert digits is not None
    return int(digits[0]) * units[text[digits.end() :]]


def by_size(text: str) -> int:
    return amount_of(text, SIZE_UNITS)


def by_time(text: str) -> int:
    return amount_of(text, TIME_UNITS)


sizes = st.integers(1, 131_072).map(lambda sectors: f"{sectors * 512}B")
thousandths = st.integers(1, 499).map(lambda value: f"{value / 1000:.3f}")
placed = st.sampled_from(["", ":together", ":scattered"])
hot = st.tuples(st.integers(1, 499), st.integers(1, 499), placed).map(
    lambda zone: f"hot:{zone[0] / 10:.1f}/{zone[1] / 10:.1f}{zone[2]}"
)
patterns = st.one_of(
    st.sampled_from(["random", "sequential", "permutation"]),
    st.tuples(st.sampled_from(["zipf", "pareto"]), thousandths, placed).map(
        lambda each: f"{each[0]}:{each[1]}{each[2]}"
    ),
    hot,
    st.integers(1, 4096).map(lambda sectors: f"strided:{sectors * 512}B"),
    st.integers(1, 100).map(lambda percent: f"runs:{percent}"),
)
mixes = st.lists(
    st.tuples(st.integers(1, 2048), st.integers(1, 100)), min_size=2, max_size=4, unique_by=lambda share: share[0]
).map(lambda shares: ",".join(f"{sectors * 512}B:{weight}" for sectors, weight in shares))


def canonical(key: str, value: object) -> str:
    """What a value means, by the code that reads it."""
    table: dict[str, object] = {
        "name": "x",
        "pattern": "random",
        "read": 50,
        "block_size": "4KiB",
        "queue_depth": 1,
        key: value,
    }
    if key == "arrivals":
        table["rate"] = 1
    if key in {"burst", "think_time"}:
        table = {"burst": 1, "think_time": "1ms"} | table
    if key in {"on_time", "off_time"}:
        table = {"on_time": "1ms", "off_time": "1ms"} | table
    campaign = CampaignTable.model_validate({"name": "x", "experiment": [table]})
    return str(getattr(campaign.experiment[0], key))


def of(key: str, one: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return values(one, lambda value: canonical(key, value))


NEEDED = {
    "pattern": of("pattern", patterns),
    "read": values(st.integers(0, 99)),
    "block_size": of("block_size", sizes | mixes),
    "queue_depth": values(st.integers(1, 4096)),
}


def of_kind(kind: Whole | OneOf[Any] | Switch) -> st.SearchStrategy[Any]:
    if isinstance(kind, Whole):
        return st.integers(kind.least, kind.most)
    return st.booleans() if isinstance(kind, Switch) else st.sampled_from([word.value for word in kind.words])


OTHERS = {
    **{
        key.name: values(of_kind(key.kind))
        for key in EXPERIMENT_KEYS
        if isinstance(key.kind, Whole | OneOf | Switch) and key.name not in NEEDED
    },
    "rate": of("rate", st.integers(1, 10**9) | st.sampled_from(["1k", "20k", "1.5M", "999999", "1000001"])),
    "offset": values(quantity(2**60, SIZE_UNITS), by_size),
    "span": values(quantity(2**60, SIZE_UNITS), by_size),
    "think_time": values(quantity(30 * 86_400 * 10**9, TIME_UNITS), by_time),
    "on_time": values(quantity(30 * 86_400 * 10**9, TIME_UNITS, 10**6), by_time),
    "off_time": values(quantity(30 * 86_400 * 10**9, TIME_UNITS, 10**6), by_time),
    "duration": values(quantity(30 * 86_400 * 10**9, TIME_UNITS, 10**6), by_time),
    "amount": values(quantity(2**60, SIZE_UNITS, 512), by_size),
    "warmup": quantity(30 * 86_400 * 10**9, TIME_UNITS),
    "repeats": st.integers(1, 20),
}
"""Every key of an experiment that makes a cell another one; ``kind`` and ``name`` do not."""


@st.composite
def experiments(draw: st.DrawFn) -> dict[str, Any]:
    """An experiment with up to four keys beside those that it needs."""
    table: dict[str, Any] = {"name": "any", **{key: draw(each)[:2] for key, each in NEEDED.items()}}
    for key in draw(st.lists(st.sampled_from(sorted(OTHERS)), max_size=4, unique=True)):
        table[key] = draw(OTHERS[key])
    if "arrivals" in table:
        table.setdefault("rate", draw(OTHERS["rate"]))
    if {"burst", "think_time"} & set(table):
        table.setdefault("burst", [8])
        table.setdefault("think_time", draw(OTHERS["think_time"]))
    if {"on_time", "off_time"} & set(table):
        table.setdefault("on_time", draw(OTHERS["on_time"]))
        table.setdefault("off_time", draw(OTHERS["off_time"]))
    if "amount" in table:
        table.pop("duration", None)
        table.pop("warmup", None)
    return table


def planned(*tables: dict[str, Any], **head: Any) -> Plan:
    campaign = CampaignTable.model_validate({"name": "any", **head, "experiment": list(tables)})
    return campaign_plan(campaign, TargetInfo(span_bytes=TIB, fill=False), quick=False, seed=1)


def cells_of(plan: Plan) -> set[tuple[object, ...]]:
    """What makes a cell another cell, without its name."""
    repeats = Counter(turn.cell for turn in plan.turns)
    return {(cell.workload, cell.timing, repeats[cell.cell]) for cell in plan.cells}


def test_every_key_of_an_experiment_is_tried() -> None:
    from iosonde.plans.campaign_file import ExperimentTable

    assert {*NEEDED, *OTHERS, "name", "kind", "idle"} == set(ExperimentTable.model_fields)


slow = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


HEAD = {
    "repeats": st.integers(1, 20),
    "order": st.sampled_from(["random", "listed"]),
    "fill": st.sampled_from(["random", "zeros"]),
    "verify": st.booleans(),
    "warmup": OTHERS["warmup"],
    "duration": quantity(30 * 86_400 * 10**9, TIME_UNITS, 10**6),
}


@slow
@given(table=experiments(), head=st.fixed_dictionaries({}, optional=HEAD))
def test_an_experiment_has_a_name_for_each_combination_of_its_values(
    table: dict[str, Any], head: dict[str, Any]
) -> None:
    expected = 1
    for value in table.values():
        expected *= len(value) if isinstance(value, list) else 1
    plan = planned(table, **head)
    names = [cell.cell for cell in plan.cells]
    assert len(names) == len(set(names)) == expected
    assert {turn.cell for turn in plan.turns} == set(names)
    assert [name for name in names if not PLAIN.fullmatch(name)] == []


@slow
@given(table=experiments(), data=st.data())
def test_experiments_that_differ_in_one_thing_share_the_cells_that_are_the_same_and_no_names(
    table: dict[str, Any], data: st.DataObject
) -> None:
    changed = data.draw(st.sampled_from(sorted({*NEEDED, *OTHERS})))
    other = {**table, changed: data.draw({**NEEDED, **OTHERS}[changed])}
    if ("arrivals" in other and "rate" not in other) or (("burst" in other) != ("think_time" in other)):
        return
    if ("on_time" in other) != ("off_time" in other):
        return
    if "amount" in other and {"duration", "warmup"} & set(other):
        return
    plan = planned(table, other)
    names = [cell.cell for cell in plan.cells]
    alone = cells_of(planned(table)) | cells_of(planned(other))
    assert len(names) == len(set(names)) == len(alone)
    assert cells_of(plan) == alone
    assert [name for name in names if not PLAIN.fullmatch(name)] == []


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(table=experiments())
def test_cells_come_back_from_a_run_directory_as_they_were_planned(
    table: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    plan = planned(table)
    header = run_record([], []).header.model_copy(update={"plan": plan})
    path = tmp_path_factory.mktemp("run") / "run"
    cells = {cell.cell: cell for cell in plan.cells}
    measured = [cell_record(cells[turn.cell], {}, repeat=turn.repeat, order=turn.order) for turn in plan.turns[:20]]
    with RunDirectory.create(path).start_journal(header) as journal:
        for cell in measured:
            journal.cell(cell)
        journal.turn(plan.turns[-1])
        journal.end(SessionEnd(finished=True))
    run = load_run(path)
    assert run.header.plan == plan
    assert run.cells == tuple(measured)
    assert {cell.cell for cell in run.cells} <= {cell.cell for cell in run.header.plan.cells}
    assert run.turns_chosen == plan.turns[-1:]


BASE = {"name": "a", "pattern": "random", "read": 0, "block_size": "4KiB", "queue_depth": 8}


@pytest.mark.parametrize(
    "tables",
    [
        [{"burst": 8, "think_time": ["100us", "200us", "400us", "0s", "1ms", "1001us", "1.0001s", "1s"]}],
        [{"span": ["1537MiB", "1.5GiB", "1538MiB", "1GB"]}],
        [{"offset": ["1537MiB", "1.5GiB", "1538MiB", "0B"]}],
        [{"span": ["512MiB"]}, {"offset": ["512MiB"]}],
        [{"duration": ["5s", "5.01s", "5.04s", "100s", "99.95s", "2h", "7201s", "1500ms", "1.5001s"]}],
        [{"amount": ["1GiB", "1.001GB", "1025MiB", "1073741825B"]}],
        [{"amount": ["1GiB"]}, {"duration": ["1s"]}],
        [{"warmup": "1s"}, {"warmup": "2s"}],
        [{"warmup": "1s"}, {"warmup": "1001ms"}, {"warmup": "1s", "duration": "1s"}],
        [{"warmup": "1s", "repeats": 3}, {"warmup": "2s", "repeats": 4}],
        [{"block_size": ["100KiB", "102912B", "4KiB:1,102912B:1", "4KiB:1,100KiB:1"]}],
        [{"pattern": ["zipf:1.1", "zipf:1.101", "zipf:1.1:together", "zipf:0.11"]}],
        [{"pattern": ["strided:64KiB", "strided:64.5KiB", "strided:102912B", "strided:100KiB"]}],
        [{"block_size": ["4KiB:70,64KiB:30", "4KiB:7,64KiB:3", "snia-composite"]}],
        [{"rate": ["1k", 1001, "1.5k", "15k"]}],
        [{"rate": 500, "queue_depth": [64, 8]}, {"queue_depth": [64, 8]}],
        [{"sync": ["none", "fdatasync", "dsync"], "flush_every": [1, 8, 88]}],
        [{"data": "compressible"}, {"compressible": 50}],
        [{"read": [0, 5, 50], "trim": [0, 50, 95, 100]}],
        [{"read": [99, 100], "trim": [0, 1, 100]}],
    ],
)
def test_values_that_lie_close_together_have_names_of_their_own(tables: list[dict[str, Any]]) -> None:
    plan = planned(*(BASE | table for table in tables))
    names = [cell.cell for cell in plan.cells]
    assert len(set(names)) == len(names) == len(cells_of(plan))
    each = [cells_of(planned(BASE | table)) for table in tables]
    assert len(names) == len(set().union(*each))
    assert all(PLAIN.fullmatch(name) for name in names)


def test_one_value_in_two_spellings_is_one_cell() -> None:
    spelled = [{"span": "1.5GiB"}, {"span": "1536MiB"}, {"warmup": "1s"}, {"warmup": "1000ms", "duration": "5000ms"}]
    plan = planned(*(BASE | table for table in spelled))
    assert [cell.cell for cell in plan.cells] == ["random-write-4KiB-qd8-span1.50GiB", "random-write-4KiB-qd8"]
    with pytest.raises(ValueError, match=r"zipf:1\.1"):
        planned(BASE | {"pattern": ["zipf:1.1", "zipf:1.10"]})


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ({"burst_operations": 64, "think_ns": 10**7}, "random-read-4KiB-qd8-burst64-think10ms"),
        ({"burst_operations": 64, "think_ns": 5 * 10**9}, "random-read-4KiB-qd8-burst64-think5.0s"),
        ({"burst_operations": 64, "think_ns": 1206 * 10**9}, "random-read-4KiB-qd8-burst64-think20min06s"),
        ({"burst_operations": 64, "think_ns": 11_100 * 10**9}, "random-read-4KiB-qd8-burst64-think3h05min"),
        ({"span_bytes": 3 << 29}, "random-read-4KiB-qd8-span1.50GiB"),
        ({"span_bytes": 1 << 30, "offset_bytes": 1 << 20}, "random-read-4KiB-qd8-span1GiB-from1MiB"),
        ({"block_size_bytes": 4608}, "random-read-4.50KiB-qd8"),
    ],
)
def test_a_name_that_was_exact_stays(asked: dict[str, Any], name: str) -> None:
    assert cell_name(workload(**asked)) == name


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ({"burst_operations": 64, "think_ns": 100_000}, "random-read-4KiB-qd8-burst64-think100us"),
        ({"on_ns": 5 * 10**9, "off_ns": 25 * 10**9}, "random-read-4KiB-qd8-on5s-off25s"),
        (
            {"on_ns": 1_250_000_000, "off_ns": 60 * 10**9, "span_bytes": 2**20, "jobs": 2},
            "random-read-4KiB-qd8-jobs2-on1250ms-off60s-span1MiB",
        ),
        ({"burst_operations": 64, "think_ns": 1_250_000_000}, "random-read-4KiB-qd8-burst64-think1250ms"),
        ({"burst_operations": 64, "think_ns": 1}, "random-read-4KiB-qd8-burst64-think1ns"),
        ({"span_bytes": 1537 << 20}, "random-read-4KiB-qd8-span1537MiB"),
        ({"block_size_bytes": 102_912}, "random-read-100.5KiB-qd8"),
    ],
)
def test_a_name_that_was_rounded_is_exact_now(asked: dict[str, Any], name: str) -> None:
    assert cell_name(workload(**asked)) == name


def test_warm_up_is_in_a_name_only_where_nothing_else_tells_cells_apart() -> None:
    def names(*tables: dict[str, Any]) -> list[str]:
        return [cell.cell for cell in planned(*(BASE | table for table in tables)).cells]

    assert names({"warmup": "1s"}, {"warmup": "2s"}) == [
        "random-write-4KiB-qd8-5.0s-warmup1.0s-x3",
        "random-write-4KiB-qd8-5.0s-warmup2.0s-x3",
    ]
    assert names({"warmup": "1s"}, {"warmup": "2s", "duration": "2s"}) == [
        "random-write-4KiB-qd8-5.0s-x3",
        "random-write-4KiB-qd8-2.0s-x3",
    ]


@pytest.mark.parametrize(
    ("one", "other", "difference"),
    [
        ({"queue_depth": 1}, {"queue_depth": 2}, "queue_depth"),
        ({"burst": 1, "think_time": "1ms"}, {"burst": 1, "think_time": "2ms"}, "think_ns"),
        ({"warmup": "1s"}, {"warmup": "2s"}, "warmup_ns"),
        ({"warmup": "1s", "read": 1}, {"warmup": "2s", "read": 2}, "read_percent, warmup_ns"),
    ],
)
def test_two_cells_that_would_have_one_name_are_refused_with_what_they_differ_in(
    one: dict[str, Any], other: dict[str, Any], difference: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "cell_name", lambda _: "all-the-same")
    monkeypatch.setattr(build, "timing_name", lambda *_, **__: "as-long")
    with pytest.raises(UsageError, match="two different cells have the same name: all-the-same") as caught:
        planned(BASE | one, BASE | other)
    assert f"they differ in {difference};" in caught.value.hint


def test_a_probe_and_a_campaign_call_a_workload_alike() -> None:
    plan = planned(BASE | {"burst": 8, "think_time": "100us"})
    assert [cell.cell for cell in plan.cells] == [cell_name(cell.workload) for cell in plan.cells]
