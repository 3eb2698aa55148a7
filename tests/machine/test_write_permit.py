"""A device that --destroy does not name is refused, with what the run would have changed."""

import pytest

from iosonde.machine import permit_for
from iosonde.machine.write_permit import UnpermittedWriteError
from iosonde.records import DeviceIdentity, DeviceInspection

IDENTITY = DeviceIdentity.model_validate({"name": "S1", "kind": "serial", "size_bytes": 1 << 30})
FREE = DeviceInspection(name="sda", identity=IDENTITY, refusals=())


def refusal(only_setting: str) -> UnpermittedWriteError:
    with pytest.raises(UnpermittedWriteError) as refused:
        permit_for("/dev/sda", FREE, (), (), only_setting=only_setting)
    return refused.value


def test_a_plan_that_writes_would_write_to_the_device() -> None:
    refused = refusal("")
    assert refused.message == "/dev/sda would be written, and that needs --destroy"
    assert refused.hint == "`iosonde doctor /dev/sda` prints the identity that --destroy needs"


def test_a_plan_that_only_sets_the_write_cache_would_change_the_setting_and_no_data() -> None:
    refused = refusal("write cache")
    assert (
        refused.message == "the write cache of /dev/sda would be changed (none of its data), and that needs --destroy"
    )
    assert refused.hint.endswith("to keep the write cache as it is, omit --write-cache")
