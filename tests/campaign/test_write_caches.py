"""What has no write cache that can be set and restored is refused before anything is changed."""

import pytest

from iosonde.campaign.write_caches import check_cache
from iosonde.errors import TargetError
from iosonde.records import CacheFacts, DeviceIdentity, DeviceInspection, WriteCache


def inspection(kind: str, name: str) -> DeviceInspection:
    identity = DeviceIdentity.model_validate({"name": name, "kind": kind, "size_bytes": 1 << 30})
    return DeviceInspection(name="vda", identity=identity, refusals=())


SET = CacheFacts(drive=WriteCache.ON, kernel="write back", refused=None)


def test_a_drive_with_a_serial_number_and_a_cache_is_not_refused() -> None:
    check_cache("/dev/vda", inspection("serial", "S1"), SET)


def test_the_refusal_says_why_and_what_to_do() -> None:
    refused = CacheFacts(drive=None, kernel=None, refused="the drive has no volatile write cache")
    with pytest.raises(TargetError, match="cannot be set: the drive has no volatile write cache") as caught:
        check_cache("/dev/vda", inspection("serial", "S1"), refused)
    assert "omit --write-cache" in caught.value.hint


@pytest.mark.parametrize("found", [inspection("number", "254:0/1073741824"), None])
def test_a_device_that_could_not_be_found_again_is_refused(found: DeviceInspection | None) -> None:
    unknown = found or DeviceInspection(name="vda", identity=None, refusals=())
    with pytest.raises(TargetError, match="neither serial number nor world-wide name"):
        check_cache("/dev/vda", unknown, SET)
