"""Campaigns on simulated drives, run as the command does, but in memory."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from iosonde.campaign import NullObserver, RunRequest, measure_in_memory, preflight
from iosonde.campaign.requests import MeasuringOptions, campaign_request
from iosonde.machine.local_host import LocalHost
from iosonde.records import RunRecord
from iosonde.vocabulary import EngineChoice, Poll


def run_one_cell(  # noqa: PLR0913 - all but two are by name
    target: str, keys: str, seed: int, *, head: str, read_percent: int = 100, size: str | None = None
) -> RunRecord:
    """Random I/O of 4 KiB. ``head`` is the text of the campaign file before its experiment, ``keys`` within it."""
    text = (
        f'name = "one"\n{head}[[experiment]]\nname = "one"\npattern = "random"\nread = {read_percent}\n'
        f'block_size = "4KiB"\n{keys}\n'
    )
    with TemporaryDirectory() as folder:
        file = Path(folder) / "one.toml"
        file.write_text(text, encoding="utf-8")
        return run_profile(target, str(file), seed, size=size)


def run_profile(target: str, profile: str, seed: int, *, size: str | None = None) -> RunRecord:
    """A profile, or a campaign file, on a simulated drive."""
    return measured(profile_request([target], profile, seed=seed, size=size))


def profile_request(  # noqa: PLR0913 - all but two are by name
    targets: Sequence[str],
    profile: str | Path,
    *,
    seed: int,
    size: str | None = None,
    overwrite: bool = False,
    time_scale: int | None = None,
    **others: Any,
) -> RunRequest:
    """The request that ``iosonde run TARGETS --profile PROFILE`` makes on this host."""
    options = MeasuringOptions(
        targets=targets,
        size=size,
        overwrite=overwrite,
        buffered=False,
        engine=EngineChoice.AUTO,
        poll=Poll.INTERRUPT,
        seed=seed,
        host=LocalHost(),
        time_scale=time_scale,
    )
    return campaign_request(options, profile=str(profile), **({"quick": False} | others))


def measured(request: RunRequest) -> RunRecord:
    """Measures a campaign now, and returns its record."""
    now = datetime.now(UTC)
    return measure_in_memory(request, preflight(request, now), NullObserver(), now)
