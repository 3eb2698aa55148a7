"""The facts of the engine that measured a cell: a union by source, so that no source fills in unknown values."""

from typing import Annotated, Literal

from pydantic import Field

from iosonde.records.base import Record
from iosonde.vocabulary import Engine, SourceKind


class _SourceFacts(Record):
    """The facts that every source reports: the engine, and its fallbacks (None if it reports none)."""

    engine: str
    fallbacks: tuple[str, ...] | None


class EngineFacts(_SourceFacts):
    """The settings that iosonde's own engine obtained, as opposed to those it requested.

    ``batch_max`` is the largest number of operations submitted or reaped in one call. ``kernel_workers`` is the largest
    number of io-wq workers seen at a time, ``sqpoll_threads`` the number of SQPOLL threads at the end, and
    ``sqpoll_wakeups`` how often a sleeping SQPOLL thread had to be woken, counted from the start of the warm-up. They
    are None if they were not counted. ``buffer_bytes`` is the total size of the I/O buffers of all workers, None if it
    is not reported.
    """

    source: Literal[SourceKind.IOSONDE] = SourceKind.IOSONDE
    engine: Engine
    workers: int
    ring_flags: tuple[str, ...]
    poll_mode: str
    fixed_buffers: bool
    fixed_file: bool
    batch_max: int
    clock_source: str
    kernel_workers: int | None
    sqpoll_threads: int | None = None
    sqpoll_wakeups: int | None = None
    fallbacks: tuple[str, ...]
    buffer_bytes: int | None = None


class FioFacts(_SourceFacts):
    """How fio measured: its version, its ioengine, and its arguments.

    ``workers`` and ``poll_mode`` are the requested values, because fio reports neither. iosonde never falls back from
    fio to another engine. ``arguments`` have the paths of the targets, so that the measurement can be repeated.
    """

    source: Literal[SourceKind.FIO] = SourceKind.FIO
    engine: Literal[Engine.FIO] = Engine.FIO
    version: str
    ioengine: str
    workers: int
    poll_mode: str
    fallbacks: tuple[str, ...] = ()
    arguments: tuple[str, ...]


class ImportFacts(_SourceFacts):
    """The name and version of the tool whose result was imported; None if the result has no version."""

    source: Literal[SourceKind.IMPORT] = SourceKind.IMPORT
    engine: str
    version: str | None = None
    fallbacks: None = None


SourceFacts = Annotated[EngineFacts | FioFacts | ImportFacts, Field(discriminator="source")]
"""The facts of any source. ``source`` identifies which."""
