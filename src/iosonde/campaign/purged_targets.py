"""Purges the targets of a campaign before it begins."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from iosonde.campaign.devices import permitted
from iosonde.campaign.preparing import PurgeObserver, PurgeRequest
from iosonde.campaign.purge_verdict import error_of
from iosonde.campaign.purging import Purging
from iosonde.campaign.target_resolution import TargetRequest
from iosonde.errors import UsageError
from iosonde.machine import Host
from iosonde.records import Plan, PurgeRecord
from iosonde.sources import BlockDevice, SimulatedDrive, Target
from iosonde.store import keep_purge

if TYPE_CHECKING:
    from iosonde.campaign.campaign import Preflight, RunRequest


def check_purge(plan: Plan, targets: Sequence[Target], request: TargetRequest) -> None:
    """Raises UsageError if a campaign would purge what is no device, or the rest of a device as well."""
    if plan.purge is None:
        return
    for target in targets:
        if not isinstance(target, BlockDevice | SimulatedDrive):
            raise UsageError(
                f"purge = {plan.purge} applies to block devices, and {target.name} is not one",
                "specify a block device, or omit --purge (in a campaign file: purge)",
            )
    if request.buffered:
        raise UsageError("a purge is verified with direct I/O, and --buffered does without", "omit --buffered")


def purge_targets(request: "RunRequest", ahead: "Preflight", observer: PurgeObserver, now: datetime) -> "Preflight":
    """Purges each device of a campaign, and returns what is known ahead of it afterwards.

    Raises TargetError if nothing was destroyed, NotPurgedError or NotVerifiedError if a purge is not verified.
    """
    if ahead.is_purged:
        return ahead
    consent = DestroyConsent(tuple(request.target.destroy), tuple(request.target.consents))
    targets, records = purged(request.host, ahead.plan, ahead.targets, consent, observer, now)
    return replace(ahead, targets=targets, purges=records)


@dataclass(frozen=True)
class DestroyConsent:
    """The identities whose contents the user permits to destroy, and the refused checks that they consented to."""

    destroy: tuple[str, ...] = ()
    consents: tuple[str, ...] = ()


class _InterruptRecorder:
    """Passes everything on to an observer, and records whether a purge was interrupted."""

    def __init__(self, observer: PurgeObserver) -> None:
        self._observer = observer
        self.is_interrupted = False

    def stage(self, name: str) -> None:
        """A stage begins."""
        self._observer.stage(name)

    def progress(self, done_permille: int | None) -> None:
        """A stage goes on."""
        self._observer.progress(done_permille)

    def interrupted(self) -> None:
        """The purge is interrupted. It may be complete before it can stop."""
        self.is_interrupted = True
        self._observer.interrupted()


def purged(  # noqa: PLR0913, PLR0917 - a purge needs all of them
    host: Host,
    plan: Plan,
    targets: Sequence[Target],
    consent: DestroyConsent,
    observer: PurgeObserver,
    now: datetime,
) -> tuple[tuple[Target, ...], tuple[PurgeRecord, ...]]:
    """Purges each device as the plan says. Returns the targets with new permits, and the records of the purges.

    Raises TargetError if nothing was destroyed, NotPurgedError or NotVerifiedError if a purge is not verified, and
    KeyboardInterrupt after a purge that was asked to stop and was complete before it could.
    """
    assert plan.purge is not None, "the plan has to say how"
    devices = [target for target in targets if isinstance(target, BlockDevice)]
    purges = [Purging(host, PurgeRequest(each.name, plan.purge, consent.destroy, consent.consents)) for each in devices]
    # Before the first of them destroys anything.
    for each in purges:
        each.check()
    records: list[PurgeRecord] = []
    recorder = _InterruptRecorder(observer)
    for each in purges:
        for record in each.run(recorder, now):
            records.append(record)
            keep_purge(record)
            error = error_of(record)
            if error is not None:
                raise error
        if recorder.is_interrupted:
            raise KeyboardInterrupt
    # The purge may have removed partitions and signatures. The identity must be the same.
    permits = permitted(host.command_prefix(), plan, targets, consent.destroy, consent.consents)
    return permits, tuple(records)
