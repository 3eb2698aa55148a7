"""Volumes of hardware RAID controllers, whose drives cannot be reached through them, from sysfs.

How a driver tells a volume from a drive: megaraid_sas has drives on channels 0 and 1 and volumes above
(``MEGASAS_MAX_PD_CHANNELS``), mpt2sas and mpt3sas have volumes on channel 1 (``RAID_CHANNEL``), aacraid on channel 0
(``CONTAINER_CHANNEL``). hpsa, smartpqi and the older cciss call each one a logical volume.
"""

import re
from pathlib import Path
from typing import Final

from iosonde.machine.sysfs import read_text

CHANNELS: Final = {
    "megaraid_sas": range(2, 256),
    "mpt2sas": range(1, 2),
    "mpt3sas": range(1, 2),
    "aacraid": range(1),
}
"""The channels of volumes, by driver."""
LOGICAL: Final = "LOGICAL VOLUME"


def raid_volume(block: str, sysfs: Path = Path("/sys")) -> str:
    """The driver and model of the controller whose volume a block device is; empty if it is none."""
    device = (sysfs / "class/block" / Path(block).name / "device").resolve()
    # A SCSI device is named HOST:CHANNEL:TARGET:LUN.
    address = re.fullmatch(r"(\d+):(\d+):\d+:\d+", device.name)
    if address is None:
        return ""
    host, channel = address.groups()
    driver = read_text(sysfs / f"class/scsi_host/host{host}/proc_name")
    model = read_text(device / "model")
    if int(channel) in CHANNELS.get(driver, ()) or model == LOGICAL:
        return f"{model or 'unknown model'}, {driver or 'unknown driver'}"
    return ""
