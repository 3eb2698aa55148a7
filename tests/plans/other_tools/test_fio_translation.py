"""A fio job as a probe: the flags it comes to, what differs, and what is refused."""

import re
import shutil
import subprocess

import pytest

from iosonde.errors import UsageError
from iosonde.plans.other_tools.fio_words import ALIASES, PROGRAM, WORDS, Handling
from tests.plans.other_tools.translated import flags, translation

NEEDS_FIO = pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
PLAIN = "--filename=f --direct=1 --ioengine=libaio --time_based --runtime=10 --size=1g --rw=randread --norandommap"
SAID = "--pattern random --read 100 --block-size 4KiB --queue-depth 1 --size 1GiB --warmup 0s --duration 10s"

# Words that are added to the plain job, and what they add to its flags.
CASES: list[tuple[str, str]] = [
    ("--rw=read", "--pattern sequential --read 100"),
    ("--rw=write", "--pattern sequential --read 0"),
    ("--rw=rw", "--pattern sequential --read 50"),
    ("--rw=readwrite", "--pattern sequential --read 50"),
    ("--rw=randwrite", "--pattern random --read 0"),
    ("--rw=randrw --rwmixread=70", "--pattern random --read 70"),
    ("--rw=randrw --rwmixwrite=70", "--pattern random --read 30"),
    ("--rw=randrw --rwmixwrite=70 --rwmixread=60", "--pattern random --read 60"),
    ("--rw=randrw --rwmixread=60 --rwmixwrite=70", "--pattern random --read 30"),
    ("--rw=randtrim", "--pattern random --read 0 --trim 100"),
    ("--rw=write:8k", "--pattern strided:12KiB --read 0"),
    ("--norandommap=0", "--pattern permutation"),
    ("--random_distribution=zipf:1.1", "--pattern zipf:1.1"),
    ("--random_distribution=pareto:0.2", "--pattern pareto:0.2"),
    ("--random_distribution=zoned:50/5:30/15:20/80", "--pattern hot:50/5,30/15,20/80"),
    ("--percentage_random=10", "--pattern runs:10"),
    ("--bs=64k", "--block-size 64KiB"),
    ("--bs=4kib", "--block-size 4000B"),
    ("--kb_base=1000 --bs=4k", "--block-size 4000B"),
    ("--blocksize=8k", "--block-size 8KiB"),
    ("--bs=4k,64k", "--block-size 4KiB"),
    ("--rw=randwrite --bs=4k,64k", "--block-size 64KiB"),
    ("--bssplit=4k/70:64k/30", "--block-size 4KiB:70,64KiB:30"),
    ("--bssplit=4k/50:8k:16k", "--block-size 4KiB:50,8KiB:25,16KiB:25"),
    ("--iodepth=32", "--queue-depth 32"),
    ("--numjobs=4", "--jobs 4"),
    ("--ioengine=io_uring --iodepth=8", "--queue-depth 8 --engine io_uring"),
    ("--ioengine=io_uring --hipri", "--engine io_uring --poll iopoll"),
    ("--ioengine=io_uring --sqthread_poll", "--engine io_uring --poll sqpoll"),
    ("--ioengine=sync --iodepth=8", "--queue-depth 1 --engine psync"),
    ("--ioengine=io_uring_cmd", "--engine passthrough"),
    ("--direct=0", "--buffered"),
    ("--buffered=1", "--buffered"),
    ("--runtime=2m", "--duration 120s"),
    ("--runtime=1500ms --ramp_time=5", "--warmup 5s --duration 1.5s"),
    ("--offset=1m", "--offset 1MiB --size 1025MiB"),
    ("--size=100%", ""),
    ("--size=64m --filesize=32m", "--size 32MiB"),
    ("--size=32m --filesize=64m", "--span 32MiB --size 64MiB"),
    ("--rate_iops=1000", "--rate 1k --arrivals constant"),
    ("--rate_iops=1k --rate_process=poisson", "--rate 1024 --arrivals poisson"),
    ("--rate_iops=500 --numjobs=4", "--rate 2k --arrivals constant"),
    ("--rw=randrw --rwmixread=80 --rate_iops=800,200", "--read 80 --rate 1k"),
    ("--rw=randwrite --rate_iops=,300", "--rate 300"),
    ("--rate=4m", "--rate 1024"),
    ("--thinktime=1000", "--think-time 1ms --burst 1"),
    ("--thinktime=2ms --thinktime_blocks=64", "--think-time 2ms --burst 64"),
    ("--rw=randwrite --fdatasync=4", "--sync fdatasync --flush-every 4"),
    ("--rw=randwrite --fsync=1", "--sync fdatasync --flush-every 1"),
    ("--rw=randwrite --sync=dsync", "--sync dsync"),
    ("--rw=randwrite --zero_buffers", "--data zeros"),
    ("--rw=randwrite --buffer_pattern=0x00", "--data zeros"),
    ("--rw=randwrite --buffer_compress_percentage=50", "--data compressible"),
    ("--rw=randwrite --buffer_compress_percentage=30", "--compressible 30"),
    ("--rw=randwrite --dedupe_percentage=20", "--duplicates 20"),
    ("--rw=randwrite --verify=crc32c", "--verify"),
    ("--fdatasync=1 --sync=dsync --dedupe_percentage=20", ""),
]


@pytest.mark.parametrize(("words", "added"), CASES)
def test_an_option_is_the_flag_of_the_same_workload(words: str, added: str) -> None:
    assert flags(PLAIN) == SAID
    found = flags(f"{PLAIN} {words}")
    wanted = re.split(r" (?=--)", added) if added else []
    assert [each for each in wanted if each not in re.split(r" (?=--)", found)] == [], found


