"""The scenarios, one function each."""

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from iosonde.records import Access, CellPlan, CellTurn, Engine, Operation, Timing, Workload, one_stream
from iosonde.sources import ExistingFile, IoPath, KeptLedger, NewFile, OpenRequest
from iosonde.units import MILLISECOND_NS
from lab.hangs.stage import SIZE_BYTES, Stage, Told, ended, run, source_on, told_by

# The engine's and the front's deadlines for what shows no sign of being at work.
SILENT_S: Final = 120.0
# A cell of 3 s, 30 s for what is in flight, 5 s until whoever sleeps in the kernel is given up.
CELL_S: Final = 3.0 + 30.0 + 5.0
# A cell without an end in time: 90 s of silence, 30 s for what is in flight, 5 s more.
FILL_S: Final = 90.0 + 30.0 + 5.0
# For the removal of files that does not come back, the report, and a machine on which all scenarios run at once.
BEYOND_S: Final = 30.0


@dataclass(frozen=True)
class Scenario:
    """Something that hangs, where iosonde then waits, and how soon it has to have said its last word."""

    name: str
    where: str
    deadline_s: float
    act: Callable[[Stage], Told]
    # What the line has to say.
    says: str = "did not complete within"


def _existing(path: Path, *, write: bool = False, ledger: KeptLedger | None = None) -> OpenRequest:
    return OpenRequest(ExistingFile(path=path, span_bytes=16 << 20), write=write, direct=False, ledger=ledger)


def survey(stage: Stage) -> Told:
    """The front looks at a file."""
    file = stage.faulty()
    file.tell("freeze")
    since_s = time.monotonic()
    return ended(stage.start("run", file.path, "--quick", "--buffered", "--overwrite"), since_s)


def opening(stage: Stage) -> Told:
    """The engine opens a file."""
    file = stage.faulty()
    file.tell("hang-open")
    with source_on() as source:
        return told_by(source, lambda: source.open(_existing(file.path)))


def creation(stage: Stage) -> Told:
    """The engine makes a file."""
    _, place = stage.mounted(faulty=False)
    _freeze(stage, place)
    since_s = time.monotonic()
    return ended(stage.start("run", place, "--quick", "--size", "16MiB"), since_s)


def allocation(stage: Stage) -> Told:
    """The engine allocates a file."""
    file, place = stage.mounted(faulty=True)
    assert file is not None
    run("sync", "-f", place)
    Path("/proc/sys/vm/drop_caches").write_text("3\n", encoding="ascii")
    file.tell("hang")
    request = OpenRequest(NewFile(path=place / "new", span_bytes=16 << 20), write=True, direct=True)
    with source_on() as source:
        return told_by(source, lambda: source.open(request))


def before_cell(stage: Stage) -> Told:
    """The engine looks whether a target is what it was."""
    file = stage.faulty()
    with source_on(_existing(file.path)) as source:
        file.tell("freeze")
        return told_by(source, lambda: source.measure(*_cell(16 << 20), 16 << 20, lambda _: None))


def fill(stage: Stage) -> Told:
    """The target is written in full."""
    file = stage.faulty()
    file.tell("delay", 200)
    words = ("--engine", "psync", "--profile", stage.campaign(), "--overwrite", "--buffered")
    process = stage.start_run(file.path, *words, until="preconditioning: writing")
    time.sleep(0.5)
    return _hang(file.tell, "hang", lambda since_s: ended(process, since_s))


def cell(stage: Stage, engine: str, read: int, fault: str, sync: str = "none") -> Told:
    """A cell is measured."""
    file = stage.faulty()
    words = ("--engine", engine, "--profile", stage.campaign(read, sync), "--overwrite", "--buffered")
    process = stage.start_run(file.path, *words)
    time.sleep(1)
    return _hang(file.tell, fault, lambda since_s: ended(process, since_s))


