"""Purges the members of an md array at the same time, and creates the array again as it was.

The array itself cannot be purged: a format or an erase is a command to a drive. So it is stopped, its members are
purged like any other drive, and mdadm creates it with the same level, layout, chunk, UUID and place of data.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from iosonde.campaign.preparing import PurgeObserver, PurgeRequest, preparation
from iosonde.campaign.purge_together import Together
from iosonde.campaign.purge_verdict import error_of
from iosonde.errors import IosondeError, NotPurgedError, TargetError
from iosonde.machine import Host, UnpermittedWriteError, permit_for
from iosonde.records import MdArray, PurgePlan, PurgeRecord, ReachedDevice, RebuiltArray
from iosonde.sources.purge_tools import ToolRunner, assemble_array, create_array, create_words, stop_array, why_not
from iosonde.store import keep_purge

LOOK_S: Final = 0.5
"""How often the synchronisation is looked at."""
IDLE_S_MAX: Final = 60.0
"""An array that is not consistent, and does nothing about it for as long, has failed."""
IN_USE: Final = frozenset({"held", "exclusive", "signature", "open", "below"})
"""What the guard finds on a member because its array is active. Each is looked at again once the array is stopped."""
OF_ARRAY: Final = ("linux_raid_member", "md superblock")
"""How the guard names the superblock of a member."""


@dataclass(frozen=True)
class ArrayPlan:
    """An array whose members would be purged, and the command that creates it again."""

    device: ReachedDevice
    array: MdArray
    members: tuple[PurgePlan, ...]

    @property
    def command(self) -> tuple[str, ...]:
        """The command that creates the array again."""
        return create_words(self.array)


class ArrayPurge:
    """The purge of an array. ``sleep`` waits."""

    def __init__(self, host: Host, sleep: Callable[[float], None] = time.sleep) -> None:
        self._host = host
        self._sleep = sleep

    def plan(self, request: PurgeRequest, array: MdArray) -> ArrayPlan:
        """What the purge would destroy. Changes nothing. Raises TargetError for an array that cannot be rebuilt."""
        reason = why_not(array)
        if reason:
            raise TargetError(
                f"{request.target} could not be created again after a purge of its members: {reason}",
                "purge its members one by one, and create the array by mdadm; or use --purge discard, which the array "
                "passes on to its members",
            )
        ToolRunner(self._host.command_prefix(), lambda: None).check("mdadm")
        with preparation(self._host) as prepared:
            device, _ = prepared.survey(request.target)
            members = tuple(prepared.plan(request.of(each.path)) for each in array.in_place)
        shared = next((each for each in members if len(each.devices) > 1), None)
        if shared is not None:
            raise TargetError(
                f"{request.method} reaches other namespaces of the drive of {shared.devices[0].path}",
                "use a method for one namespace",
            )
        return ArrayPlan(device=device, array=array, members=members)

    def run(
        self, request: PurgeRequest, plan: ArrayPlan, observer: PurgeObserver, now: datetime
    ) -> tuple[PurgeRecord, ...]:
        """Purges the members and creates the array again. The records of the members, which are kept.

        Raises TargetError if nothing was destroyed. If a member is not purged, or this is not verified, the array stays
        stopped, and the records have no array.
        """
        _check_named(request, plan)
        runner = ToolRunner(self._host.command_prefix(), lambda: None, observer.interrupted)
        stop_array(runner, plan.array)
        try:
            self._check_members(request, plan)
        except (IosondeError, KeyboardInterrupt):
            assemble_array(runner, plan.array)
            raise
        records = self._purge_members(request, plan, observer, now)
        for each in records:
            keep_purge(each)
        if any(error_of(each) is not None for each in records):
            return records
        began_ns = time.monotonic_ns()
        create_array(runner, plan.array)
        self._synchronise(plan.array, observer)
        rebuilt = RebuiltArray(
            path=request.target,
            array=plan.array,
            command=plan.command,
            synchronised_ns=time.monotonic_ns() - began_ns,
        )
        self._check_same(plan.array)
        records = tuple(each.model_copy(update={"array": rebuilt}) for each in records)
        for each in records:
            keep_purge(each)
        return records

    def _check_members(self, request: PurgeRequest, plan: ArrayPlan) -> None:
        """Raises TargetError if a member that is free now must not be written."""
        with preparation(self._host) as prepared:
            for each in plan.array.in_place:
                device, _ = prepared.survey(each.path)
                permit_for(each.path, device.inspection, request.destroy, _consents(request, device))

    def _purge_members(
        self, request: PurgeRequest, plan: ArrayPlan, observer: PurgeObserver, now: datetime
    ) -> tuple[PurgeRecord, ...]:
        together = Together(observer, len(plan.members))

        def purge(number: int, path: str) -> PurgeRecord:
            with preparation(self._host) as prepared:
                device, _ = prepared.survey(path)
                own = request.of(path, _consents(request, device))
                return prepared.run(own, prepared.plan(own), together.part(number), now)

        with ThreadPoolExecutor(len(plan.members)) as pool:
            futures = [pool.submit(purge, number, each.path) for number, each in enumerate(plan.array.in_place)]
            _await(futures, together)
        failed = next((each.exception() for each in futures if each.exception() is not None), None)
        if failed is None:
            return tuple(each.result() for each in futures)
        for each in futures:
            if each.exception() is None:
                keep_purge(each.result())
        reason = failed.message if isinstance(failed, IosondeError) else "it was interrupted"
        if not isinstance(failed, IosondeError | KeyboardInterrupt):
            raise failed
        raise NotPurgedError(
            f"{request.target} was stopped, and not all of its members were purged: {reason}",
            f"purge them by `iosonde prepare`, and create it with: {' '.join(plan.command)}",
        ) from failed

    def _synchronise(self, array: MdArray, observer: PurgeObserver) -> None:
        """Waits until the array is consistent. Raises TargetError if it does not become so."""
        observer.stage("synchronising")
        idle_s = 0.0
        while not (sync := self._host.md_sync(array.path)).is_done:
            idle_s = idle_s + LOOK_S if sync.action == "idle" else 0.0
            if idle_s > IDLE_S_MAX:
                raise TargetError(f"{array.path} does not become consistent", "`mdadm --detail` says what failed")
            observer.progress(sync.done_permille)
            self._sleep(LOOK_S)

    def _check_same(self, array: MdArray) -> None:
        size = self._host.look(array.path).size_bytes
        if size != array.size_bytes:
            raise TargetError(
                f"{array.path} had {array.size_bytes} bytes, and has {size} after it was created again",
                "start a new run on it as it is",
            )


def _consents(request: PurgeRequest, member: ReachedDevice) -> tuple[str, ...]:
    """What is consented to for a member: its superblock is that of an array which the user named."""
    found = [each.evidence for each in member.inspection.refusals if each.check == "signature"]
    if found and all(any(name in evidence for name in OF_ARRAY) for evidence in found):
        return tuple(dict.fromkeys((*request.consents, "signature")))
    return request.consents


def _check_named(request: PurgeRequest, plan: ArrayPlan) -> None:
    """Raises UnpermittedWriteError unless the user named the array and each member, and they are not in use."""
    permit_for(request.target, plan.device.inspection, request.destroy, request.consents)
    members = [each.devices[0] for each in plan.members]
    named = {each.path: each.inspection.identity for each in members}
    left = [
        f"{path} ({identity.name if identity else 'without an identity'})"
        for path, identity in named.items()
        if identity is None or identity.name not in request.destroy
    ]
    if left:
        raise UnpermittedWriteError(
            f"the purge of {request.target} destroys its members, and --destroy does not name {', '.join(left)}",
            f"add --destroy IDENTITY for each of them (`iosonde prepare {request.target}` lists them)",
            final=True,
        )
    for each in members:
        others = tuple(refusal for refusal in each.inspection.refusals if refusal.check not in IN_USE)
        free = each.inspection.model_copy(update={"refusals": others})
        permit_for(each.path, free, request.destroy, request.consents)


def _await(futures: list[Future[PurgeRecord]], together: Together) -> None:
    """Waits for all. An interruption asks each to stop, and is waited for."""
    while True:
        try:
            wait(futures)
        except KeyboardInterrupt:
            together.interrupt()
        else:
            return
