"""Block devices and namespaces as targets: what is refused before an engine is started."""

from dataclasses import replace
from pathlib import Path

import pytest

from iosonde.campaign.devices import check_commands, check_device, check_same_device
from iosonde.campaign.engines import check_poll, choose_engine
from iosonde.errors import EngineError, TargetError, UsageError
from iosonde.machine import PathFacts
from iosonde.machine.local_host import LocalHost
from iosonde.plans import check_transfers
from iosonde.records import Engine, EngineHello, Identity, NamespaceFacts
from iosonde.sources import BlockDevice
from iosonde.vocabulary import EngineChoice, Poll
from tests.builders import cell_plan, run_record, workload

BLOCK, GENERIC, SDA = Path("/dev/nvme0n1"), Path("/dev/ng0n1"), Path("/dev/sda")
GIB = 1 << 30
READABLE = PathFacts(kind="device", device_number=0, size_bytes=GIB, may_read=True, block=str(BLOCK))
NAMESPACE = NamespaceFacts(number=1, block_bytes=512, transfer_bytes_max=128 << 10)


def hello(*engines: Engine) -> EngineHello:
    return EngineHello(version="0.1.0", protocol=1, build_profile="release", engines=engines, io_uring_refused=None)


def device(named: Path) -> BlockDevice:
    return BlockDevice(path=BLOCK, named=named, generic=GENERIC, span_bytes=GIB)


def test_what_writes_and_what_overwrites_is_refused_with_what_only_reads() -> None:
    with pytest.raises(TargetError, match=r"^the profile lab would destroy the contents of ") as refused:
        check_device(BLOCK, READABLE, writer="the profile lab", way_to_read="--profile reads", overwrite=False)
    assert refused.value.hint.startswith("use --profile reads to only read it; ")
    with pytest.raises(TargetError, match="--overwrite applies to files, and /dev/nvme0n1 is a block device"):
        check_device(BLOCK, READABLE, writer="", way_to_read="--profile reads", overwrite=True)


def test_a_device_that_may_not_be_read_says_who_may() -> None:
    with pytest.raises(TargetError, match="no permission to read") as refused:
        check_device(BLOCK, replace(READABLE, may_read=False), writer="", way_to_read="", overwrite=False)
    assert "root" in refused.value.hint


def test_commands_go_to_whole_namespaces_only() -> None:
    check_commands(device(BLOCK), asked=True)
    with pytest.raises(UsageError, match="and /dev/sda is not one") as refused:
        check_commands(BlockDevice(path=SDA, named=SDA, span_bytes=GIB), asked=True)
    assert refused.value.hint == "specify a namespace, such as /dev/nvme0n1, or use --engine io_uring"


def test_a_generic_device_takes_commands_only() -> None:
    check_commands(device(GENERIC), asked=True)
    with pytest.raises(UsageError, match="accepts only NVMe commands") as refused:
        check_commands(device(GENERIC), asked=False)
    assert refused.value.hint == "add --engine passthrough, or use the block device /dev/nvme0n1"


def test_a_kernel_without_passthrough_is_told_from_one_that_refuses_io_uring() -> None:
    assert choose_engine(EngineChoice.PASSTHROUGH, hello(Engine.PASSTHROUGH), device(BLOCK)) is Engine.PASSTHROUGH
    with pytest.raises(EngineError, match="this kernel does not support NVMe passthrough"):
        choose_engine(EngineChoice.PASSTHROUGH, hello(Engine.IO_URING), device(BLOCK))


def test_nobody_gets_passthrough_unasked() -> None:
    assert (
        choose_engine(EngineChoice.AUTO, hello(Engine.IO_URING, Engine.PASSTHROUGH), device(BLOCK)) is Engine.IO_URING
    )


def test_devices_and_commands_can_be_polled_for() -> None:
    for choice in (EngineChoice.IO_URING, EngineChoice.PASSTHROUGH):
        check_poll(Poll.IOPOLL, choice, device(BLOCK))
    assert workload().poll_through(Engine.PASSTHROUGH, Poll.IOPOLL) is Poll.IOPOLL


def test_a_block_that_no_command_can_move_is_refused_with_the_limit() -> None:
    plan = run_record([cell_plan(workload(block_size_bytes=128 << 10))], []).header.plan
    check_transfers(plan, NAMESPACE)
    large = run_record([cell_plan(workload(block_size_bytes=256 << 10))], []).header.plan
    check_transfers(large, None)
    with pytest.raises(
        UsageError, match=r"block size 256 KiB exceeds the drive's maximum data transfer size \(128 KiB\)"
    ):
        check_transfers(large, NAMESPACE)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/dev/there-is-no-such-device", "it cannot be found: No such file"),
        ("/dev/null", "it is no longer a block device"),
    ],
)
def test_a_run_does_not_go_on_where_its_device_is_not_any_more(path: str, said: str) -> None:
    was = Identity(device_major=8, device_minor=0, inode=0, size_bytes=1 << 30)
    target = BlockDevice(path=Path(path), named=Path(path), span_bytes=GIB, expected=was)
    with pytest.raises(TargetError, match=f"{path} is not the device that was measured: {said}") as refused:
        check_same_device(LocalHost(), target, was)
    assert refused.value.final
