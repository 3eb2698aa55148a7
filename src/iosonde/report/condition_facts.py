"""The state of host and devices at the start of a run, as `iosonde doctor` judges it, and what changed by its end."""

from collections.abc import Iterator
from typing import Any, Final

from iosonde.charts.quantities import NO_VALUE
from iosonde.findings.fitness import FitnessLine, State, device_lines, host_lines
from iosonde.records import DeviceState, HostState, RunHeader, RunRecord
from iosonde.records.target import flattened
from iosonde.report.blocks import FactGroup

NOTHING_WRONG: Final = "nothing that would spoil a measurement"


def condition_groups(run: RunRecord) -> Iterator[FactGroup]:
    """What doctor would have noted at the start of the run, and the settings that differ at its end."""
    header = run.header
    if header.host_state is not None:
        noted = [_pair(line) for line in _lines(header, header.host_state) if line.state is not State.OK]
        yield FactGroup("Conditions at the start", tuple(noted) or (("noted", NOTHING_WRONG),))
    changed = tuple(_changed(run))
    if changed:
        yield FactGroup("Changed by the end", changed)


def _lines(header: RunHeader, host: HostState) -> Iterator[FitnessLine]:
    yield from host_lines(header.host, host)
    for target, state in zip(header.targets, header.device_states, strict=False):
        if target.device is not None and state is not None:
            yield from device_lines(target.device, state, target.uses)


def _pair(line: FitnessLine) -> tuple[str, str]:
    return line.subject, f"{line.value} ({line.reason})" if line.reason else line.value


def _changed(run: RunRecord) -> Iterator[tuple[str, str]]:
    """Each setting of a device that was another at the end. Load, steal time and I/O always change."""
    end = run.end
    if end is None:
        return
    for before, after in zip(run.header.device_states, end.device_states, strict=False):
        if before is None or after is None:
            continue
        was, now = (dict(flattened(_settings(each))) for each in (before, after))
        for key, value in was.items():
            if value != now.get(key):
                yield f"{before.name}: {key}", f"{_text(value)}, at the end {_text(now.get(key))}"


def _settings(state: DeviceState) -> dict[str, Any]:
    return state.model_dump(exclude={"traffic", "name"})


def _text(value: object) -> str:
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value)) or NO_VALUE
    return NO_VALUE if value is None or value == "" else str(value)
