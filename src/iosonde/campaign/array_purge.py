"""Purges the members of an md array at the same time, and creates the array again as it was.

The array itself cannot be purged: a format or an erase is a command to a drive. So it is stopped, its members are
purged like any other drive, and mdadm creates it with the same level, layout, chunk, UUID and place of data.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final, NoReturn

from iosonde.campaign.array_checks import check_free, check_named, consents_for, same_drive
from iosonde.campaign.preparing import PurgeObserver, PurgeRequest, preparation
from iosonde.campaign.purge_together import Together
from iosonde.campaign.purge_verdict import error_of
from iosonde.errors import IosondeError, NotPurgedError, NotVerifiedError, OutputError, TargetError
from iosonde.machine import Host
from iosonde.records import MdArray, PurgePlan, PurgeRecord, ReachedDevice, RebuiltArray
from iosonde.sources.purge_tools import (
    ToolRunner,
    array_name,
    assemble_array,
    create_array,
    create_words,
    stop_array,
    why_not,
)
from iosonde.store import forget_stopped_array, keep_purge, keep_stopped_array

LOOK_S: Final = 0.5
"""How often the synchronisation is looked at."""
IDLE_S_MAX: Final = 60.0
"""An array that is not consistent, and does nothing about it for as long, has failed."""


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

    @property
    def way_back(self) -> str:
        """What a user does if the array is not there afterwards."""
        return (
            f"the array is stopped and its contents are lost; stop it again if the system has assembled it (mdadm "
            f"--stop), purge its members by `iosonde prepare`, and create it: {' '.join(self.command)}"
        )


class ArrayPurge:
    """The purge of an array. ``sleep`` waits."""

    def __init__(self, host: Host, sleep: Callable[[float], None] = time.sleep) -> None:
        self._host = host
        self._sleep = sleep
        self._is_interrupted = False

    def plan(self, request: PurgeRequest, array: MdArray) -> ArrayPlan:
        """What the purge would destroy. Changes nothing. Raises TargetError for an array that cannot be rebuilt."""
        reason = why_not(array)
        if reason:
            raise TargetError(
                f"{request.target} could not be created again after a purge of its members: {reason}",
                "purge its members one by one, and create the array by mdadm; or use --purge discard, which the array "
                "passes on to its members",
            )
        named = array.model_copy(update={"name": array_name(self._runner(), array)})
        with preparation(self._host) as prepared:
            device, _ = prepared.survey(request.target)
            members = tuple(prepared.plan(request.of(each.path)) for each in array.in_place)
        shared = next((each for each in members if len(each.devices) > 1), None)
        if shared is not None:
            raise TargetError(
                f"{request.method} reaches other namespaces of the drive of {shared.devices[0].path}",
                "use a method for one namespace",
            )
        return ArrayPlan(device=device, array=named, members=members)

    def check(self, request: PurgeRequest, plan: ArrayPlan) -> None:
        """Raises UnpermittedWriteError if --destroy lacks the array or a member, or if one of them is in use."""
        check_named(request, plan.device, tuple(each.devices[0] for each in plan.members))

    def run(
        self, request: PurgeRequest, plan: ArrayPlan, observer: PurgeObserver, now: datetime
    ) -> tuple[PurgeRecord, ...]:
        """Purges the members and creates the array again. Returns a record for each member, which the caller keeps.

        Raises TargetError or KeyboardInterrupt if nothing was destroyed, and the array is there. Raises NotPurgedError
        or NotVerifiedError, with the command that creates the array, if it is not there as it was.
        """
        self.check(request, plan)
        # Written to disk first: after a power cut, nothing else records how the array was built.
        left = keep_stopped_array(plan.array, plan.command)
        try:
            records = self._stopped_and_purged(request, plan, observer, now)
        except _UntouchedError as untouched:
            forget_stopped_array(left)
            raise untouched.cause from untouched
        for each in records:
            # A record that cannot be stored must not prevent the array from being created again.
            with suppress(OutputError):
                keep_purge(each)
        failed = next(filter(None, map(error_of, records)), None)
        if failed is not None:
            raise type(failed)(failed.message, f"{failed.hint}; {plan.way_back}") from failed
        return self._created(request, plan, records, observer, left)

    def _stopped_and_purged(
        self, request: PurgeRequest, plan: ArrayPlan, observer: PurgeObserver, now: datetime
    ) -> tuple[PurgeRecord, ...]:
        """Stops the array and purges its members. Raises _UntouchedError if nothing was written, and it is there."""
        try:
            stop_array(self._runner(), plan.array)
        except (IosondeError, KeyboardInterrupt) as error:
            raise _UntouchedError(error) from error
        together = Together(observer, len(plan.members))
        try:
            self._check_interrupted()
            check_free(self._host, request, plan.device, plan.members)
            return self._members_purged(request, plan, together, now)
        except BaseException as error:
            if together.has_begun:
                self._lost(request, plan, error)
            assemble_array(self._runner(), plan.array)
            raise _UntouchedError(error) from error

    def _members_purged(
        self, request: PurgeRequest, plan: ArrayPlan, together: Together, now: datetime
    ) -> tuple[PurgeRecord, ...]:
        def purge(number: int) -> PurgeRecord:
            planned = plan.members[number].devices[0]
            try:
                with preparation(self._host) as prepared:
                    own = prepared.plan(request.of(planned.path))
                    device = own.devices[0]
                    same_drive(planned, device)
                    asked = request.of(planned.path, consents_for(request, plan.device, device))
                    return prepared.run(asked, own, together.part(number), now)
            except BaseException:
                together.abandon()
                raise

        with ThreadPoolExecutor(len(plan.members)) as pool:
            futures: list[Future[PurgeRecord]] = []
            try:
                futures += (pool.submit(purge, number) for number in range(len(plan.members)))
            except KeyboardInterrupt:
                together.interrupt()
            _await(futures, together)
        # Commands that cannot be stopped complete. The array is then created as usual, and the command ends afterwards.
        self._is_interrupted = self._is_interrupted or together.is_stopping
        errors = [error for error in (each.exception() for each in futures) if error is not None]
        if not errors:
            return tuple(each.result() for each in futures)
        for each in futures:
            if each.exception() is None:
                with suppress(OutputError):
                    keep_purge(each.result())
        raise first_error(errors, is_interrupted=self._is_interrupted)

    def _lost(self, request: PurgeRequest, plan: ArrayPlan, error: BaseException) -> NoReturn:
        reason = error.message if isinstance(error, IosondeError) else "it was interrupted"
        if not isinstance(error, IosondeError | KeyboardInterrupt):
            reason = f"{error!r}"
        message = f"not all members of {request.target} were purged: {reason}"
        raise NotPurgedError(message, plan.way_back) from error

    def _created(
        self,
        request: PurgeRequest,
        plan: ArrayPlan,
        records: tuple[PurgeRecord, ...],
        observer: PurgeObserver,
        left: Path,
    ) -> tuple[PurgeRecord, ...]:
        began_ns = time.monotonic_ns()
        try:
            with preparation(self._host) as prepared:
                for each in plan.members:
                    same_drive(each.devices[0], prepared.survey(each.devices[0].path)[0], after_purge=True)
            create_array(self._runner(), plan.array)
        except IosondeError as error:
            raise NotVerifiedError(error.message, plan.way_back) from error
        forget_stopped_array(left)
        self._settle()
        self._synchronise(plan.array, observer)
        synchronised_ns = time.monotonic_ns() - began_ns
        rebuilt = RebuiltArray(
            path=request.target, array=plan.array, command=plan.command, synchronised_ns=synchronised_ns
        )
        self._check_same(plan.array)
        self._check_interrupted()
        return tuple(each.model_copy(update={"array": rebuilt}) for each in records)

    def _synchronise(self, array: MdArray, observer: PurgeObserver) -> None:
        """Waits until the array is consistent. Raises NotVerifiedError if it does not become so."""
        observer.stage("synchronising")
        idle_s = 0.0
        while not (sync := self._host.md_sync(array.path)).is_done:
            idle_s = idle_s + LOOK_S if sync.action in {"idle", "frozen"} else 0.0
            if idle_s > IDLE_S_MAX:
                raise NotVerifiedError(f"{array.path} does not become consistent", "`mdadm --detail` says what failed")
            observer.progress(sync.done_permille)
            self._sleep(LOOK_S)

    def _check_same(self, array: MdArray) -> None:
        """Raises NotVerifiedError if the array is not as it was."""
        found = self._host.md_array(array.path)
        name = "" if found is None else array_name(self._runner(), found)
        now = {} if found is None else found.model_copy(update={"name": name}).model_dump()
        other = [field for field, value in array.model_dump().items() if now.get(field) != value]
        if other:
            raise NotVerifiedError(
                f"{array.path} is not as it was before it was created again: {', '.join(other)}",
                f"`mdadm --detail {array.path}` shows it as it is; the purge of its members is verified",
            )

    def _settle(self) -> None:
        """Waits for udev, if there is one: while it looks at the array, the guard would refuse to write to that."""
        with suppress(TargetError):
            self._runner().run("udevadm", "settle", "--timeout=10")

    def _runner(self) -> ToolRunner:
        """Runs mdadm to its end. An interruption is kept for afterwards."""
        return ToolRunner(self._host.command_prefix(), lambda: None, self._interrupt)

    def _interrupt(self) -> None:
        self._is_interrupted = True

    def _check_interrupted(self) -> None:
        if self._is_interrupted:
            raise KeyboardInterrupt


class _UntouchedError(Exception):
    """Nothing was written, and the array is there."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__()
        self.cause = cause


def first_error(errors: Sequence[BaseException], *, is_interrupted: bool) -> BaseException:
    """The most informative error. A purge that only waited for others, or was interrupted, does not know the cause."""
    told = next((each for each in errors if isinstance(each, IosondeError)), None)
    return told or (KeyboardInterrupt() if is_interrupted else errors[0])


def _await(futures: list[Future[PurgeRecord]], together: Together) -> None:
    """Waits for all. An interruption asks each to stop, and is waited for."""
    while True:
        try:
            wait(futures)
        except KeyboardInterrupt:
            together.interrupt()
        else:
            return
