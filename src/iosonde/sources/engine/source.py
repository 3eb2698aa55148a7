"""Measures cells with iosonde's own engine."""

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from iosonde.analysis.interval_series import IntervalSeries
from iosonde.children import Deadline
from iosonde.errors import HINT_ONE_BUILD, EngineError, TargetError
from iosonde.records import (
    INTERVAL_FORM,
    CellPlan,
    CellRecord,
    CellTurn,
    DeviceInspection,
    Drive,
    Engine,
    EngineHello,
    IntervalRecord,
    Outcome,
    RunLimits,
    Verification,
)
from iosonde.records.base import first_error
from iosonde.sources.engine.assemble import assemble_cell
from iosonde.sources.engine.decision import Decision
from iosonde.sources.engine.event_schemas import (
    Calibrated,
    Event,
    Greeting,
    HealthRead,
    Inspected,
    SimulatedPurged,
    Verified,
    Verifying,
    check_interval,
    checked,
    checked_result,
    protocol_error,
)
from iosonde.sources.engine.job import job_of
from iosonde.sources.engine.locate import find_engine
from iosonde.sources.engine.process import EngineProcess, SilenceError
from iosonde.sources.engine.refusals import refusal
from iosonde.sources.source import (
    Interrupted,
    IoPath,
    KeptLedger,
    LeftLedger,
    MadeTarget,
    OpenRequest,
    OpenTarget,
)
from iosonde.sources.targets import BlockDevice, ExistingFile, NewFile, NullTarget, SimulatedDrive
from iosonde.units import SECOND_NS
from iosonde.vocabulary import FailureKind

PROTOCOL: Final = 2
HELLO_S_MAX: Final = 10.0
# The engine has a time limit for each call that may wait for a target, and reports which call exceeded it. This is
# added to those limits, in case the engine reports nothing.
BEYOND_S: Final = 20.0
# Open, sync and close: the engine's time limit for a call that makes progress.
COMMAND_S_MAX: Final = 1800.0 + BEYOND_S
# Added to the duration of a job: the engine's time limits for its setup and teardown, for I/O in flight at its end, and
# for a final check of the targets.
JOB_SLACK_S: Final = 300.0 + 305.0 + 5.0 + BEYOND_S
# After an interruption, a job must end within a second.
STOP_S_MAX: Final = 0.5
# A job with an amount of data has no fixed duration. It reports each interval, and fails 95 s after the last one.
SILENCE_S_MAX: Final = 95.0


