"""Collects the facts about a host and a target that ``iosonde doctor`` judges. It changes nothing."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from iosonde.campaign.drive_health import SmartReader
from iosonde.campaign.simulated import check_real
from iosonde.errors import IosondeError, TargetError
from iosonde.findings.fitness import (
    FitnessLine,
    State,
    device_lines,
    health_lines,
    host_lines,
    path_lines,
    purge_line,
    settings_lines,
    write_lines,
)
from iosonde.machine import CONSENTABLE, WAYS_OUT, Host, PathFacts
from iosonde.records import DeviceInspection, Drive
from iosonde.sources import EngineSource, find_engine
from iosonde.store import kept_settings, last_purge

HINT_TARGET: Final = "specify a file, a directory or a block device"
SAMPLE_S: Final = 1.0
"""How long other I/O and steal time are watched."""


@dataclass(frozen=True)
class Examination:
    """The lines about the host and about the target."""

    lines: tuple[FitnessLine, ...]


def examine(host: Host, target: str | None, *, sample_s: float = SAMPLE_S) -> Examination:
    """Examines this host, and a target if there is one. Raises TargetError for a target that cannot be accessed."""
    found = None if target is None else _look(host, target)
    number = None if found is None else found.device_number
    before, began_ns = host.counters(number), time.monotonic_ns()
    time.sleep(sample_s)
    elapsed_ns = time.monotonic_ns() - began_ns
    state = None if number is None else host.device_state(number, before, elapsed_ns)
    # Asked last: the guard reads the ends of the device, which would be seen as others' I/O.
    answers = _ask_engine(host, found, target)
    lines = [*settings_lines(kept_settings()), *host_lines(host.facts(), host.state(before, answers.refused))]
    if target is not None and found is not None:
        if found.kind != "device":
            lines += path_lines(host.file_system(target))
        facts = host.device(target)
        if facts is not None and state is not None:
            lines += device_lines(facts, state, host.uses(found.device_number))
        lines += health_lines(SmartReader(host).completed(answers.drives))
        lines += _writing(answers.inspection)
    return Examination(tuple(lines))


def _look(host: Host, target: str) -> PathFacts:
    check_real(target, HINT_TARGET)
    try:
        found = host.look(target)
    except OSError as error:
        raise TargetError(f"{target}: {error.strerror}", HINT_TARGET) from error
    if found.kind == "other":
        raise TargetError(f"{target} is not a file, directory or block device", HINT_TARGET)
    return found


@dataclass(frozen=True)
class _Answers:
    """What the engine says: why io_uring is not available, the health of drives, and what its guard finds."""

    refused: str
    drives: tuple[Drive, ...] = ()
    inspection: DeviceInspection | IosondeError | None = None


def _ask_engine(host: Host, found: PathFacts | None, target: str | None) -> _Answers:
    source = EngineSource([*host.command_prefix(), find_engine()])
    try:
        refused = source.hello.io_uring_refused or ""
        if found is None or target is None:
            return _Answers(refused)
        is_device = found.kind == "device"
        drives = source.health(Path(found.block if is_device else target))
        if not is_device:
            return _Answers(refused, drives)
        try:
            return _Answers(refused, drives, source.inspect(Path(found.block)))
        except TargetError as error:
            return _Answers(refused, drives, error)
    finally:
        source.end()


def _writing(inspection: DeviceInspection | IosondeError | None) -> list[FitnessLine]:
    match inspection:
        case DeviceInspection():
            last = None if inspection.identity is None else last_purge(inspection.identity)
            purged = [] if last is None else [purge_line(last)]
            return [*write_lines(inspection, WAYS_OUT, CONSENTABLE), *purged]
        case IosondeError():
            return [
                FitnessLine(
                    "Writing to the device", "checks", "unknown", State.UNKNOWN, inspection.message, inspection.hint
                )
            ]
        case None:
            return []
