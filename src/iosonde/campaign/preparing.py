"""Purges a block device and reads it back: from its name to a record with a verdict."""

import secrets
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol

from iosonde import __version__
from iosonde.campaign.command_line import command_line
from iosonde.campaign.purge_tools import check_tool, is_by_a_tool, run_tool
from iosonde.campaign.purge_verdict import verdict
from iosonde.campaign.responsiveness import check_answers
from iosonde.campaign.simulated import check_real
from iosonde.errors import IosondeError, TargetError
from iosonde.machine import Host, WritePermit, permit_for
from iosonde.plans.build import SEED_BITS
from iosonde.printing import quoted
from iosonde.records import (
    DeviceIdentity,
    DeviceInspection,
    NvmeSurvey,
    Purge,
    PurgedDevice,
    PurgePlan,
    PurgeRecord,
    PurgeSurvey,
    ReachedDevice,
    ReadBack,
    Sampled,
)
from iosonde.sources import (
    BlockDevice,
    EngineSource,
    OpenRequest,
    find_engine,
    purge_devices,
    read_devices_back,
    sample_devices,
    survey_device,
)
from iosonde.sources.purge_tools import ToolRunner
from iosonde.store import stopped_array
from iosonde.vocabulary import PurgeMethod

HINT_DEVICE: Final = "specify a block device, such as /dev/nvme0n1"
PLACES: Final = 256
"""Places that are read by default: if a twentieth of the device was not erased, all of them miss it with a probability
of two in a million; if a hundredth was not, of 8 %."""


class PurgeObserver(Protocol):
    """Hears how a purge goes on."""

    def stage(self, name: str) -> None:
        """A stage begins: ``sampling``, ``purging`` or ``reading back``."""

    def progress(self, done_permille: int | None) -> None:
        """The part of the stage that is done; None if the drive does not tell it."""

    def interrupted(self) -> None:
        """The purge is asked to stop."""


class NullPurgeObserver:
    """Ignores all progress."""

    def stage(self, name: str) -> None:
        """Nothing."""

    def progress(self, done_permille: int | None) -> None:
        """Nothing."""

    def interrupted(self) -> None:
        """Nothing."""


@dataclass(frozen=True)
class PurgeRequest:
    """A purge as the user asks for it. ``places`` None reads all of each device. ``seed`` None draws one."""

    target: str
    method: PurgeMethod
    destroy: Collection[str]
    consents: tuple[str, ...]
    places: int | None = PLACES
    seed: int | None = None

    def of(self, member: str, consents: tuple[str, ...] | None = None) -> "PurgeRequest":
        """The same for a member of the array that was requested."""
        return replace(self, target=member, consents=self.consents if consents is None else consents)


class Preparation:
    """An engine for one preparation."""

    def __init__(self, source: EngineSource, host: Host) -> None:
        self._source = source
        self._host = host

    def survey(self, target: str) -> tuple[ReachedDevice, PurgeSurvey]:
        """A device, and what it offers to purge it. Changes nothing. Raises TargetError."""
        path = self._device(target)
        return ReachedDevice(path=target, inspection=self._source.inspect(path)), survey_device(self._source, path)

    def plan(self, request: PurgeRequest) -> PurgePlan:
        """What a purge would destroy. Changes nothing.

        Raises TargetError for a method that the device does not support.
        """
        device, survey = self.survey(request.target)
        _check_volume(request, self._host.raid_volume(request.target))
        _check_supported(request, survey)
        devices = [device]
        if survey.nvme is not None and request.method in survey.nvme.reaching_all:
            devices += self._others(request, survey.nvme)
        estimate_s = None
        if is_by_a_tool(request.method):
            estimate_s = check_tool(self._host.command_prefix(), request.method, survey, self._device(request.target))
        return PurgePlan(
            method=request.method,
            survey=survey,
            devices=tuple(devices),
            places=request.places,
            tool_estimate_s=estimate_s,
        )

    def run(self, request: PurgeRequest, plan: PurgePlan, observer: PurgeObserver, now: datetime) -> PurgeRecord:
        """Purges all devices of a plan and reads them back. Raises TargetError if nothing was destroyed."""
        permits = [permit_for(each.path, each.inspection, request.destroy, request.consents) for each in plan.devices]
        seed = secrets.randbits(SEED_BITS) if request.seed is None else request.seed
        for each, permit in zip(plan.devices, permits, strict=True):
            self._open(each, permit)
        observer.stage("sampling")
        own_method = None if is_by_a_tool(request.method) else request.method
        sampled = sample_devices(self._source, own_method, request.places, seed, observer.progress)
        observer.stage("purging")
        purge = self._purge(request, observer)
        found: tuple[ReadBack, ...] | None = None
        if purge.end not in {"stopped", "left_running"}:
            observer.stage("reading back")
            found = self._read_back(observer)
        devices = _purged(plan, sampled, found)
        outcome, reasons = verdict(purge, devices)
        return PurgeRecord(
            iosonde_version=__version__,
            command=command_line(),
            started_at=now.isoformat(timespec="seconds"),
            seed=seed,
            consents=request.consents,
            survey=plan.survey,
            outcome=outcome,
            reasons=reasons,
            purge=purge,
            devices=devices,
        )

    def _purge(self, request: PurgeRequest, observer: PurgeObserver) -> Purge:
        if not is_by_a_tool(request.method):
            return purge_devices(self._source, request.method, observer.progress, observer.interrupted)
        runner = ToolRunner(self._host.command_prefix(), lambda: observer.progress(None), observer.interrupted)
        began_ns = time.monotonic_ns()
        device = self._device(request.target)
        number = self._host.look(str(device)).device_number
        end, reason = run_tool(runner, request.method, self._source, device, number)
        return Purge(
            method=request.method,
            end=end,
            reason=reason,
            duration_ns=time.monotonic_ns() - began_ns,
            before=None,
            after=None,
            changed=None,
        )

    def _read_back(self, observer: PurgeObserver) -> tuple[ReadBack, ...] | None:
        # The purge has happened, so it leaves a record whatever happens now.
        try:
            return read_devices_back(self._source, observer.progress)
        except IosondeError:
            return None
        except KeyboardInterrupt:
            observer.interrupted()
            return None

    def _device(self, target: str) -> Path:
        check_real(target, HINT_DEVICE)
        check_answers(self._host, (Path(target),))
        try:
            found = self._host.look(target)
        except OSError as error:
            way_back = stopped_array(target)
            hint = f"a purge has left this array stopped; {way_back}" if way_back else HINT_DEVICE
            raise TargetError(f"{target}: {error.strerror}", hint) from error
        if found.kind != "device":
            raise TargetError(f"{target} is not a block device", HINT_DEVICE)
        return Path(found.block)

    def _others(self, request: PurgeRequest, nvme: NvmeSurvey) -> list[ReachedDevice]:
        """The other namespaces that the method destroys. Raises TargetError if one of them cannot be inspected."""
        if nvme.unlisted is not None:
            raise TargetError(
                f"{request.method} destroys all namespaces of the drive, and they cannot all be listed: "
                f"{nvme.unlisted}",
                _hint_for_one_namespace(nvme),
            )
        nodes = {each.namespace: each.name for each in nvme.nodes}
        others = [number for number in nvme.namespaces if number != nvme.namespace_id]
        unseen = [number for number in others if number not in nodes]
        if unseen:
            raise TargetError(
                f"{request.method} destroys all namespaces of the drive, also {_numbered(unseen)}, which no block "
                "device leads to, so its use cannot be checked",
                f"attach or delete that namespace first; {_hint_for_one_namespace(nvme)}",
            )
        paths = [Path("/dev") / nodes[number] for number in others]
        return [ReachedDevice(path=str(path), inspection=self._source.inspect(path)) for path in paths]

    def _open(self, device: ReachedDevice, permit: WritePermit) -> None:
        path = self._device(device.path)
        target = BlockDevice(path=path, named=Path(device.path), span_bytes=permit.size_bytes, permit=permit)
        self._source.open(OpenRequest(target, write=True, direct=True))


