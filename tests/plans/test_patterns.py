"""Patterns and block sizes: one text in flags, files, records, names and tables, and its form on the wall."""

from typing import Any

import pytest
from pydantic import ValidationError

from iosonde.errors import UsageError
from iosonde.plans import TargetInfo, campaign_plan, cell_name, plan_cost, read_campaign
from iosonde.plans.cost import cell_duration_ns
from iosonde.plans.names import timing_name
from iosonde.records import BlockSizes, CellTurn, Engine, Timing, Workload, parse_pattern, parse_sizes
from iosonde.records.pattern import FORMS, NAMED_SIZES
from iosonde.sources import IoPath
from iosonde.sources.engine.job import job_of, pattern_of
from iosonde.vocabulary import Poll
from tests.builders import cell_plan, workload

MIB = 1 << 20
CAMPAIGN = """
name = "mine"
repeats = 1
[[experiment]]
name = "all"
pattern = {pattern}
read = 70
block_size = {block_size}
queue_depth = 8
{more}
"""


def planned(pattern: str = '"random"', block_size: str = '"4KiB"', more: str = "") -> list[Workload]:
    text = CAMPAIGN.format(pattern=pattern, block_size=block_size, more=more)
    plan = campaign_plan(read_campaign(text, "m.toml"), TargetInfo(span_bytes=64 * MIB, fill=False), quick=True, seed=1)
    return [cell.workload for cell in plan.cells]


@pytest.mark.parametrize(
    "text", [*FORMS, "zipf:0.99:together", "hot:50/5,30/15,20/80", "hot:99.5/0.5:scattered", "strided:1054208B"]
)
def test_a_pattern_in_a_record_reads_back_as_itself(text: str) -> None:
    asked = workload(pattern=text)
    assert Workload.model_validate_json(asked.model_dump_json()) == asked
    assert parse_pattern(str(asked.pattern), "") == asked.pattern


def test_what_hot_spots_leave_out_takes_the_rest() -> None:
    assert str(parse_pattern("hot:80/20", "")) == "hot:80/20,20/80"
    assert str(parse_pattern("hot:100/20", "")) == "hot:100/20,0/80"
    assert parse_pattern("hot:80/20", "") == parse_pattern("hot:80/20,20/80:together", "")


WIRE: list[tuple[str, Any]] = [
    ("random", "random"),
    ("permutation", "permutation"),
    ("zipf:1.1", {"zipf": {"exponent_permille": 1100, "scattered": True}}),
    ("zipf:1.1:together", {"zipf": {"exponent_permille": 1100, "scattered": False}}),
    ("pareto:0.2", {"pareto": {"share_permille": 200, "scattered": True}}),
    (
        "hot:99.5/0.5",
        {
            "hot_spots": {
                "zones": [
                    {"accesses_permille": 995, "space_permille": 5},
                    {"accesses_permille": 5, "space_permille": 995},
                ],
                "scattered": False,
            }
        },
    ),
    ("strided:64KiB", {"strided": {"stride_bytes": 65536}}),
    ("runs:10", {"runs": {"jump_percent": 10}}),
]


@pytest.mark.parametrize(("text", "expected"), WIRE)
def test_a_pattern_has_its_parameters_on_the_wall(text: str, expected: object) -> None:
    assert pattern_of(parse_pattern(text, "")) == expected


MISTAKEN: list[tuple[str, str]] = [
    ("zipf", "the exponent must be between 0.001 and 5"),
    ("zipf:6", "the exponent must be between 0.001 and 5"),
    ("zipf:1.1:apart", "unknown placement 'apart'"),
    ("pareto:0.5", "the share must be between 0.001 and 0.499"),
    ("hot:80", "'80' is not a pair of percentages"),
    ("hot:80/20,30/80", "do not add up to 100 %"),
    ("strided:64", ""),
    ("runs:0", "the percentage of jumps must be between 1 and 100"),
    ("rndom", "is not a pattern"),
]


