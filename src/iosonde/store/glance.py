"""A run at a glance: what a listing says of it, without reading the journal's histograms.

A glance walks over the heads of the frames and takes totals from the cells that are asked for. It checks no checksum:
bits that were flipped within a frame are found by ``load_run`` only.
"""

import json
import mmap
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from iosonde.analysis.totals import COUNTED_IN_ALL
from iosonde.errors import RecordError
from iosonde.records import CellPlan, Operation, Outcome, Plan, RunHeader, Sync
from iosonde.store.archive import is_archive
from iosonde.store.files import open_files
from iosonde.store.frames import HEAD, PREFIX, Broken, Frame, Kind, decode, schema_version_of
from iosonde.store.names import JOURNAL_NAME
from iosonde.store.reading import check_version, load_header
from iosonde.units import SECOND_NS

LOCKS: Final = Path("/proc/locks")

# The journal writes a cell's fields in the order of the record; a cell that differs is read as JSON instead.
_TURN: Final = re.compile(rb'"order":(\d+),')
_OUTCOME: Final = re.compile(rb'"outcome":"(\w+)"')
_FIRST_TOTALS: Final = re.compile(
    rb'"measured_ns":(\d+),"in_flight_ns":(?:\d+|null),'
    rb'"operations":\{"(?:read|write)":\{"count":(\d+),"bytes":\d+,"latency_ns_sum":(\d+),'
)
_CLOCK_END: Final = re.compile(rb'"clock_end":\{"engine_ns":\d+,"wall_ns":(\d+),')


@dataclass(frozen=True)
class CellGlance:
    """What one cell is about (commits, its direction, or all together): means over its finished repeats."""

    cell: str
    iops: float
    latency_ns_mean: float
    repeats: int
    records: tuple[bytes, ...] = field(default=(), repr=False)
    """Its measurements as they were written."""


@dataclass(frozen=True)
class Glance:
    """A run at a glance.

    ``measured`` of ``planned`` measurements have finished. ``running`` says that a process is writing it now.
    ``damage`` says what can't be read; an end that writing broke off in is none. ``duration_ns`` is the time from
    the start to the last cell's end, without the pauses before resumptions; None when no cell has ended. Of a simulated
    drive it is virtual.
    """

    header: RunHeader
    finished: bool
    running: bool
    damage: str | None
    measured: int
    planned: int
    duration_ns: int | None
    cells: tuple[CellGlance, ...]


