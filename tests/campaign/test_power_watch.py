"""Power is averaged over the measurement time, from counters of energy that go round, and from sensors of power."""

import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from iosonde.campaign import NullObserver, measure_in_memory, power_watch, preflight
from iosonde.campaign.power_watch import PowerWatch, check_power_command, power_of
from iosonde.errors import UsageError
from iosonde.machine import PowerSample, PowerSensor, power
from iosonde.machine.local_host import LocalHost
from iosonde.plans import TargetInfo
from iosonde.records import CellRecord, ClockPair, Phase, Plan, Power, PowerSource, SimulationFacts, Timing
from iosonde.sources import NullTarget, SimulatedDrive
from tests.builders import cell_plan, cell_record, interval_record, workload
from tests.stories.short_runs import short_plan, short_request

SECOND = 10**9
MS = 10**6
LONG_TIMING = Timing(warmup_ns=20 * MS, measure_ns=1500 * MS, interval_ns=100 * MS)
RANGE = 1_000_000_000
FIRST, SECOND_PACKAGE = (
    PowerSensor(PowerSource.CPU, name, name, counts_energy=True, energy_uj_max=RANGE)
    for name in ("package-0", "package-1")
)
COUNTER = PowerSensor(PowerSource.DRIVE, "nvme0n1", "energy", counts_energy=True)
DRIVE = PowerSensor(PowerSource.DRIVE, "nvme0n1", "drive")


def samples_of(*columns: Sequence[int | None]) -> list[PowerSample]:
    """A sample for each second, with the values of each sensor."""
    return [PowerSample(number * SECOND, tuple(values)) for number, values in enumerate(zip(*columns, strict=True))]


def test_the_power_of_packages_is_the_energy_between_the_first_and_the_last_sample() -> None:
    found = power_of(PowerSource.CPU, (FIRST, SECOND_PACKAGE), samples_of([0, 50_000_000, 80_000_000], [5, 5, 5]))
    assert found == Power(source=PowerSource.CPU, sensors=("package-0", "package-1"), power_uw=40_000_000, samples=3)


def test_a_counter_goes_on_at_0_above_its_range() -> None:
    found = power_of(PowerSource.CPU, (FIRST,), samples_of([RANGE - 10_000_000, 20_000_000, RANGE - 1, 9_999_999]))
    assert found is not None
    assert found.power_uw == pytest.approx((30e6 + RANGE - 20e6 + 10e6) / 3, abs=1)


def test_a_counter_of_a_drive_that_went_back_was_reset() -> None:
    found = power_of(PowerSource.DRIVE, (COUNTER,), samples_of([1_000_000, 3_000_000]))
    assert found is not None
    assert found.power_uw == 2_000_000
    assert power_of(PowerSource.DRIVE, (COUNTER,), samples_of([1_000_000, 3_000_000, 0])) is None


def test_the_power_of_drives_is_the_mean_of_their_samples() -> None:
    found = power_of(PowerSource.DRIVE, (FIRST, DRIVE), samples_of([0, 0], [8_000_000, 9_000_000]))
    assert found == Power(source=PowerSource.DRIVE, sensors=("nvme0n1",), power_uw=8_500_000, samples=2)


@pytest.mark.parametrize(
    ("sensors", "columns"),
    [
        ((), ()),
        ((FIRST,), ([7],)),
        ((FIRST,), ([7, None],)),
        ((FIRST, SECOND_PACKAGE), ([0, 5], [None, None])),
    ],
    ids=["no sensor", "one value", "one value left", "one package unknown"],
)
def test_too_few_values_are_no_power(sensors: tuple[PowerSensor, ...], columns: tuple[list[int | None], ...]) -> None:
    assert power_of(PowerSource.CPU, sensors, samples_of(*columns)) is None
    assert power_of(PowerSource.DRIVE, sensors, samples_of(*columns)) is None


class SampledHost(LocalHost):
    """A host whose sensor has its samples, and then waits for ever if it ``hangs``."""

    def __init__(self, samples: Sequence[PowerSample], *, hangs: bool = False) -> None:
        self._samples = iter(samples)
        self._hangs = hangs
        self.ended = threading.Event()
        self.last = threading.Event()

    def sample_power(self, sensors: tuple[PowerSensor, ...]) -> PowerSample:
        assert sensors == (DRIVE,)
        sample = next(self._samples, None)
        if sample is None:
            self.last.set()
            if self._hangs:
                self.ended.wait()
            return PowerSample(10**18, (None,))
        return sample


def trial() -> CellRecord:
    """A trial of the seconds 2 to 5 of the engine's clock, which is 100 s behind, after a warm-up of a second."""
    intervals = [
        interval_record(number, {}, start_ns=number * SECOND, end_ns=(number + 1) * SECOND, phase=phase)
        for number, phase in ((1, Phase.WARMUP), (2, Phase.MEASURE), (3, Phase.MEASURE), (4, Phase.MEASURE))
    ]
    clock = ClockPair(engine_ns=2 * SECOND, wall_ns=0, raw_ns=102 * SECOND)
    record = cell_record(cell_plan(workload()), {})
    return record.model_copy(update={"intervals": tuple(intervals), "clock_start": clock})


