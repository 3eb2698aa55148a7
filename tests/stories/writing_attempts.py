"""Attempts to write to a block device, each through a different interface of the program.

    python -O -m tests.stories.writing_attempts NAME DEVICE FOLDER

prints the class of the error that stopped it. ``-O`` disables asserts.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from iosonde.campaign import NullObserver, RunRequest, TargetRequest
from iosonde.campaign.session import SessionSetup, open_session
from iosonde.errors import IosondeError
from iosonde.machine.local_host import LocalHost
from iosonde.machine.write_permit import WritePermit
from iosonde.plans import TargetInfo, campaign_plan, read_campaign
from iosonde.records import CellTurn, Engine, Plan
from iosonde.sources import BlockDevice, EngineSource, FioSource, IoPath, OpenRequest, Source
from iosonde.vocabulary import EngineChoice
from tests.campaign_runs import measure

MIB = 1 << 20
CAMPAIGN = read_campaign(
    """
name = "writes"
repeats = 1
warmup = "0s"
duration = "100ms"
[[experiment]]
name = "writes"
pattern = "random"
read = 0
block_size = "4KiB"
queue_depth = 1
""",
    "writes.toml",
)


def plan(ground: TargetInfo) -> Plan:
    return campaign_plan(CAMPAIGN, ground, quick=False, seed=7)


def target(device: Path) -> BlockDevice:
    return BlockDevice(path=device, named=device, span_bytes=16 * MIB)


def campaign(device: Path, folder: Path) -> None:
    """A campaign that declares no writes, but whose plan writes."""
    words = TargetRequest((str(device),), 16 * MIB, overwrite=False, buffered=True, writes=False, quick=False)
    measure(RunRequest(host=LocalHost(), target=words, engine=EngineChoice.PSYNC, plan=plan), folder / "run")


def session(device: Path, folder: Path) -> None:
    """A session with a plan that writes, as a resumption opens it."""
    writing = plan(TargetInfo(span_bytes=16 * MIB, fill=True))
    targets = (target(device),)
    setting = SessionSetup(
        LocalHost(), targets, writing, direct=False, engine=EngineChoice.PSYNC, run="run", directory=folder
    )
    with open_session(setting, lambda _: None, NullObserver()):
        pass


def opening(device: Path, _: Path) -> None:
    """The engine opens the device for writing."""
    with_source(EngineSource(), lambda source: source.open(OpenRequest(target(device), write=True, direct=False)))


def fio(device: Path, _: Path) -> None:
    """fio writes to a device that the engine has opened for reading."""

    def write(source: Source) -> None:
        source.open(OpenRequest(target(device), write=False, direct=False))
        cell = plan(TargetInfo(span_bytes=16 * MIB, fill=False)).cells[0]
        turn = CellTurn(order=1, cell=cell.cell, repeat=1, seed=7)
        source.measure(cell, turn, IoPath(Engine.FIO), 16 * MIB, lambda _: None)

    with_source(FioSource(), write)


def permit(_: Path, __: Path) -> None:
    """Code creates its own permit."""
    WritePermit()


def with_source(source: Source, attempt: Callable[[Source], object]) -> None:
    try:
        attempt(source)
    finally:
        source.end()


ATTEMPTS = {each.__name__: each for each in (campaign, session, opening, fio, permit)}


if __name__ == "__main__":
    if not sys.flags.optimize:
        sys.exit("asserts are on: start it with -O")
    try:
        ATTEMPTS[sys.argv[1]](Path(sys.argv[2]), Path(sys.argv[3]))
    except IosondeError as error:
        print(type(error).__name__)  # noqa: T201 - the test reads it
