"""Campaign files: a matrix written once, and mistakes told with file, line, key, value, range and nearest key."""

import json
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from iosonde.errors import UsageError
from iosonde.plans import CampaignTable, TargetInfo, campaign_plan, campaign_schema, check_plan, read_campaign
from iosonde.plans.procedure_files import has_procedures
from iosonde.plans.procedures import procedures_plan, read_procedures
from iosonde.records import Access, Data, Experiment, Plan, Sync
from tests.house.checkout import ROOT

HEAD = 'name = "mine"\n'
EXPERIMENT = """
[[experiment]]
name = "first"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = 1
"""


def plan_of(text: str, *, quick: bool = False) -> Plan:
    return campaign_plan(
        read_campaign(text, "mine.toml"), TargetInfo(span_bytes=1 << 30, fill=True), quick=quick, seed=1
    )


def test_a_list_is_a_sweep_and_several_lists_are_all_their_combinations() -> None:
    text = HEAD + EXPERIMENT.replace("100", "[100, 50]").replace('"4KiB"', '["4KiB", "64KiB", "1MiB"]')
    cells = plan_of(text.replace("queue_depth = 1", "queue_depth = [1, 8]\njobs = [1, 2]")).cells
    assert len(cells) == 2 * 3 * 2 * 2
    assert len({cell.cell for cell in cells}) == len(cells)
    assert cells[0].experiments == (Experiment.MATRIX,)


def test_every_key_of_a_workload_reaches_the_cell() -> None:
    text = (
        HEAD
        + EXPERIMENT.replace("100", "0").replace("random", "sequential")
        + 'sync = "dsync"\ndata = "zeros"\njobs = 3\n'
    )
    cell = plan_of(text).cells[0]
    workload = cell.workload
    assert (workload.pattern, workload.read_percent, workload.block_size_bytes) == (Access.SEQUENTIAL, 0, 4096)
    assert (workload.sync, workload.data, workload.jobs) == (Sync.DSYNC, Data.ZEROS, 3)
    assert cell.cell == "sequential-write-4KiB-qd1-jobs3-dsync-zeros"


def test_the_reads_of_a_durable_sweep_are_plain_reads_measured_once() -> None:
    text = HEAD + EXPERIMENT.replace("100", "[100, 70, 0]") + 'sync = ["none", "dsync"]\n'
    assert [cell.cell for cell in plan_of(text).cells] == [
        "random-read-4KiB-qd1",
        "random-mix70-4KiB-qd1",
        "random-mix70-4KiB-qd1-dsync",
        "random-write-4KiB-qd1",
        "random-write-4KiB-qd1-dsync",
    ]


def test_reads_are_never_flushed_after_every_few_writes() -> None:
    text = HEAD + EXPERIMENT.replace("100", "[100, 0]") + 'sync = "fdatasync"\nflush_every = 8\n'
    assert [cell.workload.flush_every for cell in plan_of(text).cells] == [1, 8]


def test_repeats_timing_and_order_come_from_the_campaign_unless_an_experiment_says_otherwise() -> None:
    other = EXPERIMENT.replace("queue_depth = 1", 'queue_depth = 2\nrepeats = 1\nwarmup = "0s"\nduration = "20s"')
    plan = plan_of(
        'name = "mine"\nrepeats = 2\norder = "listed"\nwarmup = "2s"\nduration = "10s"\n' + EXPERIMENT + other
    )
    first, second = plan.cells
    assert (first.timing.warmup_ns, first.timing.measure_ns) == (2 * 10**9, 10 * 10**9)
    assert (second.timing.warmup_ns, second.timing.measure_ns) == (0, 20 * 10**9)
    assert [(turn.cell, turn.repeat) for turn in plan.turns] == [(first.cell, 1), (second.cell, 1), (first.cell, 2)]


def test_an_amount_ends_a_cell_instead_of_a_time() -> None:
    cell = plan_of(HEAD + EXPERIMENT + 'amount = "2GiB"\n').cells[0]
    assert (cell.timing.amount_bytes, cell.timing.warmup_ns) == (2 << 30, 0)