def device(stage: Stage) -> Told:
    """A block device is measured."""
    file, node = stage.disk()
    words = ("--engine", "io_uring", "--profile", stage.campaign(), "--out", stage.folder / "run")
    process = stage.start("run", node, *words)
    while int(file.tell("reads")) < 200:
        time.sleep(0.02)
    return _hang(file.tell, "hang", lambda since_s: ended(process, since_s))


def removal(stage: Stage) -> Told:
    """A block device that is measured goes away."""
    file, node = stage.disk()
    words = ("--engine", "io_uring", "--profile", stage.campaign(), "--out", stage.folder / "run")
    process = stage.start("run", node, *words)
    while int(file.tell("reads")) < 200:
        time.sleep(0.02)
    since_s = time.monotonic()
    file.die()
    return ended(process, since_s)


def first_sync(stage: Stage) -> Told:
    """What was written in full is made durable."""
    file = stage.faulty()
    file.tell("hang-fsync")
    words = ("--engine", "psync", "--profile", stage.campaign(), "--overwrite", "--buffered")
    process = stage.start_run(file.path, *words)
    return ended(process, time.monotonic())


def verifying(stage: Stage) -> Told:
    """A target is read back."""
    file = stage.faulty()
    words = ("--profile", stage.campaign(0, more="verify = true"), "--overwrite", "--buffered")
    done = stage.start_run(file.path, *words)
    assert done.wait(120) == 0, done.communicate()
    file.tell("hang-read")
    since_s = time.monotonic()
    return ended(stage.start("verify", stage.folder / "run"), since_s)


def ledger(stage: Stage) -> Told:
    """What a cell has written to its ledger is made durable."""
    file, place = stage.mounted(faulty=True)
    assert file is not None
    target = stage.folder / "target"
    target.write_bytes(bytes(16 << 20))
    (place / "account").mkdir()
    kept = KeptLedger(place / "account" / "target-1", run=7, step_bytes=4096, size_bytes=16 << 20)
    with source_on(_existing(target, write=True, ledger=kept)) as source:
        cell, turn, way = _cell(16 << 20, read=0, verify=True)
        file.tell("hang")
        since_s = time.monotonic()
        record = source.measure(cell, turn, way, 16 << 20, lambda _: None)
        assert source.is_lost
        assert record.failure is not None
        assert record.operations[Operation.WRITE].count > 0, "what was measured is lost"
        # As a run tells it.
        return Told(time.monotonic() - since_s, 3, f"error: {turn.cell}: {record.failure.message}")


def beside_failing(stage: Stage) -> Told:
    """Two targets are measured."""
    hangs, fails = stage.faulty("hangs"), stage.faulty("fails")
    words = ("--engine", "io_uring", "--profile", stage.campaign(), "--overwrite", "--buffered")
    process = stage.start_run(fails.path, hangs.path, *words)
    time.sleep(1)
    hangs.tell("hang")
    since_s = time.monotonic()
    time.sleep(0.3)
    fails.die()
    return ended(process, since_s)


def frozen(stage: Stage) -> Told:
    """A file system is frozen while it is measured."""
    _, place = stage.mounted(faulty=False)
    words = ("--engine", "psync", "--profile", stage.campaign(0), "--size", "16MiB")
    process = stage.start_run(place, *words)
    time.sleep(1)
    since_s = time.monotonic()
    _freeze(stage, place)
    return ended(process, since_s)


def resuming(stage: Stage) -> Told:
    """A run goes on."""
    file = stage.faulty()
    words = ("--engine", "psync", "--profile", stage.campaign(), "--overwrite", "--buffered")
    process = stage.start_run(file.path, *words)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    file.tell("freeze")
    since_s = time.monotonic()
    return ended(stage.start("resume", "--overwrite", stage.folder / "run"), since_s)


def closing(stage: Stage) -> Told:
    """A target is given up."""
    file = stage.faulty()
    with source_on(_existing(file.path)) as source:
        file.tell("hang-close")
        return told_by(source, source.close)


