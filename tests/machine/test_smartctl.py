"""smartctl is called so that it changes nothing, and whatever keeps it from an answer is a reason and no error."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from iosonde.machine import smartctl
from iosonde.machine.smartctl import smart_health
from iosonde.records import HealthSource
from tests.machine.smart_reports import report, sata


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Puts a shell script on the PATH as smartctl, and a disk sda below ``tmp_path``."""
    (tmp_path / "sys/block/sda/device").mkdir(parents=True)
    (tmp_path / "sys/block/loop0").mkdir(parents=True)
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    def put(script: str) -> None:
        path = folder / "smartctl"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    return put


def printing(printed: dict[str, Any], status: int = 0) -> str:
    return f"echo '{json.dumps(printed)}'; exit {status}"


def test_the_call_asks_for_values_only_and_leaves_a_sleeping_drive_asleep(
    program: Callable[[str], None], tmp_path: Path
) -> None:
    program(f'echo "$@" > {tmp_path}/told; {printing(sata())}')
    assert smart_health("sda", tmp_path).source is HealthSource.SMARTCTL
    told = (tmp_path / "told").read_text().split()
    assert told[:3] == ["--json=c", "-n", "standby"]
    assert told[-1] == str(tmp_path / "dev/sda")
    # The options that change a setting, start a test or clear a log.
    assert not {"-s", "-o", "-S", "-t", "-X", "-x", "-C"} & set(told)


def test_a_report_with_an_exit_code_for_a_part_is_used(program: Callable[[str], None], tmp_path: Path) -> None:
    program(printing(sata() | {"smartctl": {"exit_status": 4 | 64}}, status=68))
    assert smart_health("sda", tmp_path).power_cycles == 40


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (
            printing(report("Smartctl open device: /dev/sda failed: Permission denied", exit_status=2), 2),
            "smartctl: Smartctl open device: /dev/sda failed: Permission denied",
        ),
        (
            printing(report("/dev/sda: Unknown USB bridge [0x1234:0x5678 (0x100)]", exit_status=1), 1),
            "smartctl: /dev/sda: Unknown USB bridge [0x1234:0x5678 (0x100)]",
        ),
        (
            printing(report("Device is in STANDBY mode, exit(2)", exit_status=2, device={}), 2),
            "the drive is in standby, and smartctl does not wake it",
        ),
        (
            printing(report(smart_support={"available": False})),
            "smartctl: the drive, or the bridge or controller before it, does not support SMART",
        ),
        (printing(report(smart_support={"available": True, "enabled": False})), "smartctl: SMART is disabled"),
        (printing(report(), 4), "smartctl reports no values of this drive"),
        ("echo no JSON", "the output of smartctl is not JSON"),
        ("echo '[1]'", "the output of smartctl is not JSON"),
        ("exit 1", "the output of smartctl is not JSON"),
        ("printf '\\377\\376'", "the output of smartctl is not JSON"),
        (printing(report("x" * 1000)), "smartctl: xxx"),
    ],
)
def test_without_values_there_is_the_reason(
    program: Callable[[str], None], tmp_path: Path, script: str, reason: str
) -> None:
    program(script)
    health = smart_health("sda", tmp_path)
    assert health.source is HealthSource.NONE
    assert health.missing.startswith(reason)
    assert len(health.missing) <= smartctl.REASON_MAX


def test_a_missing_program_is_a_reason(
    program: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del program
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert smart_health("sda", tmp_path).missing == smartctl.NOT_FOUND


def test_a_program_that_cannot_be_started_is_a_reason(program: Callable[[str], None], tmp_path: Path) -> None:
    program("")
    (tmp_path / "bin/smartctl").write_text("#!/nonexistent/shell\n")
    assert smart_health("sda", tmp_path).missing == "smartctl cannot be started: No such file or directory"


def test_virtual_devices_are_not_asked(program: Callable[[str], None], tmp_path: Path) -> None:
    program(f"touch {tmp_path}/called")
    assert smart_health("loop0", tmp_path).missing == "it is a virtual device"
    assert not (tmp_path / "called").exists()


def test_a_program_that_does_not_end_is_abandoned_in_time(
    program: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smartctl, "WAIT_S", 0.2)
    program("exec sleep 20")
    began_s = time.monotonic()
    assert smart_health("sda", tmp_path).missing == "smartctl did not end within 0 s"
    assert time.monotonic() - began_s < 10
