"""What each kind of frame holds, and whether a payload holds anything that this version does not know."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass

from iosonde.records import CellRecord, CellTurn, IntervalRecord, LaterPass, Session, SessionEnd, WithinRepeat
from iosonde.records.base import COMPACT, Record
from iosonde.store.frames import Kind

# What is left of a payload without these is its names and words, of which a run has few different ones.
_FIGURES: Final = b"0123456789,.-[]"


@dataclass(frozen=True, slots=True, config=COMPACT)
class IntervalFrame:
    """What the frame of an interval holds. ``host`` is the place of the host that measured it, from 0.

    ``stream`` is the name of one of several streams of the cell. Both stand before the interval, and are left out where
    they say nothing.
    """

    order: int
    interval: IntervalRecord
    stream: str = ""
    host: int = 0


class WithinFrame(Record):
    """The interval statistics of one repeat, of a stream of it, or on one host, found by its ``order``.

    It is written after its cell.
    """

    order: int
    stream: str = ""
    host: int = 0
    within: WithinRepeat


FORMS: Final[Mapping[Kind, TypeAdapter[Any]]] = {
    Kind.INTERVAL: TypeAdapter(IntervalFrame),
    Kind.CELL: TypeAdapter(CellRecord),
    Kind.PREPARATION: TypeAdapter(CellRecord),
    Kind.END: TypeAdapter(SessionEnd),
    Kind.SESSION: TypeAdapter(Session),
    Kind.LATER_PASS: TypeAdapter(LaterPass),
    Kind.TURN: TypeAdapter(CellTurn),
    Kind.WITHIN: TypeAdapter(WithinFrame),
}


class Seen:
    """Reads one payload of each form, where nobody will read them all: what a newer version has added shows there."""

    def __init__(self) -> None:
        self._shapes: set[tuple[Kind, bytes]] = set()

    def check(self, kind: Kind, payload: bytes) -> None:
        """Raises ValidationError for what no frame of this kind holds."""
        shape = (kind, payload.translate(None, _FIGURES))
        if shape not in self._shapes:
            FORMS[kind].validate_json(payload)
            self._shapes.add(shape)