def test_what_fio_does_by_default_is_said() -> None:
    found = translation("--filename=f --rw=randread --iodepth=32 --size=1g")
    texts = [flag.text for flag in found.flags]
    assert {"--pattern permutation", "--queue-depth 1", "--engine psync", "--buffered"} <= set(texts)
    assert {note.option for note in found.ignored} == {"norandommap", "iodepth", "direct"}
    assert [note.option for note in found.differs] == ["runtime"]


def test_cpu_0_and_node_0_are_choices_and_not_defaults() -> None:
    found = translation(f"{PLAIN} --cpus_allowed=0 --numa_cpu_nodes=0 --softrandommap=1")
    assert [note.option for note in found.differs] == ["cpus_allowed", "numa_cpu_nodes", "ioengine"]
    assert [note.option for note in found.ignored] == ["softrandommap"]


def test_jobs_without_a_file_in_common_use_as_much_as_all_of_their_files() -> None:
    words = "--directory=d --direct=1 --ioengine=libaio --time_based --runtime=1 --size=1g --rw=read --numjobs=4"
    found = translation(words)
    assert "--size 4GiB" in [flag.text for flag in found.flags]
    assert "numjobs" in [note.option for note in found.differs]


def test_sequential_jobs_side_by_side_are_the_same_here() -> None:
    found = translation(f"{PLAIN} --rw=read --numjobs=4 --offset_increment=1g")
    assert "--size 4GiB" in [flag.text for flag in found.flags]
    assert "numjobs" not in [note.option for note in found.differs]


def test_sequential_jobs_on_the_same_blocks_are_said_to_differ() -> None:
    found = translation(f"{PLAIN} --rw=read --numjobs=4")
    assert "--size 1GiB" in [flag.text for flag in found.flags]
    assert "numjobs" in [note.option for note in found.differs]


@pytest.mark.parametrize(
    ("words", "target"),
    [
        ("--filename=/dev/nvme0n1", "/dev/nvme0n1"),
        ("--filename=f --directory=/mnt", "/mnt/f"),
        ("--filename=/data/f --directory=/mnt", "/data/f"),
        ("--directory=/mnt", "/mnt"),
        ("--filename=a\\\\:b", "a:b"),
        ("--ioengine=null", "null:"),
        ("", None),
    ],
)
def test_the_target_is_the_file_that_the_job_names(words: str, target: str | None) -> None:
    assert translation(f"--size=1g {words}").target == target


REFUSED = [
    "--rw=randread:8",
    "--rw=trimwrite",
    "--rw=sideways",
    "--random_distribution=normal:10",
    "--random_distribution=zipf:1.1:0.5",
    "--rw=randrw --bs=4k,64k",
    "--bssplit=4k/50:8k/10",
    "--bssplit=4k/50:8k:16k:32k",
    "--bsrange=4k-64k",
    "--ioengine=mmap",
    "--ioengine=rbd",
    "--hipri",
    "--rw=randrw --rwmixread=80 --rate_iops=1000",
    "--rw=randrw --rate_iops=1000,",
    "--rate=1000",
    "--thinktime_spin=10",
    "--rw=randwrite --sync=3",
    "--rw=randwrite --zero_buffers --buffer_compress_percentage=50",
    "--rw=randwrite --zero_buffers --dedupe_percentage=20",
    "--rw=randwrite --fsync=1 --fdatasync=8",
    "--rw=randwrite --fsync=1 --sync=sync",
    "--rw=randwrite --fdatasync=8 --sync=dsync",
    "--verify=md5",
    "--buffer_pattern=0xdead --rw=randwrite",
    "--filename=/dev/sda:/dev/sdb",
    "--nrfiles=4",
    "--numjobs=2 --offset_increment=1m",
    "--size=50%",
    "--io_size=1g",
    "--zonemode=zbd",
    "--latency_target=10ms",
    "--exec_prerun=reboot",
    "--cmdprio_percentage=50",
    "--client=host",
    "--rw=randwrite --readonly",
    "--not_an_option=1",
]


@pytest.mark.parametrize("words", REFUSED)
def test_what_would_be_another_workload_is_refused(words: str) -> None:
    with pytest.raises(UsageError):
        translation(f"{PLAIN} {words}")


@pytest.mark.parametrize("words", ["--zonemode=none", "--prio=0", "--io_submit_mode=inline", "--write_hint=none"])
def test_what_asks_for_nothing_is_taken(words: str) -> None:
    assert flags(f"{PLAIN} {words}") == SAID


@NEEDS_FIO
def test_every_option_of_the_fio_that_is_installed_is_in_the_table() -> None:
    def listed(*words: str) -> set[str]:
        said = subprocess.run(["fio", *words], capture_output=True, text=True, check=False).stdout
        return {line.split()[0].rstrip(":") for line in said.splitlines() if ":" in line}

    engines = subprocess.run(["fio", "--enghelp"], capture_output=True, text=True, check=True).stdout.split()[3:]
    options = listed("--cmdhelp").union(*(listed(f"--enghelp={engine}") for engine in engines)) - {"IO", "name", "No"}
    assert len(options) > 200
    assert options - set(WORDS) - set(ALIASES) == set()
    program = set(re.findall(r"^\s+--([a-z-]+)", "".join(_help()), re.MULTILINE)) - {"section"}
    assert program - set(PROGRAM) == set()


def _help() -> str:
    return subprocess.run(["fio", "--help"], capture_output=True, text=True, check=False).stdout


def test_every_option_without_a_counterpart_has_its_reason() -> None:
    assert [name for name, word in WORDS.items() if not word.reason and word.handling is not Handling.TRANSLATED] == []
    assert set(ALIASES.values()) <= set(WORDS)
