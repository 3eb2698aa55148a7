"""Writes a file in the form of TKperf's XML whose measurement windows average to the tables of document 004.

The document prints the values of its tracking variables, which are used as they are, and means of five rounds for all
other cells, for which rounds are made up. Rounds before the window are made up as well, so that none is steady earlier.

    python -m tools.tkperf_of_seed drive.xml
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

WINDOW: Final = 5
KIB: Final = 1024
MIXES: Final = (100, 95, 65, 50, 35, 5, 0)
SIZES: Final = ("1024k", "128k", "64k", "32k", "16k", "8k", "4k", "512")
IOPS: Final = {
    "512": (47337.0, 44395.0, 38724.0, 39986.4, 41300.6, 46672.2, 49237.8),
    "4k": (45811.4, 44176.0, 39876.4, 43682.2, 45469.8, 62848.6, 70418.0),
    "8k": (24676.4, 24375.4, 24835.4, 27153.6, 29461.8, 44728.6, 51316.4),
    "16k": (14130.0, 14155.0, 14839.0, 16744.2, 18841.2, 27007.2, 28716.2),
    "32k": (6548.2, 6600.2, 7111.6, 7775.4, 8539.2, 13350.2, 14866.6),
    "64k": (3685.6, 3759.4, 4034.4, 4412.6, 4783.2, 6957.4, 7725.2),
    "128k": (2049.2, 2068.6, 2241.0, 2486.8, 2645.2, 3514.6, 3921.0),
    "1024k": (401.2, 388.8, 377.2, 376.0, 402.4, 472.0, 494.6),
}
IOPS_WINDOW: Final = (66737, 69316, 71040, 72609, 72388)
IOPS_BEFORE: Final = (30000, 50000) * 5
THROUGHPUT: Final = {
    "1024k": (523.639, 495.423),
    "64k": (513.663, 493.333),
    "8k": (397.231, 471.958),
    "4k": (356.018, 429.468),
    "512": (116.797, 152.088),
}
THROUGHPUT_WINDOW: Final = (507174, 507335, 507361, 507352, 507344)
LATENCY_SIZES: Final = ("8k", "4k", "512")
# By size: 0/100, 65/35, 100/0.
LATENCY_MEAN: Final = {"8k": (0.055, 0.124, 0.133), "4k": (0.041, 0.093, 0.111), "512": (0.043, 0.09, 0.105)}
LATENCY_MAX: Final = {"8k": (8.187, 3.362, 2.374), "4k": (8.488, 3.225, 2.657), "512": (8.216, 3.303, 3.029)}
LATENCY_WINDOW: Final = (42.598078, 41.067587, 41.089536, 40.708312, 41.165971)
LATENCY_BEFORE: Final = 60.0


def tkperf_xml() -> bytes:
    """The whole file."""
    root = ET.Element("D3-S4510-M2-960GB-FW-XC311102")
    for name, value in (("testdate", "2019-06-13"), ("ioperfversion", "2.2"), ("kernel", "4.15.0-51-generic")):
        _add(root, name, value)
    _test(root, "iops", _iops_rounds(), IOPS_WINDOW, 14)
    _test(root, "tp", _throughput_rounds(), THROUGHPUT_WINDOW, 4)
    _test(root, "lat", _latency_rounds(), LATENCY_WINDOW, 5)
    return ET.tostring(root)


def _test(root: ET.Element, tag: str, rounds: Any, window: Sequence[float], last: int) -> None:  # noqa: ANN401 - a matrix of any form
    element = ET.SubElement(root, tag)
    demand = {"numjobs": 1, "iodepth": 1} if tag == "lat" else {"numjobs": 4, "iodepth": 32}
    for name, value in (("fioversion", "fio-3.1"), *demand.items(), ("runtime", 60), ("roundmat", rounds)):
        _add(element, name, value)
    _add(element, "stdyrounds", list(range(last - WINDOW + 1, last + 1)))
    _add(element, "stdyvalues", list(window))
    _add(element, "stdyavg", sum(window) / WINDOW)
    _add(element, "reachstdystate", value=True)
    _add(element, "rndnr", last)


def _add(parent: ET.Element, name: str, value: Any) -> None:  # noqa: ANN401 - whatever JSON can hold
    ET.SubElement(parent, name).text = json.dumps(value)


def whole_parts(mean: float) -> list[int]:
    """Five whole numbers with this mean."""
    total = round(mean * WINDOW)
    return [total // WINDOW + (place < total % WINDOW) for place in range(WINDOW)]


def _iops_rounds() -> list[list[list[int]]]:
    window = {(mix, size): whole_parts(IOPS[size][place]) for place, mix in enumerate(MIXES) for size in SIZES}
    window[0, "4k"] = list(IOPS_WINDOW)
    before = [
        [[value if (mix, size) == (0, "4k") else window[mix, size][0] for size in SIZES] for mix in MIXES]
        for value in IOPS_BEFORE
    ]
    return before + [[[window[mix, size][number] for size in SIZES] for mix in MIXES] for number in range(WINDOW)]


def _throughput_rounds() -> list[list[list[int]]]:
    found = [[whole_parts(mean * KIB) for mean in THROUGHPUT[size]] for size in THROUGHPUT]
    found[0][1] = list(THROUGHPUT_WINDOW)
    return found


def _latency_rounds() -> list[list[list[list[float]]]]:
    """Five rounds of minimum, maximum and mean in microseconds, after one that is not steady."""

    def cell(place: int, size: str, number: int) -> list[float]:
        mean = 1000 * LATENCY_MEAN[size][place]
        if (place, size) == (0, "4k"):
            mean = LATENCY_BEFORE if number == 0 else LATENCY_WINDOW[number - 1]
        longest = 1000 * LATENCY_MAX[size][place]
        # The largest of the five is the one that the document prints.
        return [mean / 2, longest if number == 3 else longest / 2, mean]  # noqa: PLR2004 - any round of the window

    return [
        [[cell(place, size, number) for size in LATENCY_SIZES] for place in (2, 1, 0)] for number in range(WINDOW + 1)
    ]


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(tkperf_xml())