def stopped(stage: Stage) -> Told:
    """The user does not want to wait."""
    file = stage.faulty()
    file.tell("hang-fsync")
    words = ("--engine", "psync", "--profile", stage.campaign(), "--overwrite", "--buffered")
    process = stage.start_run(file.path, *words)
    time.sleep(1)
    since_s = time.monotonic()
    process.send_signal(signal.SIGINT)
    return ended(process, since_s)


def _hang(tell: Callable[..., str], fault: str, then: Callable[[float], Told]) -> Told:
    tell(fault)
    return then(time.monotonic())


def _freeze(stage: Stage, place: Path) -> None:
    run("fsfreeze", "-f", place)
    stage.stack.callback(run, "fsfreeze", "-u", place)


def _cell(span_bytes: int, read: int = 100, *, verify: bool = False) -> tuple[CellPlan, CellTurn, IoPath]:
    workload = Workload(pattern=Access.RANDOM, read_percent=read, block_size_bytes=4096, queue_depth=2, verify=verify)
    timing = Timing(warmup_ns=0, measure_ns=300 * MILLISECOND_NS, interval_ns=100 * MILLISECOND_NS)
    plan = CellPlan(cell="cell", streams=one_stream(workload), timing=timing, experiments=())
    assert span_bytes <= SIZE_BYTES
    return plan, CellTurn(order=1, cell="cell", repeat=1, seed=7), IoPath(Engine.PSYNC)


SCENARIOS: Final = (
    Scenario("survey", "first access to a frozen mount", SILENT_S + BEYOND_S, survey, says="did not respond within"),
    Scenario("open", "engine opens a file", SILENT_S + BEYOND_S, opening),
    Scenario("create", "file creation, frozen file system", SILENT_S + BEYOND_S, creation),
    Scenario("allocate", "file creation, hanging disk", SILENT_S + BEYOND_S, allocation),
    Scenario("set-up", "last check before a cell", SILENT_S + BEYOND_S, before_cell),
    Scenario("fill", "preconditioning write, psync", FILL_S + BEYOND_S, fill),
    Scenario("sync", "fdatasync after the preconditioning", SILENT_S + BEYOND_S, first_sync),
    Scenario("read, psync", "cell of reads", CELL_S + BEYOND_S, partial(cell, engine="psync", read=100, fault="hang")),
    Scenario(
        "read, io_uring", "cell of reads", CELL_S + BEYOND_S, partial(cell, engine="io_uring", read=100, fault="hang")
    ),
    Scenario(
        "write, io_uring", "cell of writes", CELL_S + BEYOND_S, partial(cell, engine="io_uring", read=0, fault="hang")
    ),
    Scenario(
        "fdatasync",
        "cell of writes with fdatasync",
        CELL_S + BEYOND_S,
        partial(cell, engine="psync", read=0, fault="hang-fsync", sync="fdatasync"),
    ),
    Scenario("device", "cell of reads from a block device", CELL_S + BEYOND_S, device),
    Scenario("frozen", "cell of writes to a frozen file system", CELL_S + BEYOND_S, frozen),
    Scenario("two targets", "one target hangs, then another fails", CELL_S + BEYOND_S, beside_failing),
    Scenario("ledger", "ledger of a cell on a hanging disk", SILENT_S + BEYOND_S, ledger),
    Scenario("verify", "verification pass", SILENT_S + BEYOND_S, verifying),
    Scenario("close", "engine closes a file", SILENT_S + BEYOND_S, closing),
    Scenario("resume", "resume on a frozen mount", SILENT_S + BEYOND_S, resuming, says="did not respond within"),
    Scenario("removal", "block device is removed", CELL_S + BEYOND_S, removal, says="measurements failed"),
    Scenario("Ctrl-C", "Ctrl-C during fdatasync after writing", 10.0, stopped, says="interrupted"),
)
