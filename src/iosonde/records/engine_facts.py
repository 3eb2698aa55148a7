"""The facts of the engine that measured a cell: a union by source, so that no source fills in what it never said."""

from typing import Annotated, Literal

from pydantic import Field

from iosonde.records.base import Record
from iosonde.vocabulary import Engine, SourceKind


class _SourceFacts(Record):
    """What every source reports: the engine, and its fall-backs; None where it reports none."""

    engine: str
    fallbacks: tuple[str, ...] | None


class EngineFacts(_SourceFacts):
    """What iosonde's own engine was granted, not what it asked for.

    ``batch_max`` is the largest number of operations submitted or reaped in one call. ``kernel_workers`` is the largest
    number of io-wq workers seen at a time, ``sqpoll_threads`` the number of SQPOLL threads at the end, and
    ``sqpoll_wakeups`` how often a sleeping SQPOLL thread had to be woken, counted from the start of the warm-up. None
    where they were not counted. ``buffer_bytes`` is the total size of the I/O buffers of all workers, None where it is
    not reported.
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
    """How fio measured: its version, the way in which it reached the kernel, and what it was started with.

    ``workers`` and ``poll_mode`` are what it was asked for: it tells neither. iosonde never falls back from it.
    ``arguments`` name the targets by their paths, so that anybody can do the same again.
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
    """The tool whose result was imported, by its own name, and its version; None where the result does not say it."""

    source: Literal[SourceKind.IMPORT] = SourceKind.IMPORT
    engine: str
    version: str | None = None
    fallbacks: None = None


SourceFacts = Annotated[EngineFacts | FioFacts | ImportFacts, Field(discriminator="source")]
"""One of them, told apart by ``source``."""
