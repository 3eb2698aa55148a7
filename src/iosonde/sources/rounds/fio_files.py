"""Reads rounds from fio's JSON: each output has one cell in one round, or several jobs.

The round is the number in the name of the file or of its folder (``round3``, ``rnd_03``, or a folder ``3``). If
no file has one, the n-th output of a cell, by time and else by name, is its round n.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from iosonde.errors import UsageError
from iosonde.plans import cell_name
from iosonde.records import Workload
from iosonde.sources.rounds.fio_checks import (
    check_devices,
    check_folders,
    check_names,
    check_numbers,
    check_words,
    devices_of,
)
from iosonde.sources.rounds.fio_jobs import cells_of, failure_doubts
from iosonde.sources.rounds.fio_times import TimedOutput, time_doubts, time_ms, timed
from iosonde.sources.rounds.measured import Measured

_ROUND: Final = re.compile(r"(?:^|[^a-z])(?:round|rnd|loop|iteration|iter)[ _.=-]?0*(\d+)(?![a-z\d])", re.IGNORECASE)
_RUN: Final = re.compile(r"(?:^|[^a-z])(?:pass|run)[ _.=-]?0*(\d+)(?![a-z\d])", re.IGNORECASE)


def is_fio(text: str) -> bool:
    """Whether a text looks like fio's JSON."""
    return '"jobs"' in text and '"fio version"' in text


class FioRounds(NamedTuple):
    """The cells of fio's outputs with their rounds.

    ``doubts`` are sentences on what speaks against these rounds, ``version`` is that of fio. ``said`` is in how many
    jobs fio's own criterion (option ``steadystate``) was met, by the criterion.
    """

    measured: list[Measured]
    doubts: tuple[str, ...]
    version: str
    said: Mapping[str, str]


def read_fio(texts: Mapping[Path, str]) -> FioRounds:
    """The rounds of fio's outputs. Raises UsageError for a file that fio did not write."""
    outputs = [(path, output) for path, text in texts.items() for output in _outputs(text, path)]
    names_rounds = any(_named_round(path) is not None for path, _ in outputs)
    round_of = _named_round if names_rounds else _numbered_folder
    numbered = [(path, output, round_of(path)) for path, output in outputs]
    unnamed = [path for path, _, number in numbered if number is None]
    if unnamed and len(unnamed) < len(numbered):
        raise UsageError(
            f"{len(unnamed)} of {len(numbered)} outputs of fio do not name their round, such as {unnamed[0]}",
            "name the round in each file or folder, such as round3, or in none of them; leave out other outputs",
        )
    if unnamed:
        numbered.sort(key=lambda each: (time_ms(each[1]), _natural(each[0])))
    found: list[Measured] = []
    seen: Counter[Workload] = Counter()
    by_round: dict[tuple[int, Workload], Path] = {}
    places: dict[Workload, list[Path]] = defaultdict(list)
    of_devices: dict[Workload, dict[str, Path]] = defaultdict(dict)
    times: dict[Workload, list[TimedOutput]] = defaultdict(list)
    for document, (path, output, number) in enumerate(numbered):
        try:
            cells = list(cells_of(output, path))
        except (TypeError, ValueError, KeyError, OverflowError, AttributeError) as error:
            raise UsageError(
                f"{path} cannot be read: {error}", "use the unmodified output of fio --output-format=json"
            ) from error
        for workload, value, states_demand in cells:
            seen[workload] += 1
            places[workload].append(path)
            of_devices[workload].setdefault(devices_of(output), path)
            round_number = seen[workload] if number is None else number
            other = by_round.setdefault((round_number, workload), path)
            if other != path:
                raise UsageError(
                    f"{other} and {path} both have round {round_number} of {cell_name(workload)}",
                    "give each round one output per cell, and leave out outputs of other runs",
                )
            times[workload].append(timed(path, document, round_number, output))
            found.append(Measured(round_number, workload, value, states_demand))
    check_devices(of_devices)
    if unnamed:
        check_folders(places)
        check_names(places)
        check_words(times)
        check_numbers(places)
    # Outputs are in the order of their names, and cells in that of their mixes and sizes.
    found.sort(key=lambda each: _place(each.workload))
    versions = dict.fromkeys(str(output.get("fio version", "")) for _, output in outputs)
    doubts = (*time_doubts(times), *failure_doubts(outputs))
    return FioRounds(found, doubts, ", ".join(filter(None, versions)), _own_verdicts(outputs))


def _own_verdicts(outputs: Sequence[tuple[Path, Mapping[str, Any]]]) -> dict[str, str]:
    """What fio says of its own steady state, by criterion."""
    met: dict[str, list[bool]] = defaultdict(list)
    for _, output in outputs:
        for job in output["jobs"]:
            own = job.get("steadystate")
            if isinstance(own, Mapping) and "attained" in own:
                met[str(own.get("ss", ""))].append(bool(own["attained"]))
    return {f"fio's {criterion}": f"attained in {sum(each)} of {len(each)} jobs" for criterion, each in met.items()}


def _outputs(text: str, path: Path) -> Iterator[dict[str, Any]]:
    """The JSON objects of an output. fio prints warnings before them."""
    decoder, at = json.JSONDecoder(), text.find("{")
    if at < 0:
        raise UsageError(f"{path} has no JSON output of fio", "use files written by fio --output-format=json")
    while at >= 0:
        try:
            found, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{path} is not JSON: {error}", "use files written by fio --output-format=json") from error
        if not isinstance(found, dict) or not isinstance(found.get("jobs"), list):
            raise UsageError(f"{path} has no jobs", "use files written by fio --output-format=json")
        yield found
        at = text.find("{", end)


def _named_round(path: Path) -> int | None:
    # A folder can be a run of several rounds.
    for words in (_ROUND, _RUN):
        for part in (path.stem, path.parent.name):
            numbers = words.findall(part)
            if numbers:
                return int(numbers[-1])
    return None


def _numbered_folder(path: Path) -> int | None:
    """The number that the folder of a file has for a name: its round, if no file says more."""
    return int(path.parent.name) if path.parent.name.isdigit() else None


def _place(workload: Workload) -> tuple[int, int, int]:
    return workload.read_percent, workload.block_size_bytes, workload.operations_in_flight


def _natural(path: Path) -> list[tuple[int, str]]:
    """The order of a name with its numbers as numbers."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", str(path)) if part]
