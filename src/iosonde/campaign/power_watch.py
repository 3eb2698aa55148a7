"""Samples the power of drives, CPU packages and the user's command while a trial is measured."""

import threading
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from iosonde.errors import UsageError
from iosonde.machine import Host, PowerSample, PowerSensor
from iosonde.records import CellRecord, Power, PowerSource
from iosonde.sources import PowerCommand, SimulatedDrive, Target
from iosonde.units import SECOND_NS
from iosonde.vocabulary import Phase

SAMPLE_S: Final = 1.0
"""A read of a sensor may cost the drive a command, and that of a package wakes one of its CPUs."""
JOIN_S: Final = 2.0
"""A thread that needs longer waits for a sensor that does not answer. Then no sensor is read any more."""

COMMAND_LENGTH_MAX: Final = 1000


def check_power_command(command: str, target: Target) -> None:
    """Raises UsageError for a command that could measure nothing, or that cannot be recorded."""
    if not command:
        return
    if isinstance(target, SimulatedDrive):
        raise UsageError(
            "--power-command cannot measure a simulated drive, which runs in virtual time", "omit --power-command"
        )
    if not command.isprintable() or len(command) > COMMAND_LENGTH_MAX:
        raise UsageError(
            f"--power-command has a control character, or more than {COMMAND_LENGTH_MAX} characters",
            "write the command into a script, and specify its path",
        )


class PowerWatch:
    """Samples sensors once a second from ``begin`` to ``end``, in a thread of its own. Without sensors it has none."""

    def __init__(self, host: Host, sensors: tuple[PowerSensor, ...], command: PowerCommand | None) -> None:
        self._host = host
        self._sensors = sensors
        self._command = command
        self._samples: list[PowerSample] = []
        self._ends = threading.Event()
        self._thread: threading.Thread | None = None
        self._is_stuck = False

    def begin(self) -> None:
        """A measurement begins."""
        if not self._sensors or self._is_stuck:
            return
        # New ones, since an earlier thread that still waits must not add to them, or end this one.
        self._samples, self._ends = [], threading.Event()
        thread = threading.Thread(target=self._watch, args=(self._samples, self._ends), name="power", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            # The limit of processes is reached. Power is not worth a failed run.
            return
        self._thread = thread

    def end(self) -> None:
        """The measurement has ended."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._ends.set()
            thread.join(JOIN_S)
            self._is_stuck = thread.is_alive()

    def taken(self, record: CellRecord) -> CellRecord:
        """The record of the trial that has just ended, with its power."""
        window = _window(record)
        found = () if window is None else tuple(self._powers(*window))
        return record.model_copy(update={"power": found}) if found else record

    def _watch(self, samples: list[PowerSample], ends: threading.Event) -> None:
        while True:
            samples.append(self._host.sample_power(self._sensors))
            if ends.wait(SAMPLE_S):
                return

    def _powers(self, from_ns: int, to_ns: int) -> Iterator[Power]:
        within = [sample for sample in tuple(self._samples) if from_ns <= sample.raw_ns <= to_ns]
        for source in (PowerSource.DRIVE, PowerSource.CPU):
            power = power_of(source, self._sensors, within)
            if power is not None:
                yield power
        values = [] if self._command is None else self._command.samples(from_ns, to_ns)
        if values:
            yield Power(source=PowerSource.COMMAND, power_uw=round(sum(values) / len(values)), samples=len(values))


def power_of(source: PowerSource, sensors: Sequence[PowerSensor], samples: Sequence[PowerSample]) -> Power | None:
    """The mean power of the sensors of a source; None if it has none, or if one of them has too few values."""
    places = [place for place, sensor in enumerate(sensors) if sensor.source is source]
    means = [_mean_uw(sensors[place], [(each.raw_ns, each.values[place]) for each in samples]) for place in places]
    known = [mean for mean in means if mean is not None]
    if not known or len(known) < len(places):
        return None
    return Power(
        source=source,
        sensors=tuple(sensors[place].name for place in places),
        power_uw=round(sum(known)),
        samples=len(samples),
    )


def _mean_uw(sensor: PowerSensor, values: Sequence[tuple[int, int | None]]) -> float | None:
    known = [(at_ns, value) for at_ns, value in values if value is not None]
    if not sensor.counts_energy:
        return sum(value for _, value in known) / len(known) if known else None
    if len(known) < 2:  # noqa: PLR2004 - both ends of a time
        return None
    passed_ns = known[-1][0] - known[0][0]
    # Between two samples, a counter goes round at most once: a package would need kilowatts for more.
    ranges = sum(after < before for (_, before), (_, after) in pairwise(known))
    if not passed_ns or (ranges and sensor.energy_uj_max is None):
        return None
    spent_uj = known[-1][1] - known[0][1] + ranges * (sensor.energy_uj_max or 0)
    return spent_uj * SECOND_NS / passed_ns


def _window(record: CellRecord) -> tuple[int, int] | None:
    """The measurement time of a trial (CLOCK_MONOTONIC_RAW); None if it is unknown, and in virtual time."""
    measured = [each for each in record.intervals if each.phase is Phase.MEASURE]
    start = record.clock_start
    if start is None or not measured:
        return None
    offset_ns = start.raw_ns - start.engine_ns
    return min(each.start_ns for each in measured) + offset_ns, max(each.end_ns for each in measured) + offset_ns