class EngineSource:
    """A running engine and its open targets."""

    def __init__(self, command: Sequence[str | Path] | None = None) -> None:
        self._process = EngineProcess(command or [find_engine()])
        self._commands = 0
        self._is_lost = False
        try:
            self.hello = self._greet()
        except BaseException:
            self._process.end()
            raise

    @property
    def pid(self) -> int:
        """The engine's process number."""
        return self._process.pid

    @property
    def is_lost(self) -> bool:
        """Whether a target did not respond in time. The engine, or this process, may hang on it for ever."""
        return self._is_lost

    def calibrate(self) -> int:
        """The engine's own cost in ns per operation, measured with a ring that does no I/O; kept in the hello."""
        answer = self._ask(JOB_SLACK_S, command="calibrate")
        found = checked(Calibrated, _expected("calibrated", answer))
        self.hello = self.hello.model_copy(update=found.model_dump())
        return found.overhead_ns_per_io

    def open(self, request: OpenRequest, on_made: Callable[[MadeTarget], None] = lambda _: None) -> OpenTarget:
        """Opens a target, in addition to those that are open. Raises TargetError with a hint."""
        number = self._send(command="open", **_target_fields(request))
        try:
            answer = self._answer(number, COMMAND_S_MAX)
            while answer["type"] == "made":
                on_made(checked(MadeTarget, answer))
                answer = self._answer(number, COMMAND_S_MAX)
        except KeyboardInterrupt:
            # The engine may have reported it in an event that was not read yet.
            for event in self._process.waiting():
                if event.get("type") == "made":
                    on_made(checked(MadeTarget, event))
            raise
        return checked(OpenTarget, _expected("opened", answer))

    def inspect(self, path: Path) -> DeviceInspection:
        """The identity of a block device, and what speaks against writing to it. Raises TargetError."""
        answer = self._ask(COMMAND_S_MAX, command="inspect", path=str(path))
        return checked(Inspected, _expected("inspected", answer)).inspection

    def health(self, path: Path) -> tuple[Drive, ...]:
        """The health of the drives below a file, a directory or a device. Raises TargetError."""
        answer = self._ask(COMMAND_S_MAX, command="health", path=str(path))
        return checked(HealthRead, _expected("health", answer)).drives

    def limit(self, limits: RunLimits) -> None:
        """Limits what all measurements that follow may do to the drives. Limits only become stricter."""
        asked = {name: value for name, value in limits if value is not None}
        _expected("limited", self._ask(COMMAND_S_MAX, command="limit", **asked))

    def hold_cstates(self) -> None:
        """Keeps the CPUs of the host out of C-states until the engine ends. Raises TargetError or EngineError."""
        try:
            _expected("cstates_held", self._ask(COMMAND_S_MAX, command="hold_cstates"))
        except TargetError as error:
            raise TargetError(error.message, "run as root, or omit --hold-cstates") from error
        except EngineError as error:
            raise EngineError(error.message, "omit --hold-cstates: this host has no C-states to hold off") from error

    def sync(self) -> None:
        """Makes all that was written durable, on every target."""
        self._ask(COMMAND_S_MAX, command="sync")

    def wait(self, duration_ns: int) -> None:
        """Keeps the targets idle for ``duration_ns``: for simulated drives in virtual time, without a real wait."""
        self._ask(duration_ns / SECOND_NS + BEYOND_S, command="wait", duration_ns=duration_ns)

    def purge_simulated(self) -> bool:
        """Puts all simulated drives back to their fresh-out-of-box state, in no time; their counters carry on.

        False if there is none, or one that has no such state (a disk, a volume, a queue), which is left as it is.
        """
        answer = self._ask(COMMAND_S_MAX, command="purge_simulated")
        purged = checked(SimulatedPurged, _expected("simulated_purged", answer)).purged
        return bool(purged) and all(purged)

    def verify(self, on_progress: Callable[[int, int], None]) -> tuple[Verification, ...]:
        """Reads back every target that was opened with a ledger, and returns the result for each.

        ``on_progress`` is called with the number of the target, from 0, and the bytes read of it.
        """
        number = self._send(command="verify")
        while True:
            event = self._answer(number, COMMAND_S_MAX)
            if event["type"] == "verified":
                return checked(Verified, event).targets
            read = checked(Verifying, _expected("verifying", event))
            on_progress(read.target, read.read_bytes)

    def ask(self, answer: str, wait_s: float = COMMAND_S_MAX, **command: Any) -> Event:
        """The answer of type ``answer`` to a command, for which it waits at most that long."""
        return _expected(answer, self._ask(wait_s, **command))

    def ask_long(
        self,
        kind: str,
        on_progress: Callable[[Event], None],
        *,
        on_interrupt: Callable[[], None] | None = None,
        **command: Any,
    ) -> Event:
        """The answer of type ``kind`` to a command, with the events of type ``purging`` before it.

        With ``on_interrupt``, a KeyboardInterrupt calls that and sends a stop, and the answer to it is awaited.
        """
        number = self._send(**command)
        while True:
            try:
                event = self._answer(number, COMMAND_S_MAX)
                if event["type"] != "purging":
                    return _expected(kind, event)
                on_progress(event)
            except KeyboardInterrupt:
                if on_interrupt is None:
                    raise
                on_interrupt()
                self._process.send({"id": number, "command": "stop"})

    def close(self) -> None:
        """Closes all targets. Does nothing if the engine is lost."""
        if not self._is_lost:
            self._ask(COMMAND_S_MAX, command="close")

    def measure(  # noqa: PLR0913, PLR0917 - a measurement needs all of them
        self,
        cell: CellPlan,
        turn: CellTurn,
        way: IoPath,
        span_bytes: int,
        on_interval: Callable[[IntervalRecord], None],
        is_enough: Callable[[], bool] | None = None,
    ) -> CellRecord:
        """Measures one cell. Each interval is passed to the callback when it arrives.

        At the times of decision of its timing, the cell ends if ``is_enough`` returns True. It has then finished with
        what was measured. The record of a long trial has merged intervals, see ``IntervalSeries``.

        A KeyboardInterrupt stops the cell and becomes the cause of an Interrupted, which carries the results so far.
        If a stuck target prevents the engine from stopping, the KeyboardInterrupt itself propagates.
        """
        number = self._send(command="run", job=job_of(cell, turn, way, span_bytes))
        intervals = IntervalSeries()
        decision = Decision(is_enough)
        timed = cell.timing.amount_bytes is None
        time_s = cell.timing.lasts_ns / SECOND_NS if timed else SILENCE_S_MAX
        # A second of virtual time may take longer than a second.
        ends = timed and way.engine is not Engine.SIMULATION
        try:
            result = self._collect(number, time_s + JOB_SLACK_S, intervals, on_interval, decision, ends=ends)
        except KeyboardInterrupt as interruption:
            self._process.send({"id": number, "command": "stop"})
            try:
                result = self._collect(number, STOP_S_MAX, intervals, on_interval, Decision(None))
            except EngineError:
                raise interruption from None
            # The signal may have cost an interval that was being read, so a cell that has just ended may be incomplete.
            if result["outcome"] == Outcome.FINISHED:
                result = result | {"outcome": Outcome.CUT.value}
            raise Interrupted(assemble_cell(cell, turn, intervals.intervals, result), interruption) from interruption
        if decision.is_ended and result["outcome"] == Outcome.CUT:
            result = result | {"outcome": Outcome.FINISHED.value}
        stuck = (result["failure"] or {}).get("kind") == FailureKind.STUCK
        self._is_lost = stuck and way.engine is not Engine.SIMULATION
        return assemble_cell(cell, turn, intervals.intervals, result)

    def end(self) -> None:
        """Ends the engine."""
        if self._is_lost:
            self._process.kill()
        self._process.end()

    def kill(self) -> None:
        """Kills the engine."""
        self._process.kill()

    def handles(self) -> dict[tuple[int, int], Path]:
        """The files that the engine has open: device and inode, and the path in /proc that opens the same file."""
        return self._process.handles()

    def _collect(  # noqa: PLR0913 - as above
        self,
        number: int,
        silence_s_max: float,
        intervals: IntervalSeries,
        on_interval: Callable[[IntervalRecord], None],
        decision: Decision,
        *,
        ends: bool = False,
    ) -> Event:
        """Collects the events of a job and returns its result.

        ``silence_s_max`` limits the time between two events; with ``ends``, the time from start to end of the job.
        """
        end: Deadline | None = None
        while True:
            try:
                event = self._answer(number, silence_s_max if end is None else end.left_s)
            except SilenceError as error:
                if end is None:
                    raise
                raise self._process.silence(f"the workload did not end within {silence_s_max:.0f} s") from error
            if event["type"] == "started" and ends:
                end = Deadline(silence_s_max)
            if event["type"] == "finished":
                return checked_result(event)
            if event["type"] == "deciding" and not decision.is_ended:
                self._process.send({"id": number, "command": decision.answer()})
            if event["type"] == "interval":
                try:
                    interval = INTERVAL_FORM.validate_python(event.get("interval"))
                except ValidationError as error:
                    raise protocol_error(first_error(error)) from error
                check_interval(interval.start_ns, interval.end_ns)
                intervals.append(interval)
                on_interval(interval)

    def _greet(self) -> EngineHello:
        event = self._process.receive(HELLO_S_MAX)
        if event.get("type") != "hello" or event.get("protocol") != PROTOCOL:
            raise EngineError(
                f"the engine uses protocol version {event.get('protocol')}, but this package requires {PROTOCOL}",
                HINT_ONE_BUILD,
            )
        return EngineHello(**checked(Greeting, event).model_dump())

    def _send(self, **command: Any) -> int:
        self._commands += 1
        self._process.send({"id": self._commands, **command})
        return self._commands

    def _ask(self, timeout_s: float, **command: Any) -> Event:
        return self._answer(self._send(**command), timeout_s)

    def _answer(self, number: int, timeout_s: float) -> Event:
        try:
            event = self._process.receive(timeout_s)
        except SilenceError:
            self._is_lost = True
            raise
        if event.get("type") == "error":
            self._is_lost |= event.get("kind") == FailureKind.STUCK
            raise refusal(event)
        if event.get("id") != number:
            raise protocol_error(f"expected a response to command {number}, received one to {event.get('id')}")
        if not isinstance(event.get("type"), str):
            raise protocol_error(f"the event type {event.get('type')!r} is invalid")
        return event