def glance_at(path: Path, wanted: Callable[[Plan], Collection[CellPlan]]) -> Glance:
    """Looks at a run; ``wanted`` are the cells whose figures are worth reading. Raises RecordError."""
    header = load_header(path)
    looking = _Looking(header, {plan.cell: plan for plan in wanted(header.plan)})
    journal = path / JOURNAL_NAME
    try:
        with _opened(path) as (data, is_held):
            version = schema_version_of(data[: PREFIX.size])
            if version is None:
                raise RecordError(f"{journal} does not begin like a journal", "use a copy of the run directory")
            check_version(path, version)
            for frame in _frames(data, looking.damage):
                looking.take(frame)
            return looking.result(running=not looking.finished and is_held())
    except FileNotFoundError as error:
        raise RecordError(
            f"{path} has no journal: only half of a run is there", "use a whole copy of the run directory"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        # A frame whose bits were flipped is no record any more; load_run says which one it is.
        raise RecordError(f"{journal} is damaged", f"`iosonde show {path}` reads what is whole") from error
    except OSError as error:
        raise RecordError(
            f"{path} has no readable journal: {error.strerror}", "use a copy of the run directory"
        ) from error


@contextmanager
def _opened(path: Path) -> Iterator[tuple[mmap.mmap | bytes, Callable[[], bool]]]:
    """The journal, and what says whether it is being written; nobody writes in an archive."""
    if is_archive(path):
        with open_files(path) as files:
            yield files.read(JOURNAL_NAME), lambda: False
        return
    with (path / JOURNAL_NAME).open("rb") as file, _mapped(file.fileno()) as data:
        yield data, lambda: _is_locked(file.fileno())


def _mapped(file: int) -> mmap.mmap:
    try:
        return mmap.mmap(file, 0, access=mmap.ACCESS_READ)
    except ValueError:
        # An empty file can't be mapped; nothing is in it either.
        return mmap.mmap(-1, 1, access=mmap.ACCESS_READ)


@dataclass(frozen=True)
class _Payload:
    """A frame's payload where it lies: most of it is never looked at."""

    kind: Kind
    data: mmap.mmap | bytes
    start: int
    end: int

    @property
    def whole(self) -> bytes:
        return self.data[self.start : self.end]


def _frames(data: mmap.mmap | bytes, damage: list[str]) -> Iterator[_Payload]:
    """All frames but intervals, which are nine of ten and which no listing looks at."""
    places = _places(data)
    if places is not None:
        for kind, start, end in places:
            yield _Payload(Kind(kind), data, start, end)
        return
    # Something is not whole. Only now is everything read, to tell a broken end from a damaged stretch.
    for found in decode(bytes(data)):
        if isinstance(found, Frame):
            yield _Payload(found.kind, found.payload, 0, len(found.payload))
        elif found.end_bytes < len(data):
            damage.append(_damage_text(found))


def _places(data: mmap.mmap | bytes) -> list[tuple[int, int, int]] | None:
    """Kind, start and end of each payload, by the heads alone; None where they don't lead to the journal's end.

    A journal has thousands of frames, and this loop is most of what a listing costs.
    """
    head_bytes, unpack, interval, kinds = HEAD.size, HEAD.unpack_from, int(Kind.INTERVAL), {int(kind) for kind in Kind}
    at, size, places = PREFIX.size, len(data), []
    while at + head_bytes <= size:
        length, _, kind = unpack(data, at)
        start = at + head_bytes
        at = start + length
        if kind != interval:
            if kind not in kinds:
                return None
            places.append((kind, start, at))
    return places if at == size else None


def _damage_text(found: Broken) -> str:
    return f"{found.reason}, at byte {found.offset_bytes}"


def _is_locked(file: int) -> bool:
    """Whether a process holds the journal's lock. The kernel's table is read: taking the lock would be in the way."""
    about = os.fstat(file)
    place = f"{os.major(about.st_dev):02x}:{os.minor(about.st_dev):02x}:{about.st_ino}"
    try:
        lines = LOCKS.read_text(encoding="ascii").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    return any(place in line.split() for line in lines)


@dataclass
class _Looking:
    """What the frames add up to."""

    header: RunHeader
    wanted: Mapping[str, CellPlan]
    damage: list[str] = field(default_factory=list)
    finished: bool = False

    def __post_init__(self) -> None:
        self._cells = {turn.order: turn.cell for turn in self.header.plan.turns}
        self._finished_orders: set[int] = set()
        # By turn: a measurement that was made again takes the place of the one before.
        self._figures: dict[int, tuple[str, float, float]] = {}
        self._records: dict[int, tuple[str, bytes]] = {}
        self._began_ns = _since_1970_ns(self.header.created_at)
        self._last_cell: _Payload | None = None
        self._duration_ns = 0

    def take(self, frame: _Payload) -> None:
        """Adds one frame."""
        if frame.kind is Kind.CELL:
            self._cell(frame)
        elif frame.kind is Kind.END:
            self.finished = True
        elif frame.kind is Kind.TURN:
            turn = json.loads(frame.whole)
            self._cells[turn["order"]] = turn["cell"]
        elif frame.kind is Kind.SESSION:
            self.finished = False
            self._end_session()
            self._began_ns = _since_1970_ns(json.loads(frame.whole).get("resumed_at", ""))
        if frame.kind in {Kind.CELL, Kind.FILL}:
            self._last_cell = frame

    def result(self, *, running: bool) -> Glance:
        """The run, as far as it can be seen from here."""
        self._end_session()
        plan = self.header.plan
        return Glance(
            header=self.header,
            finished=self.finished,
            running=running,
            damage="; ".join(self.damage) or None,
            measured=len(self._finished_orders),
            planned=len(self._cells) or len(plan.cells) * plan.repeats,
            duration_ns=self._duration_ns or None,
            cells=tuple(self._glances()),
        )

    def _end_session(self) -> None:
        payload = b"" if self._last_cell is None else self._last_cell.whole
        ended = _CLOCK_END.search(payload, max(payload.rfind(b'"clock_end":'), 0))
        if self.header.is_simulated:
            # Virtual time begins at 0, stands still between sessions, and goes on where it was.
            self._duration_ns = int(ended[1]) if ended else self._duration_ns
        elif self._began_ns is not None and ended:
            self._duration_ns += max(int(ended[1]) - self._began_ns, 0)
        self._last_cell = None

    def _cell(self, frame: _Payload) -> None:
        turn = _TURN.search(frame.data, frame.start, frame.end)
        if turn is not None and self._cells.get(int(turn[1])) in self.wanted:
            self._records[int(turn[1])] = (self._cells[int(turn[1])], frame.whole)
        outcome = _OUTCOME.search(frame.data, turn.end(), frame.end) if turn else None
        name = self._cells.get(int(turn[1])) if turn else None
        if turn is None or outcome is None or name is None:
            self._whole_cell(json.loads(frame.whole))
        elif name not in self.wanted:
            self._keep(int(turn[1]), name, outcome[1].decode())
        else:
            plain = _is_plain(self.wanted[name])
            totals = _FIRST_TOTALS.search(frame.data, outcome.end(), frame.end) if plain else None
            if totals is None:
                self._whole_cell(json.loads(frame.whole))
            else:
                self._keep(int(turn[1]), name, outcome[1].decode(), tuple(map(int, totals.groups())))

    def _whole_cell(self, cell: Mapping[str, Any]) -> None:
        plan = self.wanted.get(cell["cell"])
        totals = [cell["operations"].get(each) for each in (_counted(plan) if plan is not None else ())]
        count = sum(each["count"] for each in totals if each)
        latency_ns_sum = sum(_latency_ns_sum(each) for each in totals if each)
        self._keep(cell["order"], cell["cell"], cell["outcome"], (cell["measured_ns"], count, latency_ns_sum))

    def _keep(self, order: int, name: str, outcome: str, totals: tuple[int, ...] = ()) -> None:
        """Takes a measurement in; ``totals`` are its measured time, its operations, and the sum of their latencies."""
        if outcome != Outcome.FINISHED:
            return
        self._finished_orders.add(order)
        if totals and all(totals[:2]):
            measured_ns, count, latency_ns_sum = totals
            self._figures[order] = (name, count * SECOND_NS / measured_ns, latency_ns_sum / count)

    def _glances(self) -> Iterator[CellGlance]:
        by_cell: dict[str, list[tuple[float, float]]] = {}
        for name, iops, latency_ns in self._figures.values():
            by_cell.setdefault(name, []).append((iops, latency_ns))
        for name, repeats in by_cell.items():
            iops, latency_ns = (sum(values) / len(repeats) for values in zip(*repeats, strict=True))
            records = tuple(record for cell, record in self._records.values() if cell == name)
            yield CellGlance(name, iops, latency_ns, len(repeats), records)


def _is_plain(plan: CellPlan) -> bool:
    """Whether one class of operations is all that the cell has, so that the first one is what it is about.

    An open loop is about its response times, which stand further behind.
    """
    return (
        not plan.workload.is_open_loop
        and plan.workload.sync is not Sync.FDATASYNC
        and plan.workload.only_operation in {Operation.READ, Operation.WRITE}
    )


def _latency_ns_sum(totals: Mapping[str, Any]) -> int:
    """The sum of what ``analysis.latency.leading`` leads with."""
    response = totals.get("response")
    return int(totals["latency_ns_sum"] if response is None else response["ns_sum"])


def _counted(plan: CellPlan) -> tuple[Operation, ...]:
    """The classes that add up to what a cell is about, as ``CellEstimate.subject`` says."""
    if plan.workload.flushes_each:
        return (Operation.COMMIT,)
    return (Operation.WRITE,) if plan.workload.only_operation is Operation.WRITE else COUNTED_IN_ALL


def _since_1970_ns(text: str) -> int | None:
    try:
        return int(datetime.fromisoformat(text).timestamp()) * SECOND_NS
    except ValueError:
        return None
