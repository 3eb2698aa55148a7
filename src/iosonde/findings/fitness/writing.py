"""Whether a device may be written, and what speaks against it."""

import shlex
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from iosonde.findings.fitness.line import FitnessLine, State
from iosonde.records import DeviceInspection, PurgeRecord
from iosonde.vocabulary import PurgeOutcome

GROUP: Final = "Writing to the device"
TITLES: Final = {
    "identity": "identity",
    "writable": "accepts writes",
    "mounted": "not mounted",
    "swap": "not swap space",
    "held": "nothing built on it",
    "exclusive": "exclusive access",
    "open": "not open elsewhere",
    "exported": "not exported",
    "below": "nothing shares what is below",
    "paths": "one path only",
    "signature": "no data recognised",
    "system": "not below this system",
    "format": "format is handled",
}
"""The checks in the order in which they are shown, each as the fact that it confirms."""


LAST: Final = {
    PurgeOutcome.PURGED: (State.OK, ""),
    PurgeOutcome.NOT_PURGED: (State.WARNING, "data of before may survive"),
    PurgeOutcome.NOT_VERIFIED: (State.NOTE, "data of before may survive"),
}
"""How the outcome of the last purge is judged."""


def purge_line(record: PurgeRecord) -> FitnessLine:
    """How a device was purged last, as the kept record says."""
    state, reason = LAST[record.outcome]
    told = f"{record.outcome} by {record.purge.method}, {record.started_at}"
    return FitnessLine(GROUP, "last purge", told, state, reason)


def write_lines(
    inspection: DeviceInspection, ways_out: Mapping[str, str], consentable: Collection[str]
) -> Iterator[FitnessLine]:
    """The identity that a user has to name, and a line for each check."""
    identity = inspection.identity
    if identity is not None:
        yield FitnessLine(
            GROUP,
            "identity",
            identity.name,
            reason=f"its {identity.kind.replace('-', ' ')}",
            command=f"--destroy {shlex.quote(identity.name)}",
        )
    for check, title in TITLES.items():
        found = [each.evidence for each in inspection.refusals if each.check == check]
        for evidence in found:
            consent = " (consent is possible)" if check in consentable else ""
            yield FitnessLine(
                GROUP, f"{title} [{check}]", evidence, State.REFUSED, f"not written{consent}", ways_out.get(check, "")
            )
        if not found and check != "identity":
            yield FitnessLine(GROUP, f"{title} [{check}]", "yes")
