"""Reads rounds from fio's JSON: each output has one cell in one round, or several jobs.

The round is the number in the name of the file or of its folder (``round3``, ``rnd_03``, or a folder ``3``). If
no file has one, the n-th output of a cell, by time and else by name, is its round n.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, Final, NamedTuple

from iosonde.analysis.procedures import RoundValue
from iosonde.errors import UsageError
from iosonde.records import Workload
from iosonde.sources.rounds.fio_checks import check_devices, check_folders, check_names, check_numbers, devices_of
from iosonde.sources.rounds.fio_names import options_in_names
from iosonde.sources.rounds.fio_words import MIXED, READS
from iosonde.sources.rounds.measured import Demand, Measured, is_contradictory, workload_of

_ROUND: Final = re.compile(r"(?:^|[^a-z])(?:round|rnd|loop|iteration|iter)[ _.=-]?0*(\d+)(?![a-z\d])", re.IGNORECASE)
_RUN: Final = re.compile(r"(?:^|[^a-z])(?:pass|run)[ _.=-]?0*(\d+)(?![a-z\d])", re.IGNORECASE)
_SIZE: Final = re.compile(r"^\s*(\d+(?:\.\d+)?)\s*(b|k|kb|kib|m|mb|mib)?\s*$", re.IGNORECASE)
_UNITS: Final = {"": 1, "b": 1, "k": 1024, "kb": 1024, "kib": 1024, "m": 1 << 20, "mb": 1 << 20, "mib": 1 << 20}
_GROUP_ENDS: Final = ("stonewall", "wait_for_previous")
_REFUSED: Final = (
    (("bssplit", "bsrange", "blocksize_range"), "several block sizes", "use outputs with one block size per job"),
    (
        ("rate_iops", "rate"),
        "a limited rate",
        "use outputs without a rate: throughput at a fixed rate is steady whatever the drive does",
    ),
)
"""Options of jobs that are not judged, what these jobs have, and the way out."""

_ALL: Final = "100"
"""The percentage of random accesses without the option."""

_SYNCHRONOUS: Final = frozenset({"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"})
BANDWIDTH_MIN: Final = 10 * 1024
"""A smaller bandwidth, which old outputs have in whole KiB/s, is too coarse to compare."""


def is_fio(text: str) -> bool:
    """Whether a text looks like fio's JSON."""
    return '"jobs"' in text and '"fio version"' in text


def read_fio(texts: Mapping[Path, str]) -> list[Measured]:
    """The cells of fio's outputs, with their rounds. Raises UsageError for a file that fio did not write."""
    outputs = [(path, output) for path, text in texts.items() for output in _outputs(text, path)]
    numbered = [(path, output, _round_of(path)) for path, output in outputs]
    unnamed = [path for path, _, number in numbered if number is None]
    if unnamed and len(unnamed) < len(numbered):
        raise UsageError(
            f"{len(unnamed)} of {len(numbered)} outputs of fio do not name their round, such as {unnamed[0]}",
            "name the round in each file or folder, such as round3, or in none of them; leave out other outputs",
        )
    if unnamed:
        numbered.sort(key=lambda each: (_time_ms(each[1]), _natural(each[0])))
    found: list[Measured] = []
    seen: Counter[Workload] = Counter()
    places: dict[Workload, list[Path]] = defaultdict(list)
    of_devices: dict[Workload, dict[str, Path]] = defaultdict(dict)
    for path, output, number in numbered:
        try:
            cells = list(_cells(output, path))
        except (TypeError, ValueError, KeyError, OverflowError, AttributeError) as error:
            raise UsageError(
                f"{path} cannot be read: {error}", "use the unmodified output of fio --output-format=json"
            ) from error
        for workload, value, states_demand in cells:
            seen[workload] += 1
            places[workload].append(path)
            of_devices[workload].setdefault(devices_of(output), path)
            found.append(Measured(seen[workload] if number is None else number, workload, value, states_demand))
    check_devices(of_devices)
    if unnamed:
        check_folders(places)
        check_names(places)
        check_numbers(places)
    return found


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