def test_one_workload_with_two_durations_is_two_cells_with_two_names() -> None:
    names = [cell.cell for cell in plan_of(HEAD + EXPERIMENT + 'duration = ["1s", "5s"]\n').cells]
    assert names == ["random-read-4KiB-qd1-1.0s-x3", "random-read-4KiB-qd1-5.0s-x3"]


def test_a_cell_that_two_experiments_ask_for_is_measured_once() -> None:
    baseline = EXPERIMENT.replace('name = "first"', 'name = "second"\nkind = "baseline"')
    cells = plan_of(HEAD + EXPERIMENT + baseline).cells
    assert [cell.experiments for cell in cells] == [(Experiment.MATRIX, Experiment.BASELINE)]


def test_the_quick_form_takes_its_own_times_and_no_amounts() -> None:
    cell = plan_of(HEAD + EXPERIMENT + 'amount = "2GiB"\n', quick=True).cells[0]
    assert (cell.timing.measure_ns, cell.timing.amount_bytes) == (5 * 10**8, None)


def test_the_fill_carries_what_the_campaign_says() -> None:
    (fill,) = plan_of(HEAD + 'fill = "compressible"\n' + EXPERIMENT).writes_first
    assert fill.cell.workload.data is Data.COMPRESSIBLE


def changed(old: str, new: str) -> str:
    text = HEAD + EXPERIMENT
    assert text.count(old) == 1
    return text.replace(old, new)