def _expected(kind: str, event: Event) -> Event:
    """The event, which must be of that kind. Raises EngineError."""
    if event["type"] != kind:
        raise protocol_error(f"expected an event of type {kind!r}, received {event['type']!r}")
    return event


def _target_fields(request: OpenRequest) -> dict[str, Any]:
    """The target in the fields of the engine's ``open`` command."""
    near = {"cpus_near": request.cpus_near} if request.cpus_near else {}
    match request.target:
        case SimulatedDrive(drive=drive):
            return {"kind": "simulation", "model": drive.table, "seed": drive.seed, "faults": drive.faults}
        case NullTarget(span_bytes=size_bytes):
            return {"kind": "null", "size_bytes": size_bytes}
        case BlockDevice(path=path, generic=generic, permit=permit):
            beside = {"generic": str(generic)} if request.commands and generic is not None else {}
            claim = {"claim": asdict(permit)} if request.is_granted and permit is not None else {}
            device = {"kind": "device", "path": str(path), "direct": request.direct}
            return device | beside | claim | near | _ledger_of(request.ledger)
        case NewFile(path=path, span_bytes=size_bytes):
            return _file(request, path, size_bytes) | near | _ledger_of(request.ledger)
        case ExistingFile(path=path):
            return _file(request, path, None) | near | _ledger_of(request.ledger)


def _file(request: OpenRequest, path: Path, create_bytes: int | None) -> dict[str, Any]:
    return {
        "kind": "file",
        "path": str(path),
        "access": "write" if request.write else "read",
        "create": create_bytes is not None,
        "direct": request.direct,
        "size_bytes": create_bytes,
        **({"mark": request.mark} if request.mark else {}),
    }


def _ledger_of(ledger: KeptLedger | LeftLedger | None) -> dict[str, Any]:
    match ledger:
        case None:
            return {}
        case LeftLedger(path):
            return {"ledger": {"left": {"path": str(path)}}}
        case KeptLedger(path, run, step_bytes, size_bytes):
            kept = {"path": None if path is None else str(path), "run": run}
            return {"ledger": {"kept": {**kept, "step_bytes": step_bytes, "size_bytes": size_bytes}}}
