"""Cells measured by fio, on targets that our own engine opens, locks, fills and keeps open meanwhile."""

import contextlib
import os
import stat
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from iosonde.errors import EngineError
from iosonde.records import (
    CellPlan,
    CellRecord,
    CellTurn,
    ClockPair,
    Engine,
    EngineHello,
    FioFacts,
    Identity,
    IntervalRecord,
    Verification,
)
from iosonde.sources.engine import EngineSource
from iosonde.sources.engine.locate import find_engine
from iosonde.sources.fio.assemble import Measured
from iosonde.sources.fio.collecting import Collecting
from iosonde.sources.fio.job import Setup, arguments_of
from iosonde.sources.fio.process import FioProcess
from iosonde.sources.fio.program import find_fio, ioengine_for
from iosonde.sources.source import Interrupted, MadeTarget, OpenRequest, OpenTarget, Way
from iosonde.sources.targets import BlockDevice, StoredTarget
from iosonde.vocabulary import FailureKind, Poll


class FioSource:
    """fio beside a running engine, which has the targets open; what is not to be measured by fio, the engine does.

    Both are started with ``prefix`` before their commands.
    """

    def __init__(self, prefix: Sequence[str] = ()) -> None:
        self._program = find_fio()
        self._prefix = tuple(prefix)
        self._engine = EngineSource([*prefix, find_engine()])
        self._opened: list[tuple[StoredTarget, OpenTarget]] = []
        self._running: FioProcess | None = None
        self._is_stuck = False
        self._origin_ns = time.monotonic_ns()

    @property
    def hello(self) -> EngineHello:
        """What the engine said of itself, and the version of fio."""
        hello = self._engine.hello
        return hello.model_copy(update={"engines": (*hello.engines, Engine.FIO), "fio": self._program.version})

    @property
    def pid(self) -> int:
        """The process number of the engine, which holds the locks."""
        return self._engine.pid

    @property
    def is_lost(self) -> bool:
        """Whether a target has not answered fio or the engine in time."""
        return self._is_stuck or self._engine.is_lost

    def calibrate(self) -> int:
        """The engine's own cost in ns an operation; nobody knows fio's."""
        return self._engine.calibrate()

    def open(self, request: OpenRequest, on_made: Callable[[MadeTarget], None] = lambda _: None) -> OpenTarget:
        """Opens a target by the engine, which guards it. Raises TargetError with the way out."""
        opened = self._engine.open(request, on_made)
        if isinstance(request.target, StoredTarget):
            self._opened.append((request.target, opened))
        return opened

    def sync(self) -> None:
        """Makes all that was written durable, on every target."""
        self._engine.sync()

    def wait(self, duration_ns: int) -> None:
        """Leaves the targets alone for a time."""
        self._engine.wait(duration_ns)

    def verify(self, on_progress: Callable[[int, int], None]) -> tuple[Verification, ...]:
        """Nothing that fio has written says what it is: plans that verify are refused beforehand."""
        return self._engine.verify(on_progress)

    def close(self) -> None:
        """Gives all targets up; once a target does not answer, nothing."""
        self._opened.clear()
        if not self.is_lost:
            self._engine.close()

    def measure(
        self,
        cell: CellPlan,
        turn: CellTurn,
        way: Way,
        span_bytes: int,
        on_interval: Callable[[IntervalRecord], None],
    ) -> CellRecord:
        """Measures one cell. Each interval is passed on when the next has begun.

        A KeyboardInterrupt stops fio and goes on as the cause of an Interrupted, which carries what was measured.
        """
        if way.engine is not Engine.FIO:
            return self._engine.measure(cell, turn, way, span_bytes, on_interval)
        if cell.workload.changes:
            self._check_permits()
        setup = self._setup(cell, way, span_bytes)
        measured = Measured(cell, turn, self._facts(cell, turn, setup), self._clock())
        self._running = process = FioProcess([*self._prefix, str(self._program.path), *arguments_of(cell, turn, setup)])
        collecting = Collecting(process, measured, on_interval, self._changed, self._now_ns)
        try:
            collecting.run()
        except KeyboardInterrupt as interruption:
            with contextlib.suppress(EngineError):
                collecting.stop()
            raise Interrupted(measured.record(self._clock()), interruption) from interruption
        finally:
            process.end()
            self._running = None
            broken = measured.broken
            self._is_stuck = not process.has_ended or (broken is not None and broken.kind is FailureKind.STUCK)
        return measured.record(self._clock())

    def end(self) -> None:
        """Ends the engine, and fio if it runs."""
        self._end_fio()
        if self._is_stuck:
            self._engine.kill()
        self._engine.end()

    def kill(self) -> None:
        """Ends both at once, whatever they do."""
        self._end_fio()
        self._engine.kill()

    def _check_permits(self) -> None:
        """Fio opens what the engine has open once more, for itself, and not only for reading."""
        for target, _ in self._opened:
            if isinstance(target, BlockDevice):
                target.check_permit()

    def _end_fio(self) -> None:
        if self._running is not None:
            self._running.kill()

    def _setup(self, cell: CellPlan, way: Way, span_bytes: int) -> Setup:
        """A job on what the engine has open, by the engine's own handles: no other file can come in between."""
        handles = self._engine.handles()
        files = []
        for target, opened in self._opened:
            handle = None if opened.identity is None else handles.get(_numbers(opened.identity))
            if handle is None:
                raise EngineError(
                    f"the engine's handle of {target.path} is not visible in /proc, and fio needs it",
                    "mount /proc, or omit --engine fio",
                )
            files.append(str(handle))
        direct = all(opened.direct for _, opened in self._opened)
        ioengine = ioengine_for(cell.workload, self._program, self._engine.hello.engines, direct=direct)
        poll = way.poll if ioengine == "io_uring" else Poll.INTERRUPT
        return Setup(files, ioengine, direct, poll, span_bytes)

    def _facts(self, cell: CellPlan, turn: CellTurn, setup: Setup) -> FioFacts:
        named = replace(setup, files=[str(target.path.resolve()) for target, _ in self._opened])
        return FioFacts(
            version=self._program.version,
            ioengine=setup.ioengine,
            workers=cell.workload.jobs * cell.workload.targets,
            poll_mode=setup.poll.value,
            arguments=tuple(arguments_of(cell, turn, named)),
        )

    def _changed(self) -> str | None:
        """What has become of a target meanwhile; None where all are what they were."""
        for target, opened in self._opened:
            path = target.path
            if opened.identity is None:
                continue
            try:
                found = path.stat()
            except OSError as error:
                return f"{path} can no longer be found: {error.strerror}"
            if stat.S_ISBLK(found.st_mode):
                # Its size is not told by its node; where it shrinks, reads behind its end fail.
                if (found.st_rdev, 0) != _numbers(opened.identity):
                    return f"{path} is now another device"
                continue
            if (found.st_dev, found.st_ino) != _numbers(opened.identity):
                return f"{path} is now another file"
            if found.st_size != opened.identity.size_bytes:
                return f"{path} had {opened.identity.size_bytes} bytes and has {found.st_size}"
        return None

    def _now_ns(self) -> int:
        return time.monotonic_ns() - self._origin_ns

    def _clock(self) -> ClockPair:
        return ClockPair(
            engine_ns=self._now_ns(), wall_ns=time.time_ns(), raw_ns=time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        )


def _numbers(identity: Identity) -> tuple[int, int]:
    """Device and inode, as stat gives them; of a block device its own number and 0."""
    return os.makedev(identity.device_major, identity.device_minor), identity.inode
