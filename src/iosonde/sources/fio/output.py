"""Parses fio's output (JSON+). Snapshots are cumulative; the key of a bin is the midpoint of its bucket."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from iosonde.analysis.histogram import bucket_of
from iosonde.records import Layout, Operation

# fio has 29 groups of 64 buckets. Longer latencies are in the last bucket.
LAYOUT: Final = Layout(buckets_per_octave=64, ceiling_ns=1 << 34)
_DIRECTIONS: Final = {
    "read": Operation.READ,
    "write": Operation.WRITE,
    "trim": Operation.TRIM,
    "sync": Operation.FLUSH,
}
OBJECT_BYTES_MAX: Final = 64 << 20


@dataclass(frozen=True)
class Tally:
    """One class of operations on one target since the measurement began.

    ``issued`` counts submitted operations, ``count`` those in the latency buckets. Mean and extremes are those of
    ``summed`` operations, a few more or less than ``count`` because fio continues to count while it prints. ``short``
    operations transferred less than requested. ``lost`` operations were dropped.
    """

    issued: int
    bytes: int
    runtime_ms: int
    count: int
    summed: int
    latency_ns_sum: int
    latency_ns_min: int
    latency_ns_max: int
    buckets: Mapping[int, int]
    short: int
    lost: int


@dataclass(frozen=True)
class GroupState:
    """All jobs on one target. ``errors`` operations failed, the first with ``first_errno``.

    ``errno`` is the error that ended a job, or the first error if fio continues; 0 if there was none.
    """

    tallies: Mapping[Operation, Tally]
    errno: int
    errors: int
    first_errno: int


@dataclass(frozen=True)
class Snapshot:
    """One of fio's JSON objects: the state of each target at one time."""

    groups: tuple[GroupState, ...]

    @property
    def runtime_ms(self) -> int:
        """How long fio has measured, in ms: the longest of all classes."""
        return max((each.runtime_ms for group in self.groups for each in group.tallies.values()), default=0)

    @property
    def issued(self) -> int:
        """The number of submitted reads, writes and trims. fio does not count flushes here."""
        return sum(tally.issued for _, tally in self._data())

    @property
    def counted(self) -> int:
        """The number of reads, writes and trims with a known latency."""
        return sum(tally.count for _, tally in self._data())

    @property
    def bytes(self) -> int:
        """The number of bytes transferred."""
        return sum(tally.bytes for _, tally in self._data())

    def _data(self) -> Iterator[tuple[Operation, Tally]]:
        for group in self.groups:
            yield from ((each, tally) for each, tally in group.tallies.items() if each is not Operation.FLUSH)


def objects_in(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """The complete JSON objects in fio's output. Text between them is skipped."""
    kept: list[bytes] = []
    size = 0
    for line in lines:
        bare = line.rstrip(b"\r\n")
        if bare == b"{":
            kept, size = [], 0
        elif not kept:
            continue
        kept.append(line)
        size += len(line)
        if size > OBJECT_BYTES_MAX:
            kept = []
        elif bare == b"}":
            found = _parsed(b"".join(kept))
            kept = []
            if found is not None:
                yield found


def _parsed(text: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) and isinstance(found.get("jobs"), list) else None


def read_snapshot(found: Mapping[str, Any]) -> Snapshot:
    """Reads one object. Raises KeyError, TypeError or ValueError for content that is not fio's."""
    return Snapshot(tuple(_group(job) for job in found["jobs"]))


def _group(job: Mapping[str, Any]) -> GroupState:
    tallies = {operation: _tally(job[name]) for name, operation in _DIRECTIONS.items() if name in job}
    return GroupState(
        tallies={operation: tally for operation, tally in tallies.items() if tally.issued or tally.count},
        errno=int(job["error"]),
        errors=int(job.get("total_err", 0)),
        first_errno=int(job.get("first_error", 0)),
    )


def _tally(direction: Mapping[str, Any]) -> Tally:
    latency = direction["lat_ns"]
    buckets: dict[int, int] = {}
    for midpoint_ns, count in latency.get("bins", {}).items():
        if count:
            bucket = bucket_of(LAYOUT, int(midpoint_ns))
            buckets[bucket] = buckets.get(bucket, 0) + int(count)
    return Tally(
        issued=int(direction.get("total_ios", 0)),
        bytes=int(direction.get("io_bytes", 0)),
        runtime_ms=int(direction.get("runtime", 0)),
        count=sum(buckets.values()),
        summed=int(latency.get("N", 0)),
        latency_ns_sum=round(float(latency["mean"]) * int(latency.get("N", 0))),
        latency_ns_min=int(latency["min"]),
        latency_ns_max=int(latency["max"]),
        buckets=buckets,
        short=int(direction.get("short_ios", 0)),
        lost=int(direction.get("drop_ios", 0)),
    )


def added(states: Sequence[Mapping[Operation, Tally]]) -> dict[Operation, Tally]:
    """The sum of the tallies of several targets, by class."""
    classes = dict.fromkeys(operation for state in states for operation in state)
    return {operation: _sum([state[operation] for state in states if operation in state]) for operation in classes}


def _sum(tallies: Sequence[Tally]) -> Tally:
    if len(tallies) == 1:
        return tallies[0]
    buckets: dict[int, int] = {}
    for tally in tallies:
        for bucket, count in tally.buckets.items():
            buckets[bucket] = buckets.get(bucket, 0) + count
    return Tally(
        issued=sum(each.issued for each in tallies),
        bytes=sum(each.bytes for each in tallies),
        runtime_ms=max(each.runtime_ms for each in tallies),
        count=sum(each.count for each in tallies),
        summed=sum(each.summed for each in tallies),
        latency_ns_sum=sum(each.latency_ns_sum for each in tallies),
        latency_ns_min=min((each.latency_ns_min for each in tallies if each.count), default=0),
        latency_ns_max=max(each.latency_ns_max for each in tallies),
        buckets=buckets,
        short=sum(each.short for each in tallies),
        lost=sum(each.lost for each in tallies),
    )
