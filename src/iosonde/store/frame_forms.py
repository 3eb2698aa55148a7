"""The schema of each kind of frame, and whether a payload has fields that this version does not know."""

from collections.abc import Mapping
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass

from iosonde.records import (
    CellRecord,
    CellTurn,
    IntervalRecord,
    LaterPass,
    ProcedureStart,
    Session,
    SessionEnd,
    WithinRepeat,
)
from iosonde.records.base import COMPACT, Record
from iosonde.store.frames import Kind

# A payload without these characters has only its keys and texts. A run has few different payloads of this form.
_FIGURES: Final = b"0123456789,.-[]"


@dataclass(frozen=True, slots=True, config=COMPACT)
class IntervalFrame:
    """The payload of an interval's frame. ``host`` is the number of the host that measured it, from 0.

    ``stream`` is the name of one of several streams of the cell. Both precede the interval. They are omitted if they
    have their default values.
    """

    order: int
    interval: IntervalRecord
    stream: str = ""
    host: int = 0


class WithinFrame(Record):
    """The interval statistics of the trial ``order``, of one of its streams, or on one host.

    The frame is written after that of its cell.
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
    Kind.PROCEDURE_START: TypeAdapter(ProcedureStart),
}


class CheckedShapes:
    """Detects additions of a newer version. Validates only one of all payloads that differ in nothing but numbers."""

    def __init__(self) -> None:
        self._shapes: set[tuple[Kind, bytes]] = set()

    def check(self, kind: Kind, payload: bytes) -> None:
        """Raises ValidationError for a payload that is not valid for this kind of frame."""
        shape = (kind, payload.translate(None, _FIGURES))
        if shape not in self._shapes:
            FORMS[kind].validate_json(payload)
            self._shapes.add(shape)