@contextmanager
def preparation(host: Host) -> Iterator[Preparation]:
    """An engine for one preparation, which ends with it."""
    source = EngineSource([*host.command_prefix(), find_engine()])
    try:
        yield Preparation(source, host)
    finally:
        source.end()


def _check_volume(request: PurgeRequest, controller: str) -> None:
    """Raises TargetError for a volume of a hardware RAID controller, of which only blocks can be discarded."""
    if controller and request.method is not PurgeMethod.DISCARD:
        raise TargetError(
            f"{request.target} is a volume of a RAID controller ({controller}), and the drives below it cannot be "
            f"reached through it, so {request.method} would not erase them",
            "erase the drives with the tool of the controller, or attach them without it; iosonde can measure the "
            "volume without a purge, and reports that",
        )


def _check_supported(request: PurgeRequest, survey: PurgeSurvey) -> None:
    """Raises TargetError for a method that the device does not support."""
    name, hint = request.target, f"`iosonde prepare {quoted(request.target)}` lists the methods that it supports"
    if request.method is PurgeMethod.DISCARD:
        if not survey.discard.max_bytes:
            raise TargetError(f"{name} does not support discards", hint)
        return
    if survey.is_partition:
        raise TargetError(
            f"{request.method} erases the whole drive, and {name} is a partition",
            "specify the whole drive, or use --purge discard",
        )
    if is_by_a_tool(request.method):
        return
    if survey.nvme is None:
        told = "" if survey.nvme_error is None else f": {survey.nvme_error}"
        raise TargetError(f"{request.method} requires an NVMe namespace, and {name} is not one{told}", hint)
    if request.method not in survey.nvme.methods:
        raise TargetError(f"the drive of {name} does not support {request.method}", hint)


def _purged(
    plan: PurgePlan, sampled: tuple[Sampled, ...], found: tuple[ReadBack, ...] | None
) -> tuple[PurgedDevice, ...]:
    read: tuple[ReadBack | None, ...] = (None,) * len(sampled) if found is None else found
    return tuple(
        PurgedDevice(path=each.path, identity=_identity(each.inspection), sampled=before, read_back=after)
        for each, before, after in zip(plan.devices, sampled, read, strict=True)
    )


def _identity(inspection: DeviceInspection) -> DeviceIdentity:
    assert inspection.identity is not None, "a device without an identity gets no permit"
    return inspection.identity


def _numbered(numbers: list[int]) -> str:
    return f"namespace{'' if len(numbers) == 1 else 's'} {', '.join(str(each) for each in numbers)}"


def _hint_for_one_namespace(nvme: NvmeSurvey) -> str:
    single = [each for each in nvme.methods if each not in nvme.reaching_all]
    return f"use a method for one namespace: {', '.join([*single, PurgeMethod.DISCARD])}"
