"""Targets that are too slow for a profile of minutes get its slow form, with the reason."""

from datetime import UTC, datetime
from typing import Any

import pytest

from iosonde.campaign import preflight
from iosonde.campaign.campaign import Preflight
from iosonde.campaign.slow_targets import why_device
from iosonde.plans.models import model_names
from iosonde.records import DeviceFacts
from tests.campaign_runs import profile_request

SLOW = {"disk-7200", "usb-stick"}


def ahead(target: str, profile: str = "lab", **others: Any) -> Preflight:
    return preflight(profile_request([target], profile, seed=1, **others), datetime.now(UTC))


@pytest.mark.parametrize("model", model_names())
def test_slow_models_get_the_slow_form_and_no_others_do(model: str) -> None:
    found = ahead(f"sim:{model}")
    assert (found.plan.profile == "lab-slow") is (model in SLOW)
    assert bool(found.why_slow) is (model in SLOW)


def test_reads_have_a_slow_form_as_well() -> None:
    assert ahead("sim:disk-7200", profile="reads").plan.profile == "reads-slow"


def test_the_slow_form_asks_less_in_more_time() -> None:
    fast, slow = (ahead(target).plan for target in ("sim:mmc", "sim:disk-7200"))
    assert fast.aim is not None
    assert slow.aim is not None
    assert slow.aim.precision_percent > fast.aim.precision_percent
    assert slow.aim.budget_ns > fast.aim.budget_ns
    assert len(slow.cells) < len(fast.cells)
    assert min(turn.timing.measure_ns for turn in slow.turns if turn.timing) > 3 * 10**9


def test_what_the_user_asks_of_precision_and_budget_holds_in_the_slow_form() -> None:
    aim = ahead("sim:disk-7200", precision="20%", budget="90m").plan.aim
    assert aim is not None
    assert (aim.precision_percent, aim.budget_ns) == (20, 90 * 60 * 10**9)


@pytest.mark.parametrize("others", [{"quick": True}, {"profile": "./examples/database-log.toml"}])
def test_a_quick_form_and_a_campaign_of_the_users_stay_what_they_are(others: dict[str, Any]) -> None:
    assert not ahead("sim:disk-7200", **others).plan.profile.endswith("-slow")


def device(name: str, *, rotational: bool | None) -> DeviceFacts:
    return DeviceFacts(
        name=name,
        model="",
        serial="",
        firmware="",
        size_bytes=1 << 40,
        rotational=rotational,
        scheduler="",
        queue_tags=None,
        write_cache="",
        logical_block_size_bytes=512,
        physical_block_size_bytes=512,
        request_size_bytes_max=None,
    )


@pytest.mark.parametrize(
    ("name", "rotational", "why"),
    [
        ("sda", True, "sda is a rotating disk"),
        ("sda", False, ""),
        ("sda", None, ""),
        ("nvme0n1", False, ""),
        ("mmcblk0", False, "mmcblk0 is a memory card"),
        ("vda", True, ""),
        ("xvdb", True, ""),
    ],
)
def test_a_device_is_slow_by_what_it_says_unless_a_hypervisor_says_it(
    name: str, rotational: bool | None, why: str
) -> None:
    assert why_device(device(name, rotational=rotational)) == why
