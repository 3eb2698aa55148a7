"""The I/O scheduler and the CPUs of the host: named, not named, too few data."""

import pytest

from iosonde.explanations import Mechanism
from iosonde.findings.finding import Confidence
from iosonde.records import DeviceCounts, RequestCounts, RunRecord
from tests.builders import finding, workload
from tests.explanations.marks import explained, on_device, on_target, thrice
from tests.sweep_builder import run_of_cells

NOTHING = RequestCounts(count=0, merged=0, bytes=0, request_ns=0)


def counted(merged: int, count: int = 1000) -> RunRecord:
    """A run of reads in which the kernel merged some requests, directly on a device."""
    run = run_of_cells({workload(): thrice(100)})
    reads = RequestCounts(count=count, merged=merged, bytes=0, request_ns=0)
    device = DeviceCounts(
        device="nvme0n1",
        targets=(0,),
        by_request=True,
        elapsed_ns=10**9,
        read=reads,
        write=NOTHING,
        trim=NOTHING,
        flush=NOTHING,
    )
    cells = tuple(record.model_copy(update={"devices": (device,)}) for record in run.cells)
    return on_target(run.model_copy(update={"cells": cells}), kind="device")


def test_merged_requests_show_the_scheduler() -> None:
    found = explained(on_device(counted(merged=1000), scheduler="mq-deadline"))[Mechanism.SCHEDULER]
    assert found.confidence is Confidence.LIKELY
    assert "merged 50 % of the requests to nvme0n1" in found.evidence[0]
    assert any("mq-deadline" in each for each in found.evidence)


@pytest.mark.parametrize(("merged", "count"), [(0, 1000), (10, 1000), (0, 0)])
def test_few_merged_requests_or_none_show_no_scheduler(merged: int, count: int) -> None:
    assert Mechanism.SCHEDULER not in explained(counted(merged, count))


def test_without_a_scheduler_merged_requests_have_another_reason() -> None:
    found = explained(counted(merged=1000))[Mechanism.SCHEDULER]
    assert found.confidence is Confidence.POSSIBLE
    assert any("no I/O scheduler" in each for each in found.against)


def test_the_finding_of_a_busy_thread_shows_the_cpu() -> None:
    busy = finding("host-limited", cells=("random-read-4KiB-qd8",))
    assert Mechanism.CPU_BOUND in explained(counted(merged=0), [busy])
    assert Mechanism.CPU_BOUND not in explained(counted(merged=0), [finding("virtual-disk")])
