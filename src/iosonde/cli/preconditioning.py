"""The part of ``iosonde prepare`` that writes: a run with preconditioning steps, and nothing that is measured."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from iosonde.vocabulary import EngineChoice, Poll, Precondition, PurgeMethod

if TYPE_CHECKING:
    from iosonde.campaign import RunRequest
    from iosonde.records import PurgeRecord, RunLimits


@dataclass(frozen=True)
class PreconditionOptions:
    """The options of a preparation that writes. ``keys`` are those of a campaign file, None without a value."""

    target: str
    form: Precondition
    keys: Mapping[str, object]
    purge: PurgeMethod | None
    size: str | None
    destroy: tuple[str, ...]
    consents: tuple[str, ...]
    limits: "RunLimits"
    seed: int | None
    out: Path | None


def checked_request(options: PreconditionOptions) -> "RunRequest":
    """The request, after all checks that can be made before the device is purged. Raises IosondeError."""
    from iosonde.campaign import preflight
    from iosonde.campaign.requests import MeasuringOptions, preparation_request
    from iosonde.machine.local_host import LocalHost
    from iosonde.plans import preconditioning_of
    from iosonde.store import check_run_directory

    asked = preconditioning_of(options.form, options.keys)
    measuring = MeasuringOptions(
        targets=[options.target],
        size=options.size,
        overwrite=False,
        buffered=False,
        engine=EngineChoice.AUTO,
        poll=Poll.INTERRUPT,
        seed=options.seed,
        host=LocalHost(),
        destroy=options.destroy,
        consents=options.consents,
        limits=options.limits,
    )
    request = preparation_request(measuring, asked, options.purge)
    if options.out is not None:
        check_run_directory(options.out)
    preflight(request, datetime.now(UTC))
    return request


def precondition(request: "RunRequest", purges: "tuple[PurgeRecord, ...]", out: Path | None) -> None:
    """Writes the device, into a run directory that can be resumed. Raises IosondeError."""
    from iosonde.campaign import preflight
    from iosonde.cli.run import measure

    now = datetime.now(UTC)
    # The purge may have changed what the guard sees.
    ahead = replace(preflight(request, now), purges=purges)
    measure(request, ahead, out or Path(f"iosonde-{ahead.run}"), now)
