"""The cells of one output of fio: the workloads of its jobs, and sums over jobs that ran at the same time."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, Final

from iosonde.analysis.procedures import RoundValue
from iosonde.errors import UsageError
from iosonde.plans.other_tools.fio_units import fio_number
from iosonde.records import Workload
from iosonde.sources.rounds.csv_fields import bytes_of
from iosonde.sources.rounds.fio_groups import check_lengths, check_one_device, check_starts, grouped
from iosonde.sources.rounds.fio_names import check_share, options_in_names
from iosonde.sources.rounds.fio_words import MIXED, READS, options_of
from iosonde.sources.rounds.measured import Demand, is_contradictory, workload_of

_SIZES: Final = ("bssplit", "bsrange", "blocksize_range")
_ONE_SIZE: Final = re.compile(r"(\d+[a-zA-Z]*)(?:/(?:100)?)?$")
"""A ``bssplit`` with a single size: ``4k``, ``4k/100``."""

_REFUSED: Final = (
    (_SIZES, "several block sizes", "use outputs with one block size per job"),
    (
        ("rate_iops", "rate"),
        "a limited rate",
        "use outputs without a rate: throughput at a fixed rate is steady whatever the drive does",
    ),
    (
        ("thinktime", "latency_target", "flow", "rate_process"),
        "a load that is not constant",
        "use outputs without pauses and without limits of latency: they hide what the drive could do",
    ),
)
"""Options of jobs that are not judged, what these jobs have, and the way out. The value 0 is no option."""

_ALL: Final = "100"
"""The percentage of random accesses without the option."""

_FIRST_DEPTH: Final = "1"
_SYNCHRONOUS: Final = frozenset({"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"})
BANDWIDTH_MIN: Final = 10 * 1024
"""A smaller bandwidth, which old outputs have in whole KiB/s, is too coarse to compare."""


def cells_of(output: Mapping[str, Any], path: Path) -> Iterator[tuple[Workload, RoundValue, bool]]:
    """The cells of one output, and whether it states how many operations were in flight.

    Jobs of a group with the same options ran at the same time, and are one cell. If an output does not contain the
    options, they are read from its name. Raises UsageError if jobs of a group had different workloads or devices: the
    results of each alone are then unknown.
    """
    jobs: dict[tuple[int, Workload], list[Mapping[str, Any]]] = defaultdict(list)
    states_demand = True
    check_starts([options_of(output, job) for job in output["jobs"]], path)
    for group, job in grouped(output):
        options = options_of(output, job)
        workload = _workload(options, job, path) if options.keys() & {"rw", "readwrite"} else None
        if workload is None:
            options = options_in_names(path, job) | options
            workload = _workload(options, None, path)
            states_demand = bool(options.keys() & {"iodepth", "numjobs"})
        jobs[group, workload].append(job)
    if len({number for number, _ in jobs}) < len(jobs):
        raise UsageError(
            f"{path} has jobs with different workloads that ran at the same time",
            "use outputs in which each workload ran alone (fio's option stonewall, or a call for each)",
        )
    for (_, workload), alike in jobs.items():
        check_one_device([options_of(output, job) for job in alike], path)
        check_lengths(alike, path)
        # Clones of a job have its name, and their number is among its options.
        names = len({job.get("jobname") for job in alike})
        every = workload.model_copy(update={"jobs": max(workload.jobs * names, len(alike))})
        # A job with an error has no result, and neither has the cell.
        value = RoundValue() if any(job.get("error") for job in alike) else _value(alike, workload, path)
        _check_size(path, workload, value)
        yield every, value, states_demand


def failure_doubts(outputs: Sequence[tuple[Path, Mapping[str, Any]]]) -> tuple[str, ...]:
    """Sentences on jobs that ended with an error: their cells have no value in that round."""
    return tuple(
        f"{path}: job {job.get('jobname', '')} failed with error {job['error']}, so its cell has no value in this round"
        for path, output in outputs
        for job in output.get("jobs", ())
        if job.get("error")
    )


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


def _workload(options: Mapping[str, Any], job: Mapping[str, Any] | None, path: Path) -> Workload:
    """The workload that options tell. Those of ``job`` are fio's own, else they are read from names."""
    kind = str(options.get("rw", options.get("readwrite", ""))).partition(":")[0]
    if kind not in READS and kind not in MIXED:
        raise UsageError(
            f"{path} does not say what was measured: rw = {kind or 'none'}",
            "use outputs whose job options contain rw, bs, iodepth and numjobs (fio writes them for options of a job); "
            "those of fio 2.2 and older need them in their names, such as rw=65_bs=4k_qd=32_round=3.json",
        )
    one_size = _ONE_SIZE.match(str(options.get("bssplit", "")))
    if one_size:
        options = {**options, "bs": one_size.group(1), "bssplit": "0"}
    _check_loop(options, kind, path)
    read = READS.get(kind, int(options.get("rwmixread", 100 - int(options.get("rwmixwrite", 50)))))
    depth = _whole(options, "iodepth", path)
    depth = min(depth, 1) if job is not None and _is_synchronous(options, job) else depth
    kb_base = int(options.get("kb_base", 1024)) if job is not None else None
    workload = workload_of(
        read,
        _bytes(str(options.get("bs", options.get("blocksize", "4k"))), path, kb_base),
        Demand(not kind.startswith("rand"), depth, _whole(options, "numjobs", path)),
    )
    if job is not None:
        check_share(path, job, read, "its options tell")
    return workload