def _round_of(path: Path) -> int | None:
    # A folder can be a run of several rounds.
    for words in (_ROUND, _RUN):
        for part in (path.stem, path.parent.name):
            numbers = words.findall(part)
            if numbers:
                return int(numbers[-1])
    return int(path.parent.name) if path.parent.name.isdigit() else None


def _time_ms(output: Mapping[str, Any]) -> int:
    return int(output.get("timestamp_ms") or 1000 * int(output.get("timestamp") or 0))


def _natural(path: Path) -> list[tuple[int, str]]:
    """The order of a name with its numbers as numbers."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", str(path)) if part]


def _cells(output: Mapping[str, Any], path: Path) -> Iterator[tuple[Workload, RoundValue, bool]]:
    """The cells of one output, and whether it states how many operations were in flight.

    Jobs of a group with the same options ran at the same time, and are one cell. Options that the output lacks are
    those of its name. Raises UsageError if jobs of a group had different workloads: what each would do alone is then
    unknown.
    """
    common = output.get("global options") or {}
    jobs: dict[tuple[int, Workload], list[Mapping[str, Any]]] = defaultdict(list)
    group, before, states_demand = 0, _Place(None, None), True
    for job in output["jobs"]:
        options, mine = common | (job.get("job options") or {}), _Place(job.get("groupid"), job.get("jobname"))
        if not options.keys() & {"rw", "readwrite"}:
            options = options_in_names(path, job) | options
            states_demand = bool(options.keys() & {"iodepth", "numjobs"})
        group += mine.is_after(before, options)
        before = mine
        jobs[group, _workload(options, path)].append(job)
    if len({number for number, _ in jobs}) < len(jobs):
        raise UsageError(
            f"{path} has jobs with different workloads that ran at the same time",
            "use outputs in which each workload ran alone (fio's option stonewall, or a call for each)",
        )
    for (_, workload), alike in jobs.items():
        # Clones of a job have its name, and their number is among its options.
        names = len({job.get("jobname") for job in alike})
        together = workload.model_copy(update={"jobs": max(workload.jobs * names, len(alike))})
        # A job with an error has no result, and neither has the cell.
        value = RoundValue() if any(job.get("error") for job in alike) else _value(alike)
        _check_size(path, workload, value)
        yield together, value, states_demand


class _Place(NamedTuple):
    """Where a job is in an output of fio: the number of its group, and its name, which its clones have too."""

    group: int | None
    name: str | None

    def is_after(self, before: "_Place", options: Mapping[str, Any]) -> bool:
        """Whether a job began after those before it had ended: it has ``stonewall``, or the number of a later group.

        fio leaves out options without a value, such as a bare ``stonewall``. A new number alone shows it, unless the
        option ``new_group`` is the reason.
        """
        has_wall = self != before and any(name in options for name in _GROUP_ENDS)
        is_first = before.name is None and before.group is None
        return has_wall or (not is_first and self.group != before.group and "new_group" not in options)


def _check_size(path: Path, workload: Workload, value: RoundValue) -> None:
    """Raises UsageError if the operations that completed have another size than the options say."""
    known = value.iops and value.bytes_per_s and isfinite(value.iops) and value.bytes_per_s >= BANDWIDTH_MIN
    if not known or value.bytes_per_s is None or value.iops is None:
        return
    size, told = value.bytes_per_s / value.iops, workload.block_size_bytes
    if is_contradictory(size, told):
        raise UsageError(
            f"{path}: the operations have {size:,.0f} bytes, and not {told:,} as its options or its name say",
            "use the unmodified output under a name that says what was measured",
        )


def _workload(options: Mapping[str, Any], path: Path) -> Workload:
    kind = str(options.get("rw", options.get("readwrite", ""))).partition(":")[0]
    if kind not in READS and kind not in MIXED:
        raise UsageError(
            f"{path} does not say what was measured: rw = {kind or 'none'}",
            "use outputs whose job options contain rw, bs, iodepth and numjobs (fio writes them for options of a job); "
            "those of fio 2.2 and older need them in their names, such as rw=65_bs=4k_qd=32_round=3.json",
        )
    _check_loop(options, kind, path)
    # These engines have one operation in flight, whatever iodepth is.
    is_synchronous = str(options.get("ioengine", "")) in _SYNCHRONOUS
    depth = 1 if is_synchronous else int(options.get("iodepth", 1))
    read = READS.get(kind, int(options.get("rwmixread", 100 - int(options.get("rwmixwrite", 50)))))
    return workload_of(
        read,
        _bytes(str(options.get("bs", options.get("blocksize", "4k"))), path),
        Demand(not kind.startswith("rand"), depth, int(options.get("numjobs", 1))),
    )


def _check_loop(options: Mapping[str, Any], kind: str, path: Path) -> None:
    """Raises UsageError for options with which the figures are not those of one plain workload."""
    for names, what, hint in _REFUSED:
        if used := [name for name in names if name in options]:
            raise UsageError(f"{path} has jobs with {what}: {used[0]} = {options[used[0]]}", hint)
    share = str(options.get("percentage_random", _ALL))
    if kind.startswith("rand") and any(each and each != _ALL for each in re.split("[,:]", share)):
        raise UsageError(
            f"{path} has jobs that are partly sequential: percentage_random = {share}",
            "use outputs whose accesses are all random, or all sequential",
        )


def _bytes(text: str, path: Path) -> int:
    first, *others = text.split(",")
    match = _SIZE.match(first)
    if match is None or any(each and each != first for each in others):
        raise UsageError(
            f"{path} has a block size that cannot be read: {text}", "use outputs with one block size per job"
        )
    return int(float(match.group(1)) * _UNITS[(match.group(2) or "").lower()])


def _value(jobs: Sequence[Mapping[str, Any]]) -> RoundValue:
    """The sums over jobs and directions: a mix is measured by all of its operations."""
    parts = [job[direction] for job in jobs for direction in ("read", "write") if direction in job]
    active = [each for each in parts if each.get("total_ios") or each.get("iops") or each.get("io_bytes")]
    latencies = [found for each in active if (found := _latency_ns(each)) is not None]
    counted = [count for _, _, _, count in latencies]
    total = sum(counted)
    return RoundValue(
        iops=sum(float(each.get("iops", 0)) for each in active),
        bytes_per_s=sum(_bytes_per_s(each) for each in active),
        latency_ns_mean=sum(mean * count for _, _, mean, count in latencies) / total if total else None,
        latency_ns_min=_rounded(min, [least for least, _, _, _ in latencies]),
        latency_ns_max=_rounded(max, [most for _, most, _, _ in latencies]),
    )


def _bytes_per_s(part: Mapping[str, Any]) -> float:
    return float(part["bw_bytes"]) if "bw_bytes" in part else float(part.get("bw", 0)) * 1024


def _rounded(of: Callable[[list[float]], float], values: Sequence[float | None]) -> int | None:
    """The smallest or the largest value; None if a value is unknown, or if there are none."""
    known = [each for each in values if each is not None]
    return round(of(known)) if known and len(known) == len(values) else None


def _latency_ns(part: Mapping[str, Any]) -> tuple[float | None, float | None, float, float] | None:
    """Minimum, maximum (None if unknown) and mean in ns, and the number of operations. fio 2 has microseconds."""
    for name, scale in (("lat_ns", 1.0), ("lat", 1000.0), ("clat_ns", 1.0), ("clat", 1000.0)):
        found = part.get(name)
        if isinstance(found, Mapping) and "mean" in found:
            count = float(found.get("N") or part.get("total_ios") or part.get("iops") or 0)
            ends = [None if found.get(end) is None else float(found[end]) * scale for end in ("min", "max")]
            return ends[0], ends[1], float(found["mean"]) * scale, count
    return None