MISTAKES = [
    (
        changed("queue_depth = 1", 'queue_depth = 64\narrivals = "constant"'),
        "m.toml:9: arrivals needs a rate",
        'rate = "20k"',
    ),
    (changed("queue_depth = 1", "queue_depth = 64\nrate = 0"), "m.toml:9: rate = 0 is not in the range 1 to 1000M", ""),
    (changed("queue_depth = 1", 'queue_depth = 64\nrate = "fast"'), 'm.toml:9: rate = "fast" is not a rate', "20k"),
    (
        changed("queue_depth = 1", 'queue_depth = 64\nrate = "1k"\nkind = "baseline"'),
        "m.toml:9: rate cannot be combined with kind = baseline",
        "set it to matrix or tail",
    ),
    (
        changed("queue_depth = 1", "queue_depth = 0"),
        "m.toml:8: queue_depth = 0 is not in the range 1 to 4096",
        "1 to 4096",
    ),
    (
        changed("queue_depth = 1", "queue_depth = [1, 5000]"),
        "m.toml:8: queue_depth = 5000 is not in the range 1 to 4096",
        "",
    ),
    (changed("queue_depth = 1", "queue_depth = 1.5"), "m.toml:8: queue_depth = 1.5 is not a whole number", "1 to 4096"),
    (changed("queue_depth = 1", "queue_depth = []"), "m.toml:8: queue_depth = [] is empty", "1 to 4096"),
    (changed("queue_depth = 1", ""), "m.toml:3: experiment 1 has no queue_depth", "queue_depth = [1, 8, 32]"),
    (
        changed("queue_depth", "qeue_depth"),
        "m.toml:8: unknown key qeue_depth in experiment 1",
        "did you mean queue_depth?",
    ),
    (
        changed("block_size", "blocksize"),
        "m.toml:7: unknown key blocksize in experiment 1",
        "did you mean block_size?",
    ),
    (changed('"4KiB"', '"4K"'), 'm.toml:7: block_size = "4K" is ambiguous (powers of 2 or of 10)', "use 4KiB"),
    (changed('"4KiB"', '"-4KiB"'), 'm.toml:7: block_size = "-4KiB" is not a size', "4KiB"),
    (changed('"4KiB"', "4096"), "m.toml:7: block_size = 4096 is not a string with a unit", '"4KiB"'),
    (changed('"4KiB"', '"1GiB"'), 'm.toml:7: block_size = "1GiB" is not in the range 512 B to 64 MiB', ""),
    (
        changed('"random"', '"rndom"'),
        'm.toml:5: pattern = "rndom" is not a pattern',
        'did you mean "random"?',
    ),
    (changed("read = 100", "read = 101"), "m.toml:6: read = 101 is not in the range 0 to 100", "0 to 100"),
    (changed("read = 100", "read = true"), "m.toml:6: read = true is not a whole number", "0 to 100"),
    (
        changed("read = 100", 'read = 100\nsync = "dsync"'),
        "m.toml:7: sync needs writes, but read = 100 is read-only",
        "to a separate experiment",
    ),
    (
        changed("read = 100", 'read = 100\namount = "1GiB"\nduration = "5s"'),
        "m.toml:7: amount cannot be combined",
        "omit one",
    ),
    (changed("read = 100", 'read = 100\nduration = "5"'), 'm.toml:7: duration = "5" has no unit', "use 5s"),
    (
        changed("read = 100", 'read = 100\nduration = "99d"'),
        'm.toml:7: duration = "99d" is not in the range 1 ms to 720 h',
        "",
    ),
    (
        changed("read = 100", "read = 100\njobs = 1000"),
        "m.toml:7: jobs = 1000 is not in the range 1 to 256",
        "1 to 256",
    ),
    (changed("read = 100", "read = 100\ntrim = 101"), "m.toml:7: trim = 101 is not in the range 0 to 100", "0 to 100"),
    (
        changed("read = 100", "read = 100\ntargets = 65"),
        "m.toml:7: targets = 65 is not in the range 1 to 64",
        "1 to 64",
    ),
    ("repeats = 0\n" + HEAD + EXPERIMENT, "m.toml:1: repeats = 0 is not in the range 1 to 1000", "1 to 1000"),
    ('order = "reverse"\n' + HEAD + EXPERIMENT, "m.toml:1: order = \"reverse\" is not 'random' or 'listed'", "listed"),
    ("repeat = 3\n" + HEAD + EXPERIMENT, "m.toml:1: unknown key repeat in the campaign", "did you mean repeats?"),
    (
        HEAD + '[defaults]\nduration = "1s"\n' + EXPERIMENT,
        "unknown key defaults in the campaign",
        "a campaign has [[experiment]] tables, and these keys before the first one: name, ",
    ),
    (
        HEAD + EXPERIMENT.replace("experiment", "cell"),
        "unknown key cell in the campaign",
        "a campaign has [[experiment]] tables",
    ),
    ('name = "my campaign"\n' + EXPERIMENT, 'm.toml:1: name = "my campaign" is not a valid name (letters', ""),
    (
        "verify = true\n" + HEAD + EXPERIMENT,
        "m.toml:1: verify needs writes, but no experiment writes",
        "read below 100",
    ),
    (EXPERIMENT, "m.toml:1: the campaign has no name", 'name = "mine"'),
    (HEAD, "m.toml:1: the campaign has no experiment", "add an [[experiment]] table in double brackets"),
    ("", "m.toml:1: the campaign has no", ""),
    (HEAD + "[[experiment]\n", "m.toml:2: not TOML:", "examples/"),
    (HEAD + 'about = "open\n', "m.toml:2: not TOML:", "examples/"),
    (HEAD + EXPERIMENT + EXPERIMENT.replace("100", "-1"), "m.toml:13: read = -1 is not in the range 0 to 100", ""),
]


