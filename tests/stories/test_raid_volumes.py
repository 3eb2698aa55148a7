"""A volume of a hardware RAID controller is not purged: its drives cannot be reached through it."""

from pathlib import Path

import pytest

from iosonde.campaign.preparing import PurgeRequest
from iosonde.campaign.purging import Purging
from iosonde.errors import TargetError
from iosonde.machine.local_host import LocalHost
from iosonde.vocabulary import PurgeMethod
from tests.stories.loop_devices import attached, image, need_root


class WithController(LocalHost):
    """A host whose devices are volumes of a controller."""

    def raid_volume(self, path: str) -> str:
        assert path.startswith("/dev/loop")
        return "MR9361-8i, megaraid_sas"


@pytest.fixture(autouse=True)
def _with_root() -> None:
    need_root("losetup")


def planned(path: Path, method: PurgeMethod) -> Purging:
    return Purging(WithController(), PurgeRequest(str(path), method, (), ()))


def test_an_erase_of_a_volume_is_refused_with_the_controller(tmp_path: Path) -> None:
    with attached(image(tmp_path / "image")) as device:
        for method in (PurgeMethod.ATA_SECURE_ERASE, PurgeMethod.SCSI_FORMAT, PurgeMethod.FORMAT):
            with pytest.raises(TargetError) as refused:
                planned(device, method)
            assert f"{device} is a volume of a RAID controller (MR9361-8i, megaraid_sas)" in refused.value.message
            assert f"{method} would not erase them" in refused.value.message
            assert "tool of the controller" in refused.value.hint


def test_a_discard_of_a_volume_is_not(tmp_path: Path) -> None:
    with attached(image(tmp_path / "image")) as device:
        assert planned(device, PurgeMethod.DISCARD).plan is not None
