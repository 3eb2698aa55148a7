"""What TKperf's XML says of the drive, the host and the software.

``devinfo`` is the lines that TKperf keeps of ``hdparm -I``, ``nvme id-ctrl``, ``sginfo`` or ``udevadm``, or a text of
the user's own.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final
from xml.etree import ElementTree as ET

from iosonde.units import MEGABYTE, SECOND_NS, format_amount, short_duration

VALUE_MAX: Final = 200
"""The most characters of a value: more is not one of these facts."""

NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "Vendor": ("Vendor", "ID_VENDOR", "Media Manufacturer"),
    "Model": ("Model Number", "mn", "Product", "ID_MODEL"),
    "Serial": ("Serial Number", "sn", "ID_SERIAL_SHORT", "ID_SERIAL", "Media Serial Num"),
    "Firmware": ("Firmware Revision", "fr", "Revision Level"),
    "Write cache": ("write-caching", "Write Cache Enabled"),
}
"""The names of each fact in the outputs of the tools, the best one first."""

SIZES: Final[Mapping[str, int]] = {
    "tnvmcap": 1,
    "Device Size (bytes)": 1,
    "Device size": 1,
    "device size with M = 1000*1000": MEGABYTE,
}
"""The names of the capacity, and its unit in bytes."""

_NUMBER: Final = re.compile(r"\d[\d,]*")
_ON: Final[Mapping[str, str]] = {"1": "on", "0": "off"}


def tkperf_facts(root: ET.Element) -> dict[str, str]:
    """The facts by their names in reports. One that the file does not have is missing."""
    found = dict(_device_facts(_text(root, "devinfo")))
    system = " ".join(filter(None, (_text(root, "lsb").removeprefix("Description:"), _text(root, "kernel"))))
    versions = {text for test in root for text in [_text(test, "fioversion")] if text}
    times = {text for test in root for text in [_text(test, "runtime")] if text}
    others = {
        "OS": " ".join(system.split()),
        "Software": ", ".join(filter(None, (_named("TKperf", _text(root, "ioperfversion")), *sorted(versions)))),
        "Unscaled trial length": "; ".join(_seconds(each) for each in sorted(times)),
        "Run start": _text(root, "testdate"),
    }
    return {name: text for name, text in {**found, **others}.items() if text and len(text) <= VALUE_MAX}


def _device_facts(text: str) -> Iterator[tuple[str, str]]:
    lines = [line.strip().removeprefix("E: ") for line in text.splitlines()]
    for fact, names in NAMES.items():
        value = next((value for name in names for line in lines if (value := _value(line, name))), "")
        if value:
            yield fact, _ON.get(value[:1], value) if fact == "Write cache" else value
    for name, unit in SIZES.items():
        number = next((found for line in lines if (found := _NUMBER.match(_value(line, name)))), None)
        if number is not None and (size := int(number[0].replace(",", ""))):
            yield "Capacity", format_amount(size * unit)
            return


def _value(line: str, name: str) -> str:
    """The value of a line such as ``name : value``, ``name=value`` or ``name 'value'``; empty for another name."""
    match = re.match(rf"{re.escape(name)}(?:\s*[:='](.*)|\s+(\d+))$", line, re.IGNORECASE)
    return "" if match is None else (match[1] or match[2] or "").strip(" \t'")


def _text(element: ET.Element, name: str) -> str:
    """The text of an element, which is JSON of a string or a number; empty if it is something else."""
    try:
        found = json.loads(element.findtext(name) or '""')
    except (ValueError, RecursionError):
        return ""
    return str(found).strip() if isinstance(found, str | int | float) and not isinstance(found, bool) else ""


def _named(tool: str, version: str) -> str:
    return f"{tool} {version}" if version else ""


def _seconds(text: str) -> str:
    return short_duration(int(text) * SECOND_NS) if text.isascii() and text.isdecimal() else text
