"""The settings of drives that runs have changed."""

from collections.abc import Iterable, Iterator
from typing import Final

from iosonde.findings.fitness.line import FitnessLine, State
from iosonde.records import KeptSetting

GROUP: Final = "Changed settings"


def settings_lines(kept: Iterable[tuple[KeptSetting, bool]]) -> Iterator[FitnessLine]:
    """A line for each setting that is kept, with the way out if the run that changed it is over."""
    for setting, is_held in kept:
        subject = f"write cache of {setting.device}"
        if is_held:
            yield FitnessLine(
                GROUP,
                subject,
                f"set by run {setting.run}",
                State.NOTE,
                f"that run is not over, and will restore it to {setting.write_cache}",
            )
        else:
            yield FitnessLine(
                GROUP,
                subject,
                f"left by run {setting.run}",
                State.WARNING,
                f"that run was killed before it restored it to {setting.write_cache}",
                "iosonde doctor --restore",
            )
