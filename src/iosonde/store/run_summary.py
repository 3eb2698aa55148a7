"""A summary of a run for listings, without reading the journal's histograms.

It reads the headers of the frames, and the totals of the requested cells. It checks no checksums: only ``load_run``
detects flipped bits within a frame. A run of a newer version is refused.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from iosonde.analysis.means import means_over
from iosonde.analysis.states import WindowOrders, sort_repeats, sort_rounds
from iosonde.errors import RecordError
from iosonde.printing import quoted
from iosonde.records import CellPlan, CellRecord, Outcome, Plan, RunHeader, RunRecord, WithinRepeat
from iosonde.safe_files import open_regular, read_open
from iosonde.store.archive import is_archive
from iosonde.store.cell_figures import CELL_FIGURES, CELL_KEYS
from iosonde.store.files import open_files
from iosonde.store.followed_run import load_run
from iosonde.store.frame_forms import FORMS, WithinFrame
from iosonde.store.frame_stream import decode
from iosonde.store.frames import HEAD, PREFIX, Broken, Frame, Kind, Unknown, checksum_of, schema_version_of
from iosonde.store.header import load_header, reading_hint
from iosonde.store.locks import is_taken
from iosonde.store.names import JOURNAL_NAME, bytes_max_of
from iosonde.store.upgrades import Upgrader
from iosonde.store.versions import check_version, newer, unknown_in

# The journal writes a cell's fields in the order of the record. A cell in another order is parsed completely.
_TURN: Final = re.compile(rb'"order":(\d+),')
_OUTCOME: Final = re.compile(rb'"outcome":"(\w+)"')
_FINISHED: Final = Outcome.FINISHED.value.encode()
# All frames of a session are written by the same version, so it is enough to check one of each of these kinds.
_MANY: Final = frozenset({Kind.CELL, Kind.INTERVAL})
_CLOCK_END: Final = re.compile(rb'"clock_end":\{"engine_ns":(\d+),"wall_ns":(\d+),')


@dataclass(frozen=True)
class CellGlance:
    """A cell in a listing: the means of its subject (commits, reads, writes, or all operations)."""

    cell: str
    iops: float
    latency_ns_mean: float
    repeats: int
    upgrader: Upgrader = field(repr=False, compare=False)
    written: tuple[bytes, ...] = field(repr=False)
    """Its measurements in the form in which they were written."""

    @property
    def records(self) -> tuple[bytes, ...]:
        """Its measurements in the form of this version."""
        return tuple(self.upgrader.payload(Kind.CELL, each) for each in self.written)


@dataclass(frozen=True)
class Glance:
    """The summary of a run.

    ``measured`` of ``planned`` trials have results; before the end of a run whose number of trials is not fixed,
    ``planned`` are the least that there will be. ``running`` says that a process is writing it now.
    ``damage`` describes unreadable parts, but not an incomplete last frame. ``duration_ns`` is the time from the start
    to the end of the last cell, without the pauses before resumptions; None if no cell has ended. For a simulated drive
    it is virtual time.
    """

    header: RunHeader
    finished: bool
    running: bool
    damage: str | None
    measured: int
    planned: int
    duration_ns: int | None
    cells: tuple[CellGlance, ...]


def summarise_run(path: Path, wanted: Callable[[Plan], Collection[CellPlan]]) -> Glance:
    """Reads the summary of a run. ``wanted`` selects the cells whose results are read. Raises RecordError."""
    header = load_header(path)
    cells = {plan.cell: plan for plan in wanted(header.plan)}
    journal = path / JOURNAL_NAME
    try:
        with _opened(path) as (data, is_held):
            version = schema_version_of(data[: PREFIX.size])
            if version is None:
                raise RecordError(f"{journal} is not a journal", "use an intact copy of the run directory")
            looking = _Looking(path, header, cells, Upgrader(check_version(path, version)))
            for frame in _frames(path, data, looking.damage):
                looking.take(frame)
            if header.plan.procedures:
                looking.keep_reported(load_run(path, intervals=False))
            return looking.result(running=not looking.finished and is_held())
    except FileNotFoundError as error:
        raise RecordError(
            f"{path} has no journal: the run directory is incomplete", "use a complete copy of the run directory"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        # A frame with flipped bits is not a valid record. load_run reports which one it is.
        raise RecordError(f"{journal} is damaged", f"`iosonde show {quoted(path)}` shows the intact data") from error
    except OSError as error:
        raise RecordError(f"the journal of {path} cannot be read: {error.strerror}", reading_hint(error)) from error


@contextmanager
def _opened(path: Path) -> Iterator[tuple[bytes, Callable[[], bool]]]:
    """The journal, and a function that returns whether it is being written (never for an archive)."""
    if is_archive(path):
        with open_files(path) as files:
            yield files.read(JOURNAL_NAME), lambda: False
        return
    # Not memory-mapped: truncating the journal during the listing would end the listing with SIGBUS.
    with open_regular(path / JOURNAL_NAME) as file:
        yield read_open(file, bytes_max_of(JOURNAL_NAME)), lambda: is_taken(file.fileno())


@dataclass(frozen=True)
class _Payload:
    """A frame's payload, as a part of the journal: most of it is never read."""

    kind: Kind
    data: bytes
    start: int
    end: int

    @property
    def whole(self) -> bytes:
        return self.data[self.start : self.end]

    @property
    def is_sound(self) -> bool:
        """Whether its checksum matches. A payload without a frame was checked before."""
        alone = not self.start
        return alone or HEAD.unpack_from(self.data, self.start - HEAD.size)[1] == checksum_of(self.kind, self.whole)


