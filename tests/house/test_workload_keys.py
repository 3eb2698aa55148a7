"""One description of a workload: every key of it is known wherever it should be, and nothing else is."""

import inspect
from typing import Any

import pytest

import iosonde
from iosonde.plans import CampaignTable, cell_name
from iosonde.plans.campaign_file import ExperimentTable
from iosonde.records import Workload
from iosonde.workload_keys import EXPERIMENT_KEYS, PROBE_KEYS, TIMING_KEYS, WORKLOAD_KEYS, InFile, Key, Switch
from tests.house.asked_workloads import ASKED, planned, probed
from tests.house.workload_key_gaps import gaps

KEYS = (*WORKLOAD_KEYS, *TIMING_KEYS)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_every_key_is_known_wherever_it_should_be(key: Key[Any]) -> None:
    lacking = gaps(key)
    assert not lacking, "\n".join(lacking)


def test_a_key_that_stands_nowhere_names_every_file_to_touch() -> None:
    made_up = Key("made_up", Switch(), "made_up", default=False, help="Made up.", in_file=InFile())
    assert [gap.partition(":")[0] for gap in gaps(made_up)] == [
        "src/iosonde/workload_keys/keys.py",
        "src/iosonde/records/workload.py",
        "src/iosonde/workload_keys/keys.py",
        "src/iosonde/cli/workload_options.py",
        "src/iosonde/api/measuring.py",
        "src/iosonde/workload_keys/keys.py",
        "src/iosonde/plans/campaign_file.py",
        "docs/reference/commands.md",
        "docs/campaign.schema.json",
        "docs/reference/settings.md",
        "docs/campaigns.md",
    ]


def test_every_field_of_a_workload_is_filled_by_a_key() -> None:
    # Several block sizes come with the key that gives the largest.
    filled = {key.field for key in WORKLOAD_KEYS} | {"block_sizes"}
    assert set(Workload.model_fields) <= filled, "src/iosonde/workload_keys/keys.py: a field has no key"


def test_an_experiment_has_no_other_keys_and_the_head_of_a_file_has_what_an_experiment_lacks() -> None:
    assert {key.name for key in EXPERIMENT_KEYS} | {"name", "kind", "repeats", "idle"} == set(
        ExperimentTable.model_fields
    )
    assert {key.name for key in KEYS if key.in_file is None} <= set(CampaignTable.model_fields)


def test_the_arguments_of_a_probe_are_the_keys_in_the_order_of_the_flags() -> None:
    arguments = list(inspect.signature(iosonde.probe).parameters)
    assert arguments[0] == "targets"
    assert arguments[1 : len(PROBE_KEYS) + 1] == [key.name for key in PROBE_KEYS]


def test_flags_and_campaign_keys_of_the_same_values_are_the_same_workload() -> None:
    one, other = probed(ASKED).workload, planned(ASKED).workload
    assert one == other
    assert cell_name(one) == cell_name(other)