@pytest.mark.parametrize(("text", "message", "hint"), MISTAKES)
def test_a_mistake_is_told_with_its_place_and_the_way_out(text: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_campaign(text, "m.toml")
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert "\n" not in caught.value.message + caught.value.hint


def test_a_cell_that_one_experiment_lists_twice_is_refused() -> None:
    with pytest.raises(UsageError) as caught:
        read_campaign(changed('"4KiB"', '["4KiB", "4096B"]'), "m.toml")
    assert caught.value.message == "m.toml:7: block_size lists 4 KiB twice"


def test_the_published_schema_is_that_of_the_code() -> None:
    published = json.loads((ROOT / "docs/campaign.schema.json").read_text(encoding="utf-8"))
    assert published == campaign_schema(), "make schema writes it anew"


def examples(*, of_procedures: bool) -> list[Path]:
    """The examples that consist of standard procedures, or those that consist of experiments."""
    files = sorted((ROOT / "examples").glob("*.toml"))
    return [each for each in files if has_procedures(each.read_text(encoding="utf-8")) == of_procedures]


def test_every_example_of_procedures_says_why_as_well() -> None:
    (file,) = examples(of_procedures=True)
    campaign = read_procedures(file.read_text(encoding="utf-8"), file.name)
    assert campaign.name == file.stem
    assert len(dict(campaign.about)["purpose"]) > 20
    assert procedures_plan(campaign, TargetInfo(span_bytes=64 << 30, fill=True), seed=1).procedures


def test_an_editor_that_knows_the_schema_accepts_every_example_and_refuses_a_slip() -> None:
    schema = Draft202012Validator(campaign_schema())
    for file in examples(of_procedures=False):
        assert not list(schema.iter_errors(tomllib.loads(file.read_text(encoding="utf-8")))), file.name
    for slip in ("queue_depth = 0", "queue_depth = []", "qeue_depth = 1"):
        assert list(schema.iter_errors(tomllib.loads(changed("queue_depth = 1", slip)))), slip


def test_the_schema_tells_defaults_and_bounds_as_the_file_writes_them() -> None:
    duration = campaign_schema()["properties"]["duration"]
    assert (duration["default"], duration["description"]) == ("5.0s", "Measurement time.")
    assert read_campaign(f'duration = "{duration["default"]}"\n' + HEAD + EXPERIMENT, "m.toml").duration == 5 * 10**9
    block_size = campaign_schema()["$defs"]["ExperimentTable"]["properties"]["block_size"]
    assert block_size["anyOf"][0]["description"] == "Size with a unit, 512 B to 64 MiB, or several sizes with weights."


def test_every_key_is_documented_with_its_range() -> None:
    text = (ROOT / "docs/campaigns.md").read_text(encoding="utf-8")
    experiment = CampaignTable.model_fields["experiment"].annotation
    assert experiment is not None
    for key in campaign_schema()["properties"] | campaign_schema()["$defs"]["ExperimentTable"]["properties"]:
        assert f"| `{key}` |" in text, key


def test_every_example_is_a_campaign_that_says_why() -> None:
    files = examples(of_procedures=False)
    assert len(files) >= 8
    for file in files:
        campaign = read_campaign(file.read_text(encoding="utf-8"), file.name)
        assert campaign.name == file.stem
        assert len(dict(campaign.about)["purpose"]) > 20
        assert campaign_plan(campaign, TargetInfo(span_bytes=64 << 30, fill=True), quick=False, seed=1).turns


def test_a_sweep_over_rates_has_a_cell_for_each_rate_and_kind_of_arrivals() -> None:
    swept = changed("queue_depth = 1", 'queue_depth = 64\nrate = [500, "20k"]\narrivals = ["poisson", "constant"]')
    plan = campaign_plan(
        read_campaign(swept, "m.toml"), TargetInfo(span_bytes=64 << 30, fill=True), quick=False, seed=1
    )
    assert [cell.cell for cell in plan.cells] == [
        "random-read-4KiB-rate500",
        "random-read-4KiB-rate500-constant",
        "random-read-4KiB-rate20k",
        "random-read-4KiB-rate20k-constant",
    ]


def test_arrivals_are_poissons_where_nobody_says_and_a_depth_of_ones_own_is_named() -> None:
    found = read_campaign(changed("queue_depth = 1", 'queue_depth = 8\nrate = "20k"'), "m.toml")
    cell = campaign_plan(found, TargetInfo(span_bytes=64 << 30, fill=True), quick=False, seed=1).cells[0]
    assert (cell.cell, cell.workload.arrivals) == ("random-read-4KiB-rate20k-qd8", "poisson")


def test_an_amount_below_one_block_is_refused_before_anything_is_touched() -> None:
    plan = plan_of(HEAD + EXPERIMENT.replace('"4KiB"', '"64KiB"') + 'amount = "4KiB"\n')
    with pytest.raises(UsageError, match="amount 4 KiB is smaller than the block size 64 KiB"):
        check_plan(plan, targets=1)
