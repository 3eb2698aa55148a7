"""Which engine measures a cell."""

from typing import Final

from iosonde.errors import EngineError, UsageError
from iosonde.records import Engine, EngineHello, RunHeader, Sync, Workload
from iosonde.sources import IoPath, NullTarget, SimulatedDrive, StoredTarget, Target
from iosonde.vocabulary import EngineChoice, Poll

_POLLING: Final = frozenset({EngineChoice.AUTO, EngineChoice.IO_URING, EngineChoice.PASSTHROUGH, EngineChoice.FIO})


def check_choice(choice: EngineChoice, target: Target) -> None:
    """Raises UsageError for an engine that cannot measure such a target."""
    is_null, is_simulated = isinstance(target, NullTarget), isinstance(target, SimulatedDrive)
    if is_null and choice is EngineChoice.FIO:
        raise UsageError(
            "`--engine fio` does real I/O, but the target `null:` does none", "omit --engine fio, or specify a file"
        )
    does_nothing = choice in {EngineChoice.NULL, EngineChoice.NOP}
    if is_null != does_nothing and not (is_null and choice is EngineChoice.AUTO):
        raise UsageError(
            f"`--engine {choice if does_nothing else 'null'}` and the target `null:` must be used together",
            "use both or neither",
        )
    if is_simulated and choice not in {EngineChoice.SIMULATION, EngineChoice.AUTO}:
        raise UsageError(
            f"--engine {choice} does real I/O and cannot measure a simulated drive",
            "omit --engine; sim: targets use the simulation engine",
        )
    if not is_simulated and choice is EngineChoice.SIMULATION:
        raise UsageError(
            "--engine simulation only measures simulated drives",
            "specify a simulated drive, such as sim:mmc (`iosonde sim list` lists all models), or omit --engine",
        )


def check_poll(poll: Poll, choice: EngineChoice, target: Target) -> None:
    """Raises UsageError for a polling mode that the engine or the target does not support."""
    if poll is not Poll.INTERRUPT and (not isinstance(target, StoredTarget) or choice not in _POLLING):
        raise UsageError(
            f"--poll {poll} needs io_uring",
            "omit --poll, or measure a file or a device with --engine io_uring",
        )


def check_polling(poll: Poll, engine: Engine, hello: EngineHello) -> None:
    """Raises EngineError if polling is requested and io_uring is not available."""
    # fio polls through io_uring as well.
    polls = engine in {Engine.IO_URING, Engine.PASSTHROUGH} or (
        engine is Engine.FIO and Engine.IO_URING in hello.engines
    )
    if poll is not Poll.INTERRUPT and not polls:
        raise EngineError(
            f"--poll needs io_uring, which is not available on this host ({hello.io_uring_refused})",
            f"omit --poll, or {_io_uring_fix(hello.io_uring_refused)}",
        )


def choose_engine(choice: EngineChoice, hello: EngineHello, target: Target) -> Engine:
    """The engine of a run. Raises EngineError if the requested one is not available: it is never replaced silently."""
    check_choice(choice, target)
    is_null = isinstance(target, NullTarget)
    if isinstance(target, SimulatedDrive):
        return Engine.SIMULATION
    if choice is EngineChoice.AUTO:
        if is_null:
            return Engine.NULL
        return Engine.IO_URING if Engine.IO_URING in hello.engines else Engine.PSYNC
    engine = Engine(choice.value)
    if engine is Engine.PASSTHROUGH and engine not in hello.engines and hello.io_uring_refused is None:
        raise EngineError(
            "this kernel does not support NVMe passthrough", "use Linux 5.19 or newer, or --engine io_uring"
        )
    if engine not in hello.engines:
        raise EngineError(
            f"io_uring is not available on this host ({hello.io_uring_refused})",
            f"use --engine {'null' if is_null else 'psync'}, or {_io_uring_fix(hello.io_uring_refused)}",
        )
    return engine


def _io_uring_fix(refused: str | None) -> str:
    """How to make io_uring available, by the kernel's answer."""
    if refused == "ENOMEM":
        return "raise the locked-memory limit (ulimit -l), for example to 16 MiB"
    if refused in {"EPERM", "ENOSYS", "EACCES"}:
        return "enable io_uring (check sysctl kernel.io_uring_disabled and the container's seccomp profile)"
    return "use Linux 5.11 or newer"


def io_path_of_cell(header: RunHeader, workload: Workload) -> IoPath:
    """The I/O path of one cell."""
    engine = engine_of_cell(EngineChoice(header.engine_asked), header.engine, workload)
    return IoPath(engine, workload.poll_through(engine, header.poll_asked), header.plan.on_error)


def io_path_of_preconditioning(header: RunHeader, workload: Workload) -> IoPath:
    """The I/O path of the preconditioning write: by iosonde's own engine, also if fio measures afterwards."""
    if header.engine is not Engine.FIO:
        return io_path_of_cell(header, workload)
    engine = Engine.IO_URING if Engine.IO_URING in header.hello.engines else Engine.PSYNC
    return IoPath(engine, on_error=header.plan.on_error)


def engine_of_cell(choice: EngineChoice, engine: Engine, workload: Workload) -> Engine:
    """The engine of one cell: with ``auto``, a single write at a time with its fdatasync goes through psync.

    io_uring passes every fdatasync to an io-wq worker, and that step would be measured as latency of the drive. A
    database calls fdatasync(2) itself, as psync does.
    """
    alone = workload.sync is Sync.FDATASYNC and workload.operations_in_flight == 1
    if choice is EngineChoice.AUTO and engine is Engine.IO_URING and alone:
        return Engine.PSYNC
    return engine
