"""Rules about block devices that were read as they were."""

from collections.abc import Iterator

from iosonde.findings.case import Case, distinct, name_some
from iosonde.findings.model import Confidence, Finding, Severity


def written_unknown(case: Case) -> Iterator[Finding]:
    """Nobody knows whether the blocks that were read had ever been written."""
    devices = tuple(target.path for target in case.run.header.targets if target.kind == "device")
    if devices:
        yield Finding(
            id="written-unknown",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.POSSIBLE,
            statement=(
                f"Whether the blocks of {name_some(devices)} had ever been written is unknown: a drive answers reads "
                "of blocks that never were, or were trimmed, without its medium, and faster than any others."
            ),
            evidence=tuple(("only read", path) for path in devices),
            advice="Take reads for the drive's own only where data fills what was read; on a new drive they are not.",
            deciding_test="The same reads on a file that iosonde fills, on a file system on the device.",
        )


def device_in_use(case: Case) -> Iterator[Finding]:
    """Somebody else does I/O on the device, or may."""
    uses = distinct(str(use) for target in case.run.header.targets for use in target.uses)
    if uses:
        yield Finding(
            id="device-in-use",
            severity=Severity.DOUBTFUL,
            confidence=Confidence.POSSIBLE,
            statement=(
                f"The device is in use: {name_some(uses)}. What others did on it meanwhile is in the figures, and what "
                "was measured was in their way."
            ),
            evidence=tuple(("in use", use) for use in uses),
            advice="Unmount and stop what uses it, or measure while it is idle, and look at the spread of the repeats.",
            deciding_test="The same run with nothing mounted on it.",
        )


DEVICE_RULES = (
    written_unknown,
    device_in_use,
)