def _frames(path: Path, data: bytes, damage: list[str]) -> Iterator[_Payload]:
    """All frames, but only the first interval of each cell: nine of ten frames are intervals."""
    places = _places(data)
    if places is not None:
        for kind, start, end in places:
            yield _Payload(Kind(kind), data, start, end)
        return
    # A frame is not whole. Read everything, to distinguish an incomplete end from a damaged stretch.
    for found in decode(data):
        if isinstance(found, Unknown):
            raise newer(path, f"a frame of kind {found.kind}")
        if isinstance(found, Frame):
            yield _Payload(found.kind, found.payload, 0, len(found.payload))
        elif found.end_bytes < len(data):
            damage.append(_damage_text(found))


def _places(data: bytes) -> list[tuple[int, int, int]] | None:
    """Kind, start and end of each payload, from the frame headers; None if these do not reach the journal's end.

    A journal has thousands of frames, and a listing spends most of its time in this loop.
    """
    head_bytes, unpack, interval, kinds = HEAD.size, HEAD.unpack_from, int(Kind.INTERVAL), {int(kind) for kind in Kind}
    at, size, places, is_first = PREFIX.size, len(data), [], True
    while at + head_bytes <= size:
        length, _, kind = unpack(data, at)
        start = at + head_bytes
        at = start + length
        if is_first or kind != interval:
            if kind not in kinds:
                return None
            places.append((kind, start, at))
            is_first = kind != interval
    return places if at == size else None


def _damage_text(found: Broken) -> str:
    return f"{found.reason}, at byte {found.offset_bytes}"


