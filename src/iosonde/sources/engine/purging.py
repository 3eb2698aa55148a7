"""Asks the engine to purge devices, and to read them back."""

from collections.abc import Callable
from pathlib import Path

from iosonde.records import Purge, PurgeSurvey, ReadBack, Sampled
from iosonde.records.base import Record
from iosonde.sources.engine.event_schemas import Natural, checked
from iosonde.sources.engine.source import EngineSource
from iosonde.vocabulary import PurgeMethod

OnProgress = Callable[[int | None], None]
"""Called with the part that is done, in permille; None if the drive does not tell it."""


class _Surveyed(Record):
    survey: PurgeSurvey


class _Purging(Record):
    done_permille: Natural | None


class _Sampled(Record):
    targets: tuple[Sampled, ...]


class _Purged(Record):
    purge: Purge


class _ReadBack(Record):
    targets: tuple[ReadBack, ...]


def survey_device(source: EngineSource, path: Path) -> PurgeSurvey:
    """What a device offers to purge it. Changes nothing. Raises TargetError."""
    return checked(_Surveyed, source.ask_long("surveyed", _unheard, command="survey", path=str(path))).survey


def sample_devices(
    source: EngineSource, method: PurgeMethod | None, places: int | None, seed: int, on_progress: OnProgress
) -> tuple[Sampled, ...]:
    """Reads places of all open targets, and writes sentinels to some of them. ``places`` None reads all of each.

    Raises TargetError if the method is not supported, or reaches more than the open targets.
    """
    answer = source.ask_long(
        "sampled",
        lambda event: on_progress(checked(_Purging, event).done_permille),
        command="sample",
        method=method,
        places=places,
        seed=seed,
    )
    return checked(_Sampled, answer).targets


def purge_devices(
    source: EngineSource, method: PurgeMethod, on_progress: OnProgress, on_interrupt: Callable[[], None]
) -> Purge:
    """Purges the first open target, and with it all others, which the method has to reach.

    A KeyboardInterrupt calls ``on_interrupt`` and stops it: the result then says how far it came. A format cannot be
    stopped.
    """
    answer = source.ask_long(
        "purged",
        lambda event: on_progress(checked(_Purging, event).done_permille),
        on_interrupt=on_interrupt,
        command="purge",
        method=method,
    )
    return checked(_Purged, answer).purge


def read_devices_back(source: EngineSource, on_progress: OnProgress) -> tuple[ReadBack, ...]:
    """Reads the sampled places of all open targets again."""
    answer = source.ask_long(
        "read_back", lambda event: on_progress(checked(_Purging, event).done_permille), command="read_back"
    )
    return checked(_ReadBack, answer).targets


def _unheard(_: object) -> None:
    """A survey has no progress."""
