"""The state of host and devices at the start of a run, and what is another at its end."""

from iosonde.records import (
    DeviceState,
    HostState,
    IdleState,
    LinkFacts,
    QueueSettings,
    RunRecord,
    SessionEnd,
    Traffic,
)
from iosonde.report.condition_facts import NOTHING_WRONG, condition_groups
from tests.builders import host_facts, run_record

CALM = HostState(
    load_1m=0.0, steal_percent=0.0, idle_states=(IdleState(name="C1", exit_latency_ns=2000, disabled=False),)
)
QUIET = DeviceState(
    name="nvme0n1",
    queue=QueueSettings(scheduler="none", nr_requests=1023, max_sectors_kb=1280, max_hw_sectors_kb=2048),
    link=LinkFacts(kind="pcie", speed="16.0 GT/s PCIe", speed_max="16.0 GT/s PCIe", width=4, width_max=4),
    stack=("nvme0n1",),
    traffic=Traffic(reads_per_s=0, writes_per_s=0, bytes_per_s=0, in_flight=0),
)


def run_with(host: HostState | None = CALM, before: DeviceState = QUIET, after: DeviceState = QUIET) -> RunRecord:
    run = run_record([], [])
    fast = host_facts().model_copy(
        update={"governor": "performance", "clock_source": "tsc", "virtual_machine": "", "turbo": "off"}
    )
    header = run.header.model_copy(update={"host": fast, "host_state": host, "device_states": (before,)})
    end = SessionEnd(finished=True, host_state=host, device_states=(after,))
    return run.model_copy(update={"header": header, "end": end})


def groups(run: RunRecord) -> dict[str, dict[str, str]]:
    return {group.title: dict(group.facts) for group in condition_groups(run)}


def test_what_doctor_would_note_is_listed_with_the_reason() -> None:
    busy = QUIET.model_copy(
        update={"traffic": Traffic(reads_per_s=500, writes_per_s=0, bytes_per_s=2_048_000, in_flight=3)}
    )
    noted = groups(run_with(CALM.model_copy(update={"load_1m": 64.0}), busy))["Conditions at the start"]
    assert noted["load"] == "64.00 (other processes use the CPUs)"
    assert noted["I/O now"].endswith("(others use the device)")
    assert "link" not in noted


def test_a_setting_that_changed_has_both_values_and_traffic_is_no_setting() -> None:
    after = QUIET.model_copy(
        update={"queue": QUIET.queue.model_copy(update={"scheduler": "mq-deadline"}), "traffic": None}
    )
    assert groups(run_with(after=after))["Changed by the end"] == {
        "nvme0n1: queue.scheduler": "none, at the end mq-deadline"
    }
    assert "Changed by the end" not in groups(run_with())


def test_a_run_without_recorded_conditions_has_no_group() -> None:
    assert groups(run_with(None)) == {}


def test_if_nothing_is_noted_that_is_said() -> None:
    run = run_with()
    (target,) = run.header.targets
    assert target.device is not None
    through = target.device.model_copy(update={"write_cache": "write through"})
    header = run.header.model_copy(update={"target": target.model_copy(update={"device": through})})
    found = groups(run.model_copy(update={"header": header}))["Conditions at the start"]
    assert found == {"noted": NOTHING_WRONG}
