"""Measures cells with fio, on targets that iosonde's own engine opens, locks, preconditions and keeps open."""

import contextlib
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from iosonde.errors import EngineError
from iosonde.records import (
    CellPlan,
    CellRecord,
    CellTurn,
    ClockPair,
    Drive,
    Engine,
    EngineHello,
    Failure,
    FioFacts,
    IntervalRecord,
    RunLimits,
    Verification,
)
from iosonde.sources.engine import EngineSource
from iosonde.sources.engine.locate import find_engine
from iosonde.sources.fio.assemble import Measured
from iosonde.sources.fio.collecting import Collecting
from iosonde.sources.fio.job import Setup, arguments_of
from iosonde.sources.fio.process import FioProcess
from iosonde.sources.fio.program import find_fio, ioengine_for
from iosonde.sources.fio.target_changes import change_of, numbers
from iosonde.sources.source import Interrupted, IoPath, MadeTarget, OpenRequest, OpenTarget
from iosonde.sources.targets import BlockDevice, StoredTarget
from iosonde.vocabulary import FailureKind, Poll


class FioSource:
    """fio, and a running engine that has the targets open. The engine does all I/O that fio does not measure.

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
        """The engine's hello, with the version of fio."""
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
        """The engine's own cost in ns per operation. That of fio is unknown."""
        return self._engine.calibrate()

    def open(self, request: OpenRequest, on_made: Callable[[MadeTarget], None] = lambda _: None) -> OpenTarget:
        """Opens a target with the engine, which locks it. Raises TargetError with a hint."""
        opened = self._engine.open(request, on_made)
        if isinstance(request.target, StoredTarget):
            self._opened.append((request.target, opened))
        return opened

    def health(self, path: Path) -> tuple[Drive, ...]:
        """The health of the drives below a path, from the engine. Raises TargetError."""
        return self._engine.health(path)

    def limit(self, limits: RunLimits) -> None:
        """Limits what the engine does. Runs with fio and limits are refused before they start."""
        self._engine.limit(limits)

    def hold_cstates(self) -> None:
        """Keeps the CPUs of the host out of C-states until the source ends."""
        self._engine.hold_cstates()

    def sync(self) -> None:
        """Makes all that was written durable, on every target."""
        self._engine.sync()

    def wait(self, duration_ns: int) -> None:
        """Leaves the targets alone for a time."""
        self._engine.wait(duration_ns)

    def purge_simulated(self) -> bool:
        """False: fio measures no simulated drives."""
        return self._engine.purge_simulated()

    def verify(self, on_progress: Callable[[int, int], None]) -> tuple[Verification, ...]:
        """Returns nothing: fio's data carries no seals, and plans that verify are refused before the run."""
        return self._engine.verify(on_progress)

    def close(self) -> None:
        """Closes all targets. Does nothing if a target has stopped responding."""
        self._opened.clear()
        if not self.is_lost:
            self._engine.close()

    def measure(  # noqa: PLR0913, PLR0917 - a measurement needs all of them
        self,
        cell: CellPlan,
        turn: CellTurn,
        way: IoPath,
        span_bytes: int,
        on_interval: Callable[[IntervalRecord], None],
        is_enough: Callable[[], bool] | None = None,
    ) -> CellRecord:
        """Measures one cell. Each interval is passed to the callback when the next one has begun.

        fio decides nothing within a trial; plans that ask for it are refused before the run.

        A KeyboardInterrupt stops fio and becomes the cause of an Interrupted, which carries the results so far.
        """
        if way.engine is not Engine.FIO:
            return self._engine.measure(cell, turn, way, span_bytes, on_interval, is_enough)
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
        """Kills both."""
        self._end_fio()
        self._engine.kill()

    def _check_permits(self) -> None:
        """Raises UnpermittedWriteError for a device without a permit: fio opens the targets again, also for writing."""
        for target, _ in self._opened:
            if isinstance(target, BlockDevice):
                target.check_permit()

    def _end_fio(self) -> None:
        if self._running is not None:
            self._running.kill()

    def _setup(self, cell: CellPlan, way: IoPath, span_bytes: int) -> Setup:
        """A job on the engine's own file descriptors, so that no other file can take a target's place."""
        handles = self._engine.handles()
        files = []
        for target, opened in self._opened:
            handle = None if opened.identity is None else handles.get(numbers(opened.identity))
            if handle is None:
                raise EngineError(
                    f"fio needs the engine's file descriptor for {target.path}, which is not visible in /proc",
                    "mount /proc, or omit --engine fio",
                )
            files.append(str(handle))
        direct = all(opened.direct for _, opened in self._opened)
        ioengine = ioengine_for(cell.workload, self._program, self._engine.hello.engines, direct=direct)
        poll = way.poll if ioengine == "io_uring" else Poll.INTERRUPT
        return Setup(files, ioengine, direct, poll, span_bytes, way.on_error)

    def _facts(self, cell: CellPlan, turn: CellTurn, setup: Setup) -> FioFacts:
        named = replace(setup, files=[str(target.path.resolve()) for target, _ in self._opened])
        return FioFacts(
            version=self._program.version,
            ioengine=setup.ioengine,
            workers=cell.workload.jobs * cell.workload.targets,
            poll_mode=setup.poll.value,
            arguments=tuple(arguments_of(cell, turn, named)),
        )

    def _changed(self) -> Failure | None:
        """How a target has changed during the measurement; None if none has."""
        return change_of((target.path, opened.identity) for target, opened in self._opened if opened.identity)

    def _now_ns(self) -> int:
        return time.monotonic_ns() - self._origin_ns

    def _clock(self) -> ClockPair:
        return ClockPair(
            engine_ns=self._now_ns(), wall_ns=time.time_ns(), raw_ns=time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        )
