"""Purges a device in this process, as the command does, and looks at what else has changed."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from iosonde.campaign.preparing import PLACES, PurgeRequest, preparation
from iosonde.errors import IosondeError
from iosonde.machine.local_host import LocalHost
from iosonde.records import PurgeRecord
from iosonde.vocabulary import PurgeMethod
from lab.guard.asking import checksum

LIBRARY: Final = Path(__file__).parents[2] / "build/lab/purge/standin.so"


@dataclass
class Watcher:
    """Tries to take the device while it is purged and read back, and does something when the purge begins."""

    device: Path
    when_purging: Callable[[], None] = lambda: None
    taken: bool = False

    def stage(self, name: str) -> None:
        """Tries to take the device."""
        with suppress(OSError):
            os.close(os.open(self.device, os.O_RDONLY | os.O_EXCL))
            self.taken = True
        if name == "purging":
            self.when_purging()

    def progress(self, done_permille: int | None) -> None:
        """Nothing."""

    def interrupted(self) -> None:
        """Nothing."""


@contextmanager
def standing_in(settings: str) -> Iterator[None]:
    """A stand-in answers for the drives of engines that start in this time; without settings, the drives themselves."""
    before = {name: os.environ.pop(name, None) for name in ("LD_PRELOAD", "STANDIN")}
    if settings:
        os.environ.update(LD_PRELOAD=str(LIBRARY), STANDIN=settings)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


@dataclass(frozen=True)
class Setting:
    """What surrounds a purge.

    ``standin`` are the settings of the stand-in. ``others`` must not change. ``between`` is called after the plan was
    made, and ``when_purging`` when the command is sent. ``options`` are further fields of the request.
    """

    standin: str = ""
    others: tuple[Path, ...] = ()
    between: Callable[[], None] = lambda: None
    when_purging: Callable[[], None] = lambda: None
    options: Mapping[str, Any] = field(default_factory=dict)


PLAIN: Final = Setting()


def purged(device: Path, method: PurgeMethod, *destroy: str, setting: Setting = PLAIN) -> dict[str, Any]:
    """The outcome of a purge, and whether the others are unchanged."""
    before = [checksum(each) for each in setting.others]
    watcher = Watcher(device, setting.when_purging)
    request = PurgeRequest(str(device), method, destroy, **{"consents": (), "places": PLACES, **setting.options})
    with standing_in(setting.standin), preparation(LocalHost()) as prepared:
        try:
            plan = prepared.plan(request)
            setting.between()
            found = _told(prepared.run(request, plan, watcher, datetime.now(UTC)))
        except IosondeError as error:
            found = {"outcome": "refused", "told": error.message}
    unchanged = [checksum(each) for each in setting.others] == before if setting.others else None
    return {**found, "unchanged": unchanged, "kept": not watcher.taken, "settings": setting.standin}


def _told(record: PurgeRecord) -> dict[str, Any]:
    read = [each.read_back for each in record.devices]
    return {
        "outcome": str(record.outcome),
        "told": "; ".join(record.reasons),
        "end": record.purge.end,
        "changed": record.purge.changed,
        "places": sum(each.sampled.compared for each in record.devices),
        "survivors": sum(each.survivors for each in read if each is not None),
        "zeros": sum(each.content.zero_bytes for each in read if each is not None),
        "ones": sum(each.content.one_bytes for each in read if each is not None),
        "read": sum(each.read_bytes for each in read if each is not None),
    }
