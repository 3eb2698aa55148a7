"""What TKperf's XML says of the drive, in the lines of the tools that it calls."""

import json
from xml.etree import ElementTree as ET

import pytest

from iosonde.sources.rounds.tkperf_facts import tkperf_facts


def file_with(**texts: object) -> ET.Element:
    root = ET.Element("drive")
    for name, value in texts.items():
        ET.SubElement(root, name).text = json.dumps(value)
    return root


HDPARM = (
    "\tModel Number:       INTEL SSDSCKKB960G8                     \n\tSerial Number:      PHYH9\n"
    "\tFirmware Revision:  XC311102\n\tMedia Serial Num:   \n\tMedia Manufacturer: \n"
    "\tdevice size with M = 1000*1000:      960197 MBytes (960 GB)\n\twrite-caching =  1 (on)\n"
    "Device Logical Sector Size: 512\n"
)
NVME = "sn        : S3EVNX0J\nmn        : Samsung SSD 960 PRO\nfr        : 2B6QCXP7\ntnvmcap   : 1,024,209,543,168\n"
SGINFO = (
    "Vendor:                    SEAGATE \nProduct:                   ST300MP0005\nRevision level:            VT31\n"
    "Serial Number '7XF0'\nWrite Cache Enabled               0\n"
    "Device size: 300000000000 bytes, 286102.3 MiB, 300.00 GB\n"
)
UDEVADM = (
    "udevadm Device Info section\nE: ID_VENDOR=SanDisk\nE: ID_VENDOR_ENC=SanDisk\\x20\nE: ID_VENDOR_ID=0781\n"
    "E: ID_MODEL=Cruzer_Blade\nE: ID_MODEL_ENC=Cruzer\\x20Blade\nE: ID_SERIAL=SanDisk_Cruzer_Blade_4C53\n"
    "E: ID_SERIAL_SHORT=4C53\nDevice Size (bytes): 8004304896\n"
)


@pytest.mark.parametrize(
    ("lines", "facts"),
    [
        (
            HDPARM,
            {
                "Model": "INTEL SSDSCKKB960G8",
                "Serial": "PHYH9",
                "Firmware": "XC311102",
                "Write cache": "on",
                "Capacity": "960 GB",
            },
        ),
        (
            NVME,
            {"Model": "Samsung SSD 960 PRO", "Serial": "S3EVNX0J", "Firmware": "2B6QCXP7", "Capacity": "1.02 TB"},
        ),
        (
            SGINFO,
            {
                "Vendor": "SEAGATE",
                "Model": "ST300MP0005",
                "Serial": "7XF0",
                "Firmware": "VT31",
                "Write cache": "off",
                "Capacity": "300 GB",
            },
        ),
        (
            UDEVADM,
            {"Vendor": "SanDisk", "Model": "Cruzer_Blade", "Serial": "4C53", "Capacity": "8.00 GB"},
        ),
        ("The old drive from the shelf, product of 2012, with 4 GB", {}),
    ],
    ids=["hdparm", "nvme", "sginfo", "udevadm", "free text"],
)
def test_the_drive_is_read_from_the_lines_of_each_tool(lines: str, facts: dict[str, str]) -> None:
    assert tkperf_facts(file_with(devinfo=lines)) == facts


def test_the_host_the_software_and_the_time_are_read() -> None:
    root = file_with(
        testdate="2019-06-13", kernel="4.15.0-51", lsb="Description:\tUbuntu 18.04.2 LTS", ioperfversion="2.2"
    )
    root.append(file_with(fioversion="fio-3.1", runtime=60))

    assert tkperf_facts(root) == {
        "OS": "Ubuntu 18.04.2 LTS 4.15.0-51",
        "Software": "TKperf 2.2, fio-3.1",
        "Unscaled trial length": "60.0 s",
        "Run start": "2019-06-13",
    }


@pytest.mark.parametrize("value", [None, True, ["Model Number: X"], {"mn": 1}, "", "Model Number: " + "x" * 500])
def test_what_is_no_text_of_devices_is_no_fact(value: object) -> None:
    assert tkperf_facts(file_with(devinfo=value, testdate=value)) == {}


def test_a_fact_that_is_not_json_is_left_out() -> None:
    root = file_with(testdate="2019-06-13")
    ET.SubElement(root, "devinfo").text = "[" * 100_000

    assert tkperf_facts(root) == {"Run start": "2019-06-13"}