@pytest.mark.parametrize(("text", "message"), [each for each in MISTAKEN if each[1]])
def test_a_mistake_in_a_pattern_is_told_with_the_way_out(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        parse_pattern(text, "--pattern")
    assert caught.value.message.startswith(f"--pattern: '{text}'")
    assert caught.value.hint
    with pytest.raises(ValidationError, match=message):
        workload(pattern=text)


def test_several_sizes_have_weights_and_the_largest_bounds_the_buffers() -> None:
    mix = parse_sizes("64KiB:30,4KiB:70", "")
    assert mix == BlockSizes(((4096, 70), (65536, 30)))
    (asked,) = planned(block_size='"64KiB:30,4KiB:70"')
    assert (asked.block_size_bytes, asked.block_sizes, asked.size_text) == (65536, mix, "4KiB:70,64KiB:30")
    assert asked.bytes_per_operation == pytest.approx(0.7 * 4096 + 0.3 * 65536)


def test_the_composite_of_the_snia_has_twelve_sizes_and_a_name() -> None:
    mix = parse_sizes("snia-composite", "")
    assert isinstance(mix, BlockSizes)
    assert (len(mix.shares), sum(weight for _, weight in mix.shares)) == (12, 100)
    assert str(mix) == "snia-composite"
    assert set(NAMED_SIZES) == {"snia-composite"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4KiB:0,8KiB:1", "no weight between 1"),
        ("4KiB,8KiB", "no weight between 1"),
        ("4KiB:1,4096B:2", "a size twice"),
        ("4KiB:1", "mixes 1 sizes"),
    ],
)
def test_a_mistake_in_a_mix_of_sizes_is_told(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_sizes(text, "--block-size")


def test_patterns_and_sizes_are_swept_like_anything_else() -> None:
    cells = planned('["random", "zipf:1.1", "hot:80/20"]', '["4KiB", "snia-composite"]')
    assert [(str(each.pattern), each.size_text) for each in cells] == [
        ("random", "4 KiB"),
        ("random", "snia-composite"),
        ("zipf:1.1", "4 KiB"),
        ("zipf:1.1", "snia-composite"),
        ("hot:80/20,20/80", "4 KiB"),
        ("hot:80/20,20/80", "snia-composite"),
    ]


NAMES: list[tuple[dict[str, Any], str]] = [
    ({"pattern": "zipf:1.1"}, "zipf1.1-read-4KiB-qd8"),
    ({"pattern": "zipf:1.1:together"}, "zipf1.1-together-read-4KiB-qd8"),
    ({"pattern": "hot:80/20"}, "hot80in20+20in80-read-4KiB-qd8"),
    ({"pattern": "strided:64KiB"}, "strided64KiB-read-4KiB-qd8"),
    ({"pattern": "permutation", "read_percent": 65, "trim_percent": 5}, "permutation-mix65-trim5-4KiB-qd8"),
    ({"read_percent": 0, "trim_percent": 100}, "random-trim-4KiB-qd8"),
    (
        {"block_size_bytes": 65536, "block_sizes": "4KiB:70,64KiB:30"},
        "random-read-4KiBx70+64KiBx30-qd8",
    ),
    ({"span_bytes": 16 * MIB, "offset_bytes": MIB}, "random-read-4KiB-qd8-span16MiB-from1MiB"),
    ({"burst_operations": 64, "think_ns": 10**7}, "random-read-4KiB-qd8-burst64-think10ms"),
    ({"on_ns": 5 * 10**9, "off_ns": 25 * 10**9}, "random-read-4KiB-qd8-on5s-off25s"),
    ({"read_percent": 0, "sync": "fdatasync", "flush_every": 8}, "random-write-4KiB-qd8-fdatasync8"),
]


@pytest.mark.parametrize(("asked", "name"), NAMES)
def test_a_cell_is_named_by_its_shape(asked: dict[str, Any], name: str) -> None:
    assert cell_name(workload(**asked)) == name


def test_every_key_of_a_shape_reaches_the_engine() -> None:
    keys = 'trim = 5\nspan = "16MiB"\noffset = "1MiB"\nburst = 64\nthink_time = "10ms"'
    (asked,) = planned('"permutation"', more=keys)
    job = job_of(
        cell_plan(asked), CellTurn(order=1, cell="c", repeat=1, seed=7), IoPath(Engine.NULL, Poll.INTERRUPT), 64 * MIB
    )
    assert (job["trim_percent"], job["span_bytes"], job["offset_bytes"]) == (5, 16 * MIB, MIB)
    assert job["burst"] == {"operations": 64, "think_ns": 10**7}


def test_what_a_workload_does_not_ask_for_is_left_out_of_the_job() -> None:
    job = job_of(
        cell_plan(workload()),
        CellTurn(order=1, cell="c", repeat=1, seed=7),
        IoPath(Engine.NULL, Poll.INTERRUPT),
        64 * MIB,
    )
    extras = {"pace", "trim_percent", "block_sizes", "flush_every", "offset_bytes", "burst", "duty"}
    assert not extras & set(job)
    assert job["span_bytes"] == 64 * MIB


def test_half_of_how_a_worker_rests_is_a_mistake() -> None:
    with pytest.raises(UsageError, match="burst needs think_time"):
        planned(more="burst = 64")


@pytest.mark.parametrize(
    ("given", "missing", "keys"),
    [("on_time", "off_time", 'on_time = "5s"'), ("off_time", "on_time", 'off_time = "25s"')],
)
def test_half_of_a_duty_cycle_is_a_mistake(given: str, missing: str, keys: str) -> None:
    with pytest.raises(UsageError, match=f"{given} needs {missing}"):
        planned(more=keys)


def test_a_duty_cycle_reaches_the_engine() -> None:
    (asked,) = planned('"random"', more='on_time = "5s"\noff_time = "25s"')
    turn, way = CellTurn(order=1, cell="c", repeat=1, seed=7), IoPath(Engine.NULL, Poll.INTERRUPT)
    assert job_of(cell_plan(asked), turn, way, 64 * MIB)["duty"] == {"on_ns": 5 * 10**9, "off_ns": 25 * 10**9}


def test_the_cost_of_a_cell_counts_its_on_times_only() -> None:
    always = workload(read_percent=0)
    duty = workload(read_percent=0, on_ns=5 * 10**9, off_ns=25 * 10**9)
    seconds = [each * 10**9 for each in (3, 5, 30, 32, 60)]
    assert [duty.submitting_ns(each) // 10**9 for each in seconds] == [3, 5, 5, 7, 10]
    assert [duty.time_to_submit_ns(each * 10**9) // 10**9 for each in (0, 5, 6, 10)] == [0, 5, 31, 35]
    assert always.submitting_ns(10**9) == always.time_to_submit_ns(10**9) == 10**9


def test_trims_are_not_counted_as_written() -> None:
    text = CAMPAIGN.format(pattern='"random"', block_size='"4KiB"', more="trim = 30")
    plan = campaign_plan(read_campaign(text, "m.toml"), TargetInfo(span_bytes=64 * MIB, fill=False), quick=True, seed=1)
    assert plan_cost(plan).write_bytes_max == 0


def test_a_time_limit_bounds_an_amount_in_text_name_and_cost() -> None:
    amount = Timing(warmup_ns=0, measure_ns=1, interval_ns=10**9, amount_bytes=64 * MIB)
    limited = amount.model_copy(update={"limit_ns": 5 * 10**9})
    assert (amount.longest_ns, limited.longest_ns) == (None, 5 * 10**9)
    assert limited.text == "until 64 MiB are transferred, at most 5.0 s"
    assert timing_name(limited, with_warmup=False) == "64MiB-limit5.0s"
    cells = [cell_plan(workload()).model_copy(update={"timing": timing}) for timing in (amount, limited)]
    slow, fast = 10**6, 10**9
    assert [cell_duration_ns(cell, slow, overhead_ns=0) // 10**9 for cell in cells] == [67, 5]
    assert cell_duration_ns(cells[0], fast) == cell_duration_ns(cells[1], fast)


def test_a_time_limit_without_an_amount_is_a_mistake() -> None:
    with pytest.raises(ValidationError, match="limit_ns needs amount_bytes"):
        Timing(warmup_ns=0, measure_ns=1, interval_ns=1, limit_ns=1)
