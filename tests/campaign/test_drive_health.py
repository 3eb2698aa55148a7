"""smartctl completes the health of drives that are not NVMe, outside measurements."""

import time
from collections.abc import Callable

import pytest

from iosonde.campaign.drive_health import SmartReader, merged
from iosonde.machine import ASLEEP
from iosonde.machine.local_host import LocalHost
from iosonde.records import CellRecord, Drive, DriveHealth, DriveState, Failure, HealthSource
from iosonde.vocabulary import FailureKind
from tests.builders import cell_plan, cell_record, workload

SENSOR = DriveHealth(
    source=HealthSource.HWMON, missing="it is not an NVMe drive", link="6.0 Gbps", temperature_celsius=40
)
NOTHING = DriveHealth.unknown("it is not an NVMe drive")
SMART = DriveHealth(source=HealthSource.SMARTCTL, power_cycles=7, temperature_celsius=41, warning_celsius=70)
LOG = DriveHealth(source=HealthSource.SMART_LOG, power_cycles=3)


class AnsweringHost(LocalHost):
    """A host on which smartctl answers for each disk in turn, and with the last answer from then on."""

    def __init__(self, *answers: DriveHealth, on_ask: Callable[[], None] = lambda: None) -> None:
        self._answers = list(answers)
        self._on_ask = on_ask
        self.asked: list[str] = []

    def smart_health(self, disk: str) -> DriveHealth:
        self.asked.append(disk)
        self._on_ask()
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


def trial(*states: DriveState, failure: Failure | None = None) -> CellRecord:
    return cell_record(cell_plan(workload()), {}).model_copy(update={"drives": states, "failure": failure})


def test_the_link_and_the_temperatures_of_the_kernel_are_kept() -> None:
    assert merged(SENSOR, SMART) == SMART.model_copy(update={"link": "6.0 Gbps", "temperature_celsius": 40})
    assert merged(NOTHING, SMART) == SMART


def test_without_an_answer_the_sensor_remains_with_the_reason() -> None:
    reason = DriveHealth.unknown("smartctl: no")
    assert merged(SENSOR, reason) == SENSOR.model_copy(update={"missing": "smartctl: no"})


def test_only_drives_that_the_engine_cannot_ask_are_asked() -> None:
    host = AnsweringHost(SMART)
    drives = [
        Drive(disk="sda", health=SENSOR),
        Drive(disk="sdb", health=NOTHING),
        Drive(disk="nvme0n1", health=LOG),
        Drive(disk="nvme1n1", health=DriveHealth.unknown("Permission denied")),
    ]
    found = SmartReader(host).completed(drives)
    assert host.asked == ["sda", "sdb"]
    assert [each.health.source for each in found] == ["smartctl", "smartctl", "smart_log", "none"]
    assert found[2:] == tuple(drives[2:])


def test_a_trial_has_what_smartctl_read_before_it_and_after_it() -> None:
    later = SMART.model_copy(update={"power_cycles": 8})
    reader = SmartReader(AnsweringHost(SMART, SMART, later))
    reader.completed([Drive(disk="sda", health=SENSOR)])
    before = reader.read()
    nvme = DriveState(disk="nvme0n1", before=LOG, health=LOG)
    record = reader.with_trial(trial(DriveState(disk="sda", before=SENSOR, health=SENSOR), nvme), before)
    was, now = record.drives[0].before, record.drives[0].health
    assert was is not None
    assert (was.power_cycles, now.power_cycles, now.link) == (7, 8, "6.0 Gbps")
    assert record.drives[1] == nvme


@pytest.mark.parametrize("kind", [FailureKind.STUCK, FailureKind.CHANGED])
def test_the_drives_of_a_target_that_is_gone_or_silent_are_left_alone(kind: FailureKind) -> None:
    host = AnsweringHost(SMART)
    reader = SmartReader(host)
    reader.completed([Drive(disk="sda", health=SENSOR)])
    failed = trial(DriveState(disk="sda", before=SENSOR, health=SENSOR), failure=Failure(kind=kind, message=""))
    assert reader.with_trial(failed, reader.read()) == failed
    assert len(host.asked) == 2


def test_without_such_drives_nothing_is_asked() -> None:
    host = AnsweringHost(SMART)
    reader = SmartReader(host)
    simulated = trial(DriveState(state_hash="1", health=DriveHealth()))
    assert reader.read() == {}
    assert reader.with_trial(simulated, {}) == simulated
    assert host.asked == []


def test_a_drive_that_has_never_answered_is_asked_once() -> None:
    host = AnsweringHost(DriveHealth.unknown("smartctl: Permission denied"))
    reader = SmartReader(host)
    reader.completed([Drive(disk="sda", health=NOTHING)])
    assert reader.read()["sda"].missing == "smartctl: Permission denied"
    assert host.asked == ["sda"]


def test_a_drive_that_was_asleep_or_has_answered_before_is_asked_again() -> None:
    host = AnsweringHost(DriveHealth.unknown(ASLEEP), SMART, DriveHealth.unknown("smartctl: no"), SMART)
    reader = SmartReader(host)
    (found,) = reader.completed([Drive(disk="sda", health=NOTHING)])
    assert found.health.missing == ASLEEP
    assert [reader.read()["sda"].source for _ in range(3)] == ["smartctl", "none", "smartctl"]


def test_a_drive_that_is_slow_to_say_nothing_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 0.0

    def pass_time() -> None:
        nonlocal now_s
        now_s += 10.0

    monkeypatch.setattr(time, "monotonic", lambda: now_s)
    host = AnsweringHost(SMART, DriveHealth.unknown("smartctl did not end within 10 s"), on_ask=pass_time)
    reader = SmartReader(host)
    reader.completed([Drive(disk="sda", health=NOTHING)])
    for _ in range(2):
        assert reader.read()["sda"].missing == "smartctl did not end within 10 s"
    assert host.asked == ["sda", "sda"]
