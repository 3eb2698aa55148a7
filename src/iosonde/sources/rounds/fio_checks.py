"""Whether the outputs of fio in a folder are rounds of one drive: their devices, folders and names."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from string import ascii_lowercase
from typing import Any, Final

from iosonde.errors import UsageError
from iosonde.records import Workload
from iosonde.sources.rounds.fio_times import TimedOutput
from iosonde.sources.rounds.fio_words import options_of

_WORD: Final = re.compile(r"[A-Za-z]+")
_COUNTED: Final = frozenset(
    {"drive", "disk", "dev", "device", "ssd", "hdd", "nvme", "volume", "lun", "target", "bay", "slot", "port"}
    | {"host", "node", "server", "client", "vm", "machine", "job", "thread", "worker", "process", "cpu"}
)
"""What names count that are not those of rounds."""


def devices_of(output: Mapping[str, Any]) -> str:
    """The block devices of an output's jobs. Files differ between rounds without being other storage."""
    names = [str(options_of(output, job).get("filename", "")) for job in output["jobs"]]
    return ", ".join(sorted({each for each in names if each.startswith("/dev/")}))


def check_devices(devices: Mapping[Workload, Mapping[str, Path]]) -> None:
    """Raises UsageError for a workload that was measured on different devices."""
    for found in devices.values():
        if len(found) > 1:
            (one, first), (other, second) = list(found.items())[:2]
            raise UsageError(
                f"{first} is of {one or 'another target'}, and {second} of {other or 'another target'}",
                "judge the outputs of each device by themselves",
            )


def check_words(outputs: Mapping[Workload, Sequence[TimedOutput]]) -> None:
    """Raises UsageError for outputs whose names have no number to order them, or count something else than rounds.

    Names without numbers are those of rounds if they are single letters in order, or in the order of time.
    """
    for every in outputs.values():
        paths = [each.path for each in every]
        parts = [[part for part in re.split(r"(\d+)", f"{path.parent.name}/{path.stem}") if part] for path in paths]
        if len(set(paths)) == 1 or len(set(map(len, parts))) > 1:
            continue
        varied = [place for place, each in enumerate(zip(*parts, strict=True)) if len(set(each)) > 1]
        numbers = [place for place in varied if all(each[place].isdigit() for each in parts)]
        words = [_WORD.findall(parts[0][place - 1])[-1:] for place in numbers if place]
        counted = next((each[0] for each in words if each and each[0].lower().rstrip("s") in _COUNTED), "")
        if counted or not (numbers or _are_in_order(every)):
            what = f"count {counted.lower()}s" if counted else "have no number of a round"
            raise UsageError(
                f"the names of {len(paths)} outputs of a workload {what}: {paths[0]}",
                "judge the outputs of each drive by themselves, or name the round in each, such as round3",
            )


def _are_in_order(outputs: Sequence[TimedOutput]) -> bool:
    """Whether the names of outputs are single letters from ``a`` on, or their order is that of their times."""
    by_name = sorted(outputs, key=lambda each: str(each.path))
    letters = "".join(each.path.stem for each in by_name)
    times = [each.end_ms for each in by_name if each.end_ms is not None]
    is_in_time = len(times) == len(outputs) and all(one < other for one, other in pairwise(times))
    return is_in_time or (len(letters) == len(outputs) and letters.lower() == ascii_lowercase[: len(letters)])


def check_names(places: Mapping[Workload, Sequence[Path]]) -> None:
    """Raises UsageError for outputs whose names vary in two parts: which one is the round is then unknown.

    So do the names of ``sda_1`` to ``sdb_5``: each part of them is there several times.
    """
    for paths in places.values():
        parts = [re.split(r"[\W_]+", path.stem) for path in paths]
        if len(set(map(len, parts))) > 1:
            continue
        counts = [Counter(each) for each in zip(*parts, strict=True)]
        varied = [each for each in counts if len(each) > 1 and min(each.values()) > 1]
        if len(varied) > 1:
            raise UsageError(
                f"the names of {len(paths)} outputs of a workload differ in {len(varied)} parts, such as "
                f"{paths[0].name} and {paths[-1].name}",
                "judge the outputs of each drive by themselves, or name the round in each, such as round3",
            )


def check_numbers(places: Mapping[Workload, Sequence[Path]]) -> None:
    """Raises UsageError for outputs whose names count, such as 1, 2, 4, and leave out a number: a round is missing.

    Names in which most numbers are missing do not count: they may be times, or ids of processes.
    """
    for paths in places.values():
        parts = [re.split(r"(\d+)", path.stem) for path in paths]
        if len(set(map(len, parts))) > 1:
            continue
        varied = [each for each in zip(*parts, strict=True) if len(set(each)) > 1]
        if len(varied) != 1 or not all(each.isdigit() for each in varied[0]):
            continue
        numbers = {int(each) for each in varied[0]}
        missing = [each for each in range(min(numbers), max(numbers)) if each not in numbers]
        if 0 < len(missing) < len(numbers):
            raise UsageError(
                f"{len(paths)} outputs of a workload count from {min(numbers)} to {max(numbers)} in their names, but "
                f"{missing[0]} is missing",
                "add the missing outputs, or name the round in each, such as round3: rounds must follow one another",
            )


def check_folders(places: Mapping[Workload, Sequence[Path]]) -> None:
    """Raises UsageError for outputs without the number of their round in folders that may be different runs."""
    for paths in places.values():
        counts = Counter(path.parent for path in paths)
        if len(counts) > 1 and max(counts.values()) > 1:
            first, second = list(counts)[:2]
            raise UsageError(
                f"{first} and {second} have several outputs of the same workload, which do not name their round",
                "judge each folder by itself, or name the round in each file or folder, such as round3",
            )
