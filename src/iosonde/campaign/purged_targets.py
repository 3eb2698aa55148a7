"""Purges the targets of a campaign before it begins."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from iosonde.campaign.devices import permitted
from iosonde.campaign.preparing import PurgeObserver, PurgeRequest, preparation
from iosonde.campaign.purge_verdict import error_of
from iosonde.campaign.target_resolution import TargetRequest
from iosonde.errors import UsageError
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
                "specify a block device, or omit purge in the campaign file",
            )
    if request.buffered:
        raise UsageError("a purge is verified with direct I/O, and --buffered does without", "omit --buffered")


def purge_targets(request: "RunRequest", ahead: "Preflight", observer: PurgeObserver, now: datetime) -> "Preflight":
    """Purges each device of a campaign, and returns what is known ahead of it afterwards.

    Raises TargetError if nothing was destroyed, NotPurgedError or NotVerifiedError if a purge is not verified.
    """
    method, wanted = ahead.plan.purge, request.target
    if ahead.is_purged or method is None:
        return ahead
    records: list[PurgeRecord] = []
    for device in (each for each in ahead.targets if isinstance(each, BlockDevice)):
        asked = PurgeRequest(target=device.name, method=method, destroy=wanted.destroy, consents=wanted.consents)
        with preparation(request.host) as prepared:
            records.append(prepared.run(asked, prepared.plan(asked), observer, now))
        keep_purge(records[-1])
        error = error_of(records[-1])
        if error is not None:
            raise error
    # The purge may have removed partitions and signatures. The identity must be the same.
    targets = permitted(request.host.command_prefix(), ahead.plan, ahead.targets, wanted.destroy, wanted.consents)
    return replace(ahead, targets=targets, purges=tuple(records))