@dataclass
class _Looking:
    """Builds the summary from the frames."""

    path: Path
    header: RunHeader
    wanted: Mapping[str, CellPlan]
    upgrader: Upgrader
    damage: list[str] = field(default_factory=list)
    finished: bool = False

    def __post_init__(self) -> None:
        self._cells = {turn.order: turn.cell for turn in self.header.plan.turns}
        # Of each trial that finished, or in which nothing completed, the cell by its order.
        self._trials_finished: dict[int, str] = {}
        self._trials_silent: dict[int, str] = {}
        # By trial: a repeated measurement replaces the one before.
        self._records: dict[int, CellRecord] = {}
        self._within: dict[int, WithinRepeat] = {}
        self._payloads: dict[int, tuple[str, bytes]] = {}
        self._last_cell: _Payload | None = None
        self._windows: WindowOrders | None = None
        self._checked: set[Kind] = set()
        self._duration_ns = 0

    def take(self, frame: _Payload) -> None:
        """Adds one frame. Reads the first cell and interval of a session, and the last cell."""
        if frame.kind not in self._checked:
            self._check_known(frame)
            self._checked |= {frame.kind} & _MANY
        if frame.kind is Kind.CELL:
            self._cell(frame)
        elif frame.kind is Kind.END:
            self.finished = json.loads(self.upgraded(frame))["finished"]
        elif frame.kind is Kind.TURN:
            turn = json.loads(self.upgraded(frame))
            self._cells[turn["order"]] = turn["cell"]
        elif frame.kind is Kind.WITHIN:
            within = WithinFrame.model_validate_json(self.upgraded(frame))
            self._within[within.order] = within.within
        elif frame.kind is Kind.SESSION:
            self.finished = False
            self._checked.clear()
            self._end_session()
        if frame.kind in {Kind.CELL, Kind.PREPARATION}:
            self._last_cell = frame

    def upgraded(self, frame: _Payload) -> bytes:
        """A payload in the form of this version."""
        return self.upgrader.payload(frame.kind, frame.whole)

    def keep_reported(self, run: RunRecord) -> None:
        """Keeps what a report of procedures has: figures of the reported rounds, and trials of the last attempts."""
        # Imported here: few runs have procedures, and it imports NumPy.
        from iosonde.analysis.procedures.from_run import last_attempts, window_orders

        last, self._windows = last_attempts(run), window_orders(run)
        reported = self._windows.last
        self._cells = {order: cell for order, cell in self._cells.items() if order in last}
        self._records = {order: each for order, each in self._records.items() if order in reported}
        self._payloads = {order: each for order, each in self._payloads.items() if order in reported}

    def result(self, *, running: bool) -> Glance:
        """The summary of the frames so far."""
        self._end_session()
        plan = self.header.plan
        return Glance(
            header=self.header,
            finished=self.finished,
            running=running,
            damage="; ".join(self.damage) or None,
            measured=len(self._measured),
            planned=len(self._cells) if self.finished and self._cells else plan.trials_least,
            duration_ns=self._duration_ns or None,
            cells=tuple(self._glances()),
        )

    @property
    def _measured(self) -> set[int]:
        """The trials with results. A trial in which nothing completed is a throughput of 0 if others finished."""
        answering = set(self._trials_finished.values())
        silent = (order for order, cell in self._trials_silent.items() if cell in answering)
        found = {*self._trials_finished, *silent}
        # Of procedures, only the trials of the last attempts count.
        return found & set(self._cells) if self.header.plan.procedures else found

    def _check_known(self, frame: _Payload) -> None:
        """Raises NewerError for content of a newer version. Damage is detected elsewhere."""
        try:
            FORMS[frame.kind].validate_json(self.upgraded(frame))
        except ValueError as error:
            unknown = unknown_in(error)
            if unknown is not None and frame.is_sound:
                raise newer(self.path, unknown) from error

    def _end_session(self) -> None:
        if self._last_cell is not None:
            self._check_known(self._last_cell)
        payload = b"" if self._last_cell is None else self.upgraded(self._last_cell)
        ended = _CLOCK_END.search(payload, max(payload.rfind(b'"clock_end":'), 0))
        if ended and self.header.is_simulated:
            # Virtual time begins at 0, stops between sessions, and continues where it stopped.
            self._duration_ns = int(ended[2])
        elif ended:
            # The engine's clock begins with the session, and is never set.
            self._duration_ns += int(ended[1])
        self._last_cell = None

    def _cell(self, frame: _Payload) -> None:
        turn = _TURN.search(frame.data, frame.start, frame.end)
        outcome = _OUTCOME.search(frame.data, turn.end(), frame.end) if turn else None
        name = self._cells.get(int(turn[1])) if turn else None
        changes = self.upgrader.changes(frame.kind, CELL_KEYS)
        has_finished = outcome is not None and outcome[1] == _FINISHED
        if changes or turn is None or name is None or name in self.wanted or not has_finished:
            self._figures(self.upgraded(frame) if changes else frame.whole)
        else:
            self._trials_finished[int(turn[1])] = name

    def _figures(self, payload: bytes) -> None:
        found = CELL_FIGURES.validate_json(payload)
        if found.outcome is Outcome.FINISHED:
            self._trials_finished[found.order] = found.cell
        elif found.is_silent:
            self._trials_silent[found.order] = found.cell
        plan = self.wanted.get(found.cell)
        if plan is not None:
            self._records[found.order] = found.record(plan)
            self._payloads[found.order] = (found.cell, payload)

    def _glances(self) -> Iterator[CellGlance]:
        by_cell: dict[str, list[CellRecord]] = {}
        for order, record in self._records.items():
            within = self._within.get(order, record.within)
            by_cell.setdefault(record.cell, []).append(record.model_copy(update={"within": within}))
        for name, records in by_cell.items():
            repeats = sort_repeats(records) if self._windows is None else sort_rounds(records, self._windows)
            means = means_over(self.wanted[name].workload, repeats.used)
            if means is not None:
                payloads = tuple(payload for cell, payload in self._payloads.values() if cell == name)
                yield CellGlance(name, means.iops, means.latency_ns_mean, means.repeats, self.upgrader, payloads)
