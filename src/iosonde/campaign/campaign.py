"""A whole campaign: from the user's wish to a finished run directory, whatever happens on the way."""

import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from iosonde import __version__
from iosonde.campaign.conductor import Conductor, Observer, Work
from iosonde.campaign.engines import choose_engine
from iosonde.campaign.target import Place, TargetWish, give_up, open_target, survey
from iosonde.machine import host_facts
from iosonde.plans import check_alignment, check_plan
from iosonde.records import CellRecord, EngineHello, IntervalRecord, Plan, RunHeader, RunRecord, TargetFacts
from iosonde.sources import EngineSource
from iosonde.store import RunDirectory
from iosonde.vocabulary import EngineChoice

# Makes a plan once the span is known and it is clear whether the target has to be filled.
PlanMaker = Callable[[int, bool], Plan]


@dataclass(frozen=True)
class Wish:
    """All that the user wants of a campaign."""

    target: TargetWish
    engine: EngineChoice
    plan: PlanMaker


@dataclass(frozen=True)
class Survey:
    """What is known before anything is touched."""

    run: str
    place: Place
    plan: Plan


def new_run_name(now: datetime) -> str:
    """A name for a run that sorts by time and is never met twice: ``20261120-173000-1f3a``."""
    return f"{now.astimezone(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(2)}"


def look_ahead(wish: Wish, now: datetime) -> Survey:
    """Finds out where the target is and what will be done to it. Raises what would stop a run."""
    run = new_run_name(now)
    place = survey(wish.target, run)
    fill = place.path is not None and (wish.target.writes or place.make)
    plan = wish.plan(place.span_bytes, fill)
    check_plan(plan)
    return Survey(run=run, place=place, plan=plan)


@dataclass(frozen=True)
class Setting:
    """Where a session takes place."""

    place: Place
    plan: Plan
    direct: bool


@contextmanager
def ready(setting: Setting, check: Callable[[EngineHello], None]) -> Iterator[tuple[EngineSource, TargetFacts]]:
    """An engine that passes the check, with the target open; both are given up at the end.

    A file that was made for the run is removed, whatever ended it.
    """
    source = EngineSource()
    try:
        check(source.hello)
        source.calibrate()
        fill = setting.plan.fill is not None or setting.place.make
        facts = open_target(source, setting.place, fill=fill, direct=setting.direct)
        try:
            check_alignment(setting.plan, facts.alignment.offset_bytes)
            yield source, facts
        except KeyboardInterrupt:
            # Whoever interrupts wants an end now; what was measured is in the journal, or passed on.
            source.kill()
            raise
        finally:
            give_up(source, facts)
    finally:
        source.end()


@contextmanager
def _new_run(wish: Wish, ahead: Survey, now: datetime) -> Iterator[tuple[EngineSource, RunHeader]]:
    def choose(hello: EngineHello) -> None:
        choose_engine(wish.engine, hello, null_target=ahead.place.path is None)

    setting = Setting(place=ahead.place, plan=ahead.plan, direct=not wish.target.buffered)
    with ready(setting, choose) as (source, facts):
        yield source, _header(wish, ahead, now, facts, source.hello)


def _header(wish: Wish, ahead: Survey, now: datetime, facts: TargetFacts, hello: EngineHello) -> RunHeader:
    return RunHeader(
        run=ahead.run,
        created_at=now.astimezone(UTC).isoformat(timespec="seconds"),
        iosonde_version=__version__,
        command=tuple(sys.argv),
        engine_asked=wish.engine.value,
        engine=choose_engine(wish.engine, hello, null_target=ahead.place.path is None),
        plan=ahead.plan,
        target=facts,
        host=host_facts(),
        hello=hello,
    )


def whole_plan(plan: Plan) -> Work:
    """All that a plan asks for."""
    return Work(fill=plan.fill, turns=plan.turns)


def measure_to_directory(wish: Wish, ahead: Survey, out: Path, observer: Observer, now: datetime) -> RunDirectory:
    """Runs a campaign into a run directory. What was measured is kept, whatever ends the run."""
    directory = RunDirectory.create(out)
    with _new_run(wish, ahead, now) as (source, header), directory.start_journal(header) as journal:
        Conductor(source, header, whole_plan(header.plan), journal, observer).run()
        journal.end()
    return directory


class Memory:
    """Keeps a run in memory: for a probe, which leaves nothing behind."""

    def __init__(self) -> None:
        self.cells: list[CellRecord] = []
        self.filled: CellRecord | None = None

    def interval(self, order: int, interval: IntervalRecord, left_s: float) -> None:
        """Nothing: the cell carries its intervals."""

    def cell(self, cell: CellRecord) -> None:
        """Keeps a cell."""
        self.cells.append(cell)

    def fill(self, cell: CellRecord) -> None:
        """Keeps the first write."""
        self.filled = cell


def measure_in_memory(wish: Wish, ahead: Survey, observer: Observer, now: datetime) -> RunRecord:
    """Runs a plan and gives it back as a record."""
    with _new_run(wish, ahead, now) as (source, header):
        memory = Memory()
        Conductor(source, header, whole_plan(header.plan), memory, observer).run()
    return RunRecord(header=header, fill=memory.filled, cells=tuple(memory.cells), finished=True)
