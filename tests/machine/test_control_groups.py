"""Limits of control groups of both versions, and neighbours on one disk, on trees made for the purpose."""

import os
from pathlib import Path

from iosonde.machine.competing_runs import disks_below, neighbours_of
from iosonde.machine.control_groups import cpu_quota, memory_limit_bytes
from tests.machine.test_facts import put

VERSION_2 = {
    "proc/self/cgroup": "0::/pod/container\n",
    "proc/self/mountinfo": "30 24 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
}
VERSION_1 = {
    "proc/self/cgroup": "4:memory:/docker/abc\n2:cpu,cpuacct:/docker/abc\n0::/\n",
    "proc/self/mountinfo": (
        "31 24 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
        "32 24 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
    ),
}


def test_the_tightest_limit_around_us_counts_in_version_2(tmp_path: Path) -> None:
    put(
        tmp_path,
        VERSION_2
        | {
            "sys/fs/cgroup/pod/cpu.max": "150000 100000\n",
            "sys/fs/cgroup/pod/container/cpu.max": "max 100000\n",
            "sys/fs/cgroup/pod/memory.max": "max\n",
            "sys/fs/cgroup/pod/container/memory.max": "536870912\n",
        },
    )
    assert cpu_quota(tmp_path) == 1.5
    assert memory_limit_bytes(tmp_path) == 512 << 20


def test_version_1_counts_each_controller_in_its_own_tree_and_its_largest_number_is_no_limit(tmp_path: Path) -> None:
    put(
        tmp_path,
        VERSION_1
        | {
            "sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_quota_us": "50000\n",
            "sys/fs/cgroup/cpu,cpuacct/docker/abc/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1\n",
            "sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes": "1073741824\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        },
    )
    assert cpu_quota(tmp_path) == 0.5
    assert memory_limit_bytes(tmp_path) == 1 << 30


def test_where_there_are_no_groups_there_is_no_limit(tmp_path: Path) -> None:
    assert (cpu_quota(tmp_path), memory_limit_bytes(tmp_path)) == (None, None)


def disks(root: Path) -> None:
    """Two partitions of one disk, a logical volume on the second, and another disk."""
    put(
        root,
        {
            "sys/devices/sda/sda1/partition": "1",
            "sys/devices/sda/sda2/partition": "2",
            "sys/devices/dm-0/dm/name": "volume",
            "sys/devices/sdb/size": "1",
        },
    )
    (root / "sys/devices/dm-0/slaves").mkdir()
    (root / "sys/devices/dm-0/slaves/sda2").symlink_to(root / "sys/devices/sda/sda2")
    (root / "sys/dev/block").mkdir(parents=True)
    for number, device in (("8:1", "sda/sda1"), ("8:2", "sda/sda2"), ("8:16", "sdb"), ("253:0", "dm-0")):
        (root / "sys/dev/block" / number).symlink_to(root / "sys/devices" / device)


def test_volumes_and_partitions_are_followed_down_to_the_disk(tmp_path: Path) -> None:
    disks(tmp_path)
    assert disks_below(os.makedev(8, 1), tmp_path) == {"sda"}
    assert disks_below(os.makedev(253, 0), tmp_path) == {"sda"}
    assert disks_below(os.makedev(8, 16), tmp_path) == {"sdb"}
    assert disks_below(os.makedev(0, 50), tmp_path) == {"0:50"}


def test_an_engine_on_the_same_disk_is_a_neighbour_and_nobody_else_is(tmp_path: Path) -> None:
    disks(tmp_path)
    put(
        tmp_path,
        {
            "proc/locks": (
                "1: FLOCK  ADVISORY  WRITE 10 08:01:5 0 EOF\n"  # Our own.
                "2: FLOCK  ADVISORY  WRITE 11 fd:00:6 0 EOF\n"  # An engine on the logical volume.
                "3: FLOCK  ADVISORY  WRITE 12 08:10:7 0 EOF\n"  # An engine on another disk.
                "4: FLOCK  ADVISORY  WRITE 13 08:01:8 0 EOF\n"  # Something else on our disk.
                "5: POSIX  ADVISORY  WRITE 14 08:01:9 0 EOF\n"
            ),
            "proc/10/comm": "iosonde-engine\n",
            "proc/11/comm": "iosonde-engine\n",
            "proc/12/comm": "iosonde-engine\n",
            "proc/13/comm": "postgres\n",
            "proc/14/comm": "iosonde-engine\n",
        },
    )
    found = neighbours_of({os.makedev(8, 1)}, 10, tmp_path)
    assert [(each.process, each.device) for each in found] == [(11, "sda")]


def test_a_table_of_locks_of_several_pages_is_read_to_its_end(tmp_path: Path) -> None:
    disks(tmp_path)
    others = "".join(f"{each}: POSIX  ADVISORY  WRITE 1 fe:00:{each} 0 EOF\n" for each in range(4000))
    put(
        tmp_path,
        {
            "proc/locks": f"{others}4000: FLOCK  ADVISORY  WRITE 77 08:01:5 0 EOF\n",
            "proc/77/comm": "iosonde-engine\n",
        },
    )
    assert [each.process for each in neighbours_of({os.makedev(8, 1)}, 1, tmp_path)] == [77]
