"""The parameters in which cells of a matrix can differ: a key for each, with its axis and its labels."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from iosonde.analysis.cells import CellEstimate
from iosonde.charts.quantities import direction_label
from iosonde.printing import capital
from iosonde.records import Data, Sync, Workload
from iosonde.units import exact_size, format_duration, format_rate


class Scale(StrEnum):
    """The axis of a key.

    ``log``: sizes and depths, base 2. ``linear``: shares and rates. ``ordered``: sorted values at equal distances.
    ``text``: names without an order, which a line must not connect.
    """

    LOG = "log"
    LINEAR = "linear"
    ORDERED = "ordered"
    TEXT = "text"


@dataclass(frozen=True)
class Key:
    """One parameter of a workload.

    ``of`` reads its value. ``tick`` is the text on an axis whose title has the unit, ``label`` the text elsewhere. If
    all cells have the ``usual`` value, texts omit it.
    """

    name: str
    title: str
    scale: Scale
    of: Callable[[CellEstimate], Any]
    tick: Callable[[Any], str]
    label: Callable[[Any], str]
    usual: Any = None

    @property
    def is_text(self) -> bool:
        """Whether its values have no order, so that a line must not connect them."""
        return self.scale is Scale.TEXT

    @property
    def short(self) -> str:
        """Its name within a sentence."""
        name = self.title.partition(" (")[0]
        return name if name[:2].isupper() else name[:1].lower() + name[1:]

    def values(self, cells: Iterable[CellEstimate]) -> list[Any]:
        """Its values among some cells: names in order of appearance, other values sorted."""
        found = list(dict.fromkeys(self.of(cell) for cell in cells))
        return found if self.is_text else sorted(found)

    def number(self, cell: CellEstimate) -> float:
        """The position of a cell on a continuous axis."""
        return float(self.of(cell))


def _asked(read: Callable[[Workload], Any]) -> Callable[[CellEstimate], Any]:
    return lambda cell: read(cell.workload)


def _field(name: str) -> Callable[[CellEstimate], Any]:
    return lambda cell: getattr(cell.workload, name)


def _plural(word: str) -> Callable[[int], str]:
    return lambda count: f"{count} {word}" if count == 1 else f"{count} {word}s"


_END: Final = 2**63
"""The value for the whole test region, larger than any other span."""
_NOT_PACED: Final = 0
ALL_READS: Final = 100
_SYNC: Final = {Sync.NONE: "no sync", Sync.FDATASYNC: "fdatasync", Sync.DSYNC: "O_DSYNC"}


def _span(value: int) -> str:
    return "whole region" if value == _END else exact_size(value)


def _rate(value: int) -> str:
    return "closed loop" if value == _NOT_PACED else format_rate(value)


def _mix(read_percent: int) -> str:
    """The name of a mix of reads and writes by read share: ``read``, ``70/30 mix``, ``write``."""
    named = {ALL_READS: "read", 0: "write"}
    return named.get(read_percent, f"{read_percent}/{ALL_READS - read_percent} mix")


def _rest(value: int) -> str:
    return format_duration(value) if value else "none"


KEYS: Final = (
    Key(
        "queue_depth",
        "Queue depth (operations in flight per job)",
        Scale.LOG,
        _field("queue_depth"),
        str,
        "depth {}".format,
    ),
    Key("jobs", "Number of jobs (workers)", Scale.LOG, _field("jobs"), str, _plural("job"), 1),
    Key(
        "rate",
        "Offered load (operations/s per target)",
        Scale.LINEAR,
        _asked(lambda asked: asked.rate_per_s or _NOT_PACED),
        _rate,
        lambda value: f"{_rate(value)}{'/s' if value else ''}",
        _NOT_PACED,
    ),
    Key("block_size", "Block size (1 KiB = 1024 bytes)", Scale.LOG, _field("block_size_bytes"), exact_size, exact_size),
    Key(
        "span",
        "Test region (bytes)",
        Scale.LOG,
        _asked(lambda asked: _END if asked.span_bytes is None else asked.span_bytes),
        _span,
        lambda value: f"{_span(value).removesuffix(' region')} region",
        _END,
    ),
    Key("read", "Reads (% of operations)", Scale.LINEAR, _field("read_percent"), str, _mix),
    Key("targets", "Number of targets (files or devices)", Scale.ORDERED, _field("targets"), str, _plural("target"), 1),
    Key(
        "offset",
        "Offset of the test region (bytes)",
        Scale.ORDERED,
        _field("offset_bytes"),
        exact_size,
        lambda value: f"offset {exact_size(value)}",
        0,
    ),
    Key(
        "flush_every",
        "Flush interval (writes)",
        Scale.ORDERED,
        _field("flush_every"),
        str,
        "flush every {} writes".format,
        1,
    ),
    Key(
        "burst",
        "Burst size (operations)",
        Scale.ORDERED,
        _asked(lambda asked: asked.burst_operations or 0),
        lambda value: str(value or "none"),
        lambda value: f"bursts of {value}" if value else "no bursts",
        0,
    ),
    Key(
        "think_time",
        "Think time (between bursts)",
        Scale.ORDERED,
        _asked(lambda asked: asked.think_ns or 0),
        _rest,
        lambda value: f"{_rest(value)} think time" if value else "no think time",
        0,
    ),
    Key(
        "on_time",
        "On-time (duty cycle)",
        Scale.ORDERED,
        _asked(lambda asked: asked.on_ns or 0),
        _rest,
        lambda value: f"{_rest(value)} on-time" if value else "no duty cycle",
        0,
    ),
    Key(
        "off_time",
        "Off-time (duty cycle)",
        Scale.ORDERED,
        _asked(lambda asked: asked.off_ns or 0),
        _rest,
        lambda value: f"{_rest(value)} off-time" if value else "no off-time",
        0,
    ),
    Key(
        "compressible",
        "Compressible data (%)",
        Scale.LINEAR,
        _field("compressible_percent"),
        str,
        "{} % compressible".format,
        0,
    ),
    Key(
        "duplicates",
        "Duplicate data (% of writes)",
        Scale.LINEAR,
        _field("duplicates_percent"),
        str,
        "{} % duplicates".format,
        0,
    ),
    Key("pattern", "Pattern", Scale.TEXT, _asked(lambda asked: str(asked.pattern)), str, str),
    Key(
        "sync",
        "Sync mode",
        Scale.TEXT,
        _asked(lambda asked: asked.sync),
        lambda value: _SYNC[value],
        lambda value: _SYNC[value],
        Sync.NONE,
    ),
    Key(
        "write_cache",
        "Write cache (of the drive)",
        Scale.TEXT,
        _asked(lambda asked: asked.write_cache),
        lambda value: str(value or "as it is"),
        lambda value: f"write cache {value or 'as it is'}",
    ),
    Key(
        "data",
        "Data pattern",
        Scale.TEXT,
        _asked(lambda asked: asked.data),
        str,
        lambda value: f"{value} data",
        Data.RANDOM,
    ),
    Key(
        "arrivals",
        "Arrival process",
        Scale.TEXT,
        _asked(lambda asked: "" if asked.arrivals is None else str(asked.arrivals)),
        lambda value: value or "closed loop",
        lambda value: f"{value} arrivals" if value else "closed loop",
        "",
    ),
    Key(
        "verify",
        "Verification",
        Scale.TEXT,
        _field("verify"),
        lambda value: "verified" if value else "not verified",
        lambda value: "verified" if value else "not verified",
        usual=False,
    ),
)  # fmt: skip
"""All keys, in the order of preference as the horizontal axis."""

_CELL: Final = Key("cell", "Cell", Scale.TEXT, lambda cell: cell.cell, str, str)
_OPERATIONS: Final = Key("operations", "Operations", Scale.TEXT, _asked(direction_label), str, str)
"""Replaces the read share if there are trims: one axis cannot show the shares of three classes."""

_BLOCK_SIZES: Final = Key(
    "block_size",
    "Block size (1 KiB = 1024 bytes)",
    Scale.TEXT,
    _asked(lambda asked: asked.size_text),
    str,
    str,
)
"""Replaces the block size if some cells have mixed sizes, which have no position on an axis of sizes."""


def keys_of(cells: Sequence[CellEstimate]) -> tuple[Key, ...]:
    """All keys, with the replacements that these cells need."""
    has_mixes = any(cell.workload.block_sizes is not None for cell in cells)
    keys = [_BLOCK_SIZES if has_mixes and key.name == "block_size" else key for key in KEYS]
    if any(cell.workload.trim_percent for cell in cells):
        keys = [_OPERATIONS if key.name == "read" else key for key in keys]
    # A closed loop has no position on an axis of rates, nor the whole region on an axis of spans: use ordered names.
    return tuple(
        replace(key, scale=Scale.ORDERED)
        if key.name in {"rate", "span"} and len(key.values(cells)) > 1 and key.usual in key.values(cells)
        else key
        for key in keys
    )


def varied(cells: Sequence[CellEstimate]) -> tuple[Key, ...]:
    """The keys in which cells differ. Keys that always change together are joined into one.

    If the keys do not distinguish all cells, the cell name is one more key.
    """
    found = [key for key in keys_of(cells) if len(key.values(cells)) > 1]
    groups: list[list[Key]] = []
    for key in found:
        partner = next((group for group in groups if _move_together(group[0], key, cells)), None)
        if partner is None:
            groups.append([key])
        else:
            partner.append(key)
    keys = tuple(group[0] if len(group) == 1 else joined(group) for group in groups)
    places = {tuple(key.of(cell) for key in keys) for cell in cells}
    return keys if len(places) == len(cells) else (*keys, _CELL)


def _move_together(first: Key, second: Key, cells: Sequence[CellEstimate]) -> bool:
    pairs = {(first.of(cell), second.of(cell)) for cell in cells}
    return len(pairs) == len({one for one, _ in pairs}) == len({two for _, two in pairs})


def joined(keys: Sequence[Key]) -> Key:
    """Several keys as one. Its values are the combinations, labelled with the labels of all keys."""

    def label(values: tuple[Any, ...]) -> str:
        labels = (key.label(value) for key, value in zip(keys, values, strict=True))
        return ", ".join(dict.fromkeys(labels))

    title = ", ".join(key.short for key in keys)
    return Key(
        name="+".join(key.name for key in keys),
        title=capital(title),
        scale=Scale.TEXT if any(key.is_text for key in keys) else Scale.ORDERED,
        of=lambda cell: tuple(key.of(cell) for key in keys),
        tick=label,
        label=label,
    )


_FIRST: Final = ("block_size", "pattern", "read", "operations", "queue_depth")


def in_speech(keys: Sequence[Key]) -> list[Key]:
    """Keys in the usual order of a workload's description: size, pattern, operations, depth, others."""
    return sorted(keys, key=lambda key: _FIRST.index(key.name) if key.name in _FIRST else len(_FIRST))


def common_text(cells: Sequence[CellEstimate]) -> str:
    """The parameters that all cells share, without usual values: ``4 KiB, random, read, depth 8``."""
    said = []
    for key in in_speech(keys_of(cells)):
        values = key.values(cells)
        if len(values) == 1 and values[0] != key.usual:
            said.append(direction_label(cells[0].workload) if key.name == "read" else key.label(values[0]))
    return ", ".join(said)
