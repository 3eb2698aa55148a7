"""A purge of a device, or of the members of an array."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from iosonde.campaign.array_purge import ArrayPlan, ArrayPurge
from iosonde.campaign.preparing import PurgeObserver, PurgeRequest, preparation
from iosonde.campaign.responsiveness import check_answers
from iosonde.machine import Host
from iosonde.records import MdArray, PurgePlan, PurgeRecord, PurgeSurvey, ReachedDevice
from iosonde.sources.purge_tools import why_not
from iosonde.vocabulary import PurgeMethod


@dataclass(frozen=True)
class Surveyed:
    """A device, and what it offers to purge it; for an array also what each of its members does, in their order."""

    device: ReachedDevice
    survey: PurgeSurvey
    array: MdArray | None = None
    members: tuple[tuple[ReachedDevice, PurgeSurvey], ...] = ()

    @property
    def why_not(self) -> str:
        """Why the array cannot be created again after a purge of its members; empty if it can."""
        return "" if self.array is None else why_not(self.array)


class Purging:
    """The purge of a target. A discard of an array reaches its members through the array."""

    def __init__(self, host: Host, request: PurgeRequest) -> None:
        self._host = host
        self._request = request
        check_answers(host, (Path(request.target),))
        array = None if request.method is PurgeMethod.DISCARD else host.md_array(request.target)
        self.plan: PurgePlan | ArrayPlan
        if array is None:
            with preparation(host) as prepared:
                self.plan = prepared.plan(request)
        else:
            self.plan = ArrayPurge(host).plan(request, array)

    def check(self) -> None:
        """Raises UnpermittedWriteError for an array that must not be written, or whose members must not be."""
        if isinstance(self.plan, ArrayPlan):
            ArrayPurge(self._host).check(self._request, self.plan)

    def run(self, observer: PurgeObserver, now: datetime) -> tuple[PurgeRecord, ...]:
        """Purges what is planned: a record, or one for each member. Raises TargetError if nothing was destroyed."""
        if isinstance(self.plan, ArrayPlan):
            return ArrayPurge(self._host).run(self._request, self.plan, observer, now)
        with preparation(self._host) as prepared:
            return (prepared.run(self._request, self.plan, observer, now),)


def survey(host: Host, target: str) -> Surveyed:
    """What a target offers to purge it. Changes nothing. Raises TargetError."""
    with preparation(host) as prepared:
        device, own = prepared.survey(target)
        array = host.md_array(target)
        if array is None:
            return Surveyed(device, own)
        return Surveyed(device, own, array, tuple(prepared.survey(each.path) for each in array.in_place))
