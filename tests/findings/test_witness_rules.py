"""What is said of the kernel's counts beside the engine's."""

from iosonde.findings import Severity
from tests.findings.test_rules import MS, alone, counted, only, run_of, three


def test_data_that_did_not_reach_the_device_is_told_with_both_rates() -> None:
    found = only(run_of(*three(**counted(0.5))), "device-counts-differ")
    assert "32.8 MB/s of reads, and 16.4 MB/s at the device (-50.0%)" in found.statement
    assert "page cache" in found.advice


def test_data_that_nobody_asked_for_is_told_of_a_device_that_nobody_else_uses() -> None:
    found = only(alone(*three(**counted(1.5))), "device-counts-differ")
    assert "(+50.0%)" in found.statement
    assert "Something else used the device" in found.advice


def test_a_latency_below_that_of_the_device_is_none() -> None:
    found = only(alone(*three(**counted(latency_ns=2 * MS))), "device-times-differ")
    assert found.severity is Severity.INVALID
    assert "1,000 us, and 2,000 us at the device" in found.statement


def test_a_latency_far_above_that_of_the_device_is_partly_the_host() -> None:
    found = only(alone(*three(**counted(latency_ns=MS // 2))), "device-times-differ")
    assert found.severity is Severity.DOUBTFUL
    assert "host" in found.advice