def watch(host: SampledHost, monkeypatch: pytest.MonkeyPatch) -> PowerWatch:
    monkeypatch.setattr(power_watch, "SAMPLE_S", 0.001)
    watched = PowerWatch(host, (DRIVE,), None)
    watched.begin()
    assert host.last.wait(20)
    watched.end()
    return watched


def test_only_the_samples_of_the_measurement_time_count(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = [PowerSample(at * SECOND, (at,)) for at in (101, 102, 103, 105, 106)]
    record = watch(SampledHost(samples), monkeypatch).taken(trial())
    assert record.power == (
        Power(source=PowerSource.DRIVE, sensors=("nvme0n1",), power_uw=round((102 + 103 + 105) / 3), samples=3),
    )


def test_a_trial_without_samples_or_clock_has_no_power(monkeypatch: pytest.MonkeyPatch) -> None:
    watched = watch(SampledHost([PowerSample(200 * SECOND, (7,))]), monkeypatch)
    assert watched.taken(trial()).power == ()
    assert watched.taken(trial().model_copy(update={"clock_start": None})).power == ()


def test_a_sensor_that_does_not_answer_is_left_alone_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(power_watch, "JOIN_S", 0.05)
    host = SampledHost([PowerSample(102 * SECOND, (7,))], hangs=True)
    watched = watch(host, monkeypatch)
    assert len(watched.taken(trial()).power) == 1
    threads = threading.active_count()
    watched.begin()
    assert threading.active_count() == threads
    host.ended.set()


def test_without_sensors_there_is_no_thread() -> None:
    threads = threading.active_count()
    watched = PowerWatch(LocalHost(), (), None)
    watched.begin()
    assert threading.active_count() == threads
    watched.end()
    assert watched.taken(trial()).power == ()


def test_a_command_that_could_measure_nothing_or_cannot_be_recorded_is_refused(tmp_path: Path) -> None:
    facts = SimulationFacts(model="mine", title="mine", table={}, seed=1)
    drive = SimulatedDrive(span_bytes=1 << 30, drive=facts)
    with pytest.raises(UsageError, match="virtual time"):
        check_power_command("echo 1", drive)
    check_power_command("", drive)
    null = NullTarget(span_bytes=1 << 30)
    check_power_command(f"{tmp_path}/meter --watts", null)
    for bad in ("echo 1\necho 2", "x" * 1001):
        with pytest.raises(UsageError, match="control character, or more than 1000"):
            check_power_command(bad, null)


class CountingHost(LocalHost):
    """A host with the sensors of a tree, in which a CPU package needs 40 W from the first sample on."""

    def __init__(self, tree: Path) -> None:
        self._zone = tree / "sys/class/powercap/intel-rapl:0"
        self._zone.mkdir(parents=True)
        for name, text in (("name", "package-0"), ("max_energy_range_uj", str(RANGE)), ("energy_uj", "0")):
            (self._zone / name).write_text(f"{text}\n")
        self._tree = tree

    def power_sensors(self, device_numbers: tuple[int, ...]) -> tuple[PowerSensor, ...]:
        return power.power_sensors(device_numbers, self._tree)

    def sample_power(self, sensors: tuple[PowerSensor, ...]) -> PowerSample:
        # A busy machine may let time pass between the value and its time.
        now_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        (self._zone / "energy_uj").write_text(f"{now_ns * 40 // 1000 % RANGE}\n")
        return replace(super().sample_power(sensors), raw_ns=now_ns)


def test_a_run_has_the_power_of_its_host_in_every_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(power_watch, "SAMPLE_S", 0.02)
    (tmp_path / "target").mkdir()

    def plan(ground: TargetInfo) -> Plan:
        found = short_plan(ground)
        cells = [each.model_copy(update={"timing": LONG_TIMING}) for each in found.cells[:1]]
        names = {each.cell for each in cells}
        turns = tuple(each for each in found.turns if each.cell in names)
        return found.model_copy(update={"cells": tuple(cells), "turns": turns})

    request = replace(short_request(tmp_path / "target"), host=CountingHost(tmp_path / "tree"), plan=plan)
    now = datetime.now(UTC)
    run = measure_in_memory(request, preflight(request, now), NullObserver(), now)
    assert len(run.cells) == 2
    for cell in run.cells:
        (found,) = (each for each in cell.power if each.source is PowerSource.CPU)
        assert found.sensors == ("package-0",)
        assert found.samples >= 2
        assert found.power_uw == pytest.approx(40e6, rel=1e-3)