def _whole(options: Mapping[str, Any], name: str, path: Path) -> int:
    """The whole number of an option; 1 without it. Raises UsageError."""
    text = str(options.get(name, 1))
    try:
        return int(text)
    except ValueError:
        raise UsageError(
            f"{path} cannot be read: {name} = {text}, which is not a whole number",
            "use the unmodified output of fio --output-format=json",
        ) from None


def _is_synchronous(options: Mapping[str, Any], job: Mapping[str, Any]) -> bool:
    """Whether the engine has one operation in flight, whatever ``iodepth`` is.

    Without ``ioengine`` fio takes psync, except on Windows; the depths that it saw show which.
    """
    if "ioengine" in options:
        return str(options["ioengine"]) in _SYNCHRONOUS
    seen = job.get("iodepth_level") or {}
    return not any(float(share) for depth, share in seen.items() if depth not in {"0", _FIRST_DEPTH})


def _check_loop(options: Mapping[str, Any], kind: str, path: Path) -> None:
    """Raises UsageError for options with which the figures are not those of one plain workload."""
    for names, what, hint in _REFUSED:
        if used := [name for name in names if any(re.split("[,:]", str(options.get(name, "0")).strip("0,:")))]:
            raise UsageError(f"{path} has jobs with {what}: {used[0]} = {options[used[0]]}", hint)
    share = str(options.get("percentage_random", _ALL))
    if kind.startswith("rand") and any(each and each != _ALL for each in re.split("[,:]", share)):
        raise UsageError(
            f"{path} has jobs that are partly sequential: percentage_random = {share}",
            "use outputs whose accesses are all random, or all sequential",
        )


def _bytes(text: str, path: Path, kb_base: int | None) -> int:
    """A block size of fio's options with its ``kb_base``, or of a name, in which KiB are 1,024 bytes."""
    first, *others = text.split(",")
    try:
        if any(each and each != first for each in others):
            raise ValueError(text)  # noqa: TRY301
        return bytes_of(first, 1) if kb_base is None else fio_number(first, "bs", kb_base)
    except (UsageError, ValueError) as error:
        raise UsageError(
            f"{path} has a block size that cannot be read: {text}", "use outputs with one block size per job"
        ) from error


def _value(jobs: Sequence[Mapping[str, Any]], workload: Workload, path: Path) -> RoundValue:
    """The sums over jobs and directions: a mix is measured by all of its operations."""
    asked = [name for name, share in (("read", workload.read_percent), ("write", 100 - workload.read_percent)) if share]
    lacking = next((direction for job in jobs for direction in asked if direction not in job), "")
    if lacking and any("mixed" in job for job in jobs):
        raise UsageError(
            f"{path} has a job whose reads and writes are reported together: unified_rw_reporting",
            "measure without that option, or write its rounds to a CSV file",
        )
    if lacking:
        raise UsageError(
            f"{path} has a job without results of its {lacking}s",
            "use the unmodified output of fio --output-format=json",
        )
    parts = [job[direction] for job in jobs for direction in asked]
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
