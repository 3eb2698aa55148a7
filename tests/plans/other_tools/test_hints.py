"""Who types another tool's words is told ours, with the value."""

import pytest

from iosonde.plans.other_tools.hints import flag_hint, key_hint

PROBE = {
    *("--pattern", "--read", "--trim", "--block-size", "--queue-depth", "--rate", "--arrivals", "--jobs", "--sync"),
    *("--flush-every", "--data", "--compressible", "--duplicates", "--verify", "--offset", "--span", "--burst"),
    *("--think-time", "--duration", "--warmup", "--size", "--engine", "--poll", "--buffered", "--seed", "--json"),
}
KEYS = {"pattern", "read", "block_size", "queue_depth", "jobs", "duration", "warmup", "sync", "flush_every"}


def hint(words: str) -> str | None:
    """The hint for the first word."""
    typed = words.split()
    wrong = typed[0].partition("=")[0] if typed[0].startswith("--") else typed[0][:2]
    return flag_hint(wrong, ["probe", ".", *typed], PROBE)


# Words, and what is said of them behind the name of the tool.
SAID = [
    ("--bs=4k", "fio's --bs=4k is --block-size 4KiB"),
    ("--bs=4KiB", "fio's --bs=4KiB is --block-size 4KiB"),
    ("--bs 4k", "fio's --bs 4k is --block-size 4KiB"),
    ("--bs", "fio's --bs is --block-size"),
    ("--rw=randread", "fio's --rw=randread is --pattern random --read 100"),
    ("--rw=randrw --rwmixread=70", "fio's --rw=randrw --rwmixread=70 are --pattern random --read 70"),
    ("--rwmixwrite=30", "fio's --rwmixwrite=30 is --read 70"),
    ("--iodepth=32", "fio's --iodepth=32 is --queue-depth 32"),
    ("--numjobs=4", "fio's --numjobs=4 is --jobs 4"),
    ("--runtime=60", "fio's --runtime=60 is --duration 60s"),
    ("--runtime=2m", "fio's --runtime=2m is --duration 120s"),
    ("--ramp_time=5", "fio's --ramp_time=5 is --warmup 5s"),
    ("--ramp-time=5", "fio's --ramp-time=5 is --warmup 5s"),
    ("--filename=/dev/sdb", "fio's --filename=/dev/sdb is the target argument: iosonde probe TARGET"),
    ("--direct=1", "fio's --direct=1 is the default; --buffered disables it"),
    ("--direct=0", "fio's --direct=0 is --buffered"),
    ("--ioengine=psync", "fio's --ioengine=psync is --engine psync"),
    ("--rate_iops=1000", "fio's --rate_iops=1000 is --rate 1k"),
    ("--fdatasync=1", "fio's --fdatasync=1 is --sync fdatasync --flush-every 1"),
    ("--buffer_compress_percentage=30", "fio's --buffer_compress_percentage=30 is --compressible 30"),
    ("--dedupe_percentage=10", "fio's --dedupe_percentage=10 is --duplicates 10"),
    ("--thinktime=1ms", "fio's --thinktime=1ms is --think-time 1ms"),
    ("--random_distribution=zipf:1.1", "fio's --random_distribution=zipf:1.1 is --pattern zipf:1.1"),
    ("--time_based", "fio's --time_based is the default: a probe always runs for --duration"),
    ("--name=x", "fio's --name=x is not needed: iosonde names each cell after its workload"),
    ("--group_reporting", "fio's --group_reporting is not needed: iosonde always records time series and histograms"),
    (
        "--output-format=json",
        "fio's --output-format=json is not needed: iosonde always records time series and histograms",
    ),
    ("--latency_target=5ms", "fio's --latency_target=5ms is not available: iosonde does not search"),
    ("--bs=1.5k", "fio's --bs=1.5k is --block-size"),
    ("-rw=randread -bs=8k", "fio's -rw=randread -bs=8k are --pattern random --read 100 --block-size 8KiB"),
    ("-b4K -o8 -w30", "DiskSpd's -b4K -o8 -w30 are --block-size 4KiB --queue-depth 8 --read 70"),
    ("-d60 -W5 -t4", "DiskSpd's -d60 -W5 -t4 are --duration 60s --warmup 5s --jobs 4"),
    ("-r -c10G", "DiskSpd's -r -c10G are --pattern random --size 10GiB"),
    ("-rs30", "DiskSpd's -rs30 is --pattern runs:30"),
    ("-rdpct90/10", "DiskSpd's -rdpct90/10 is --pattern hot:90/10"),
    ("-s64K", "DiskSpd's -s64K is --pattern strided:64KiB"),
    ("-b4k -r64k", "DiskSpd's -b4k -r64k are --block-size 4KiB --pattern random"),
    ("-s", "DiskSpd's -s is --pattern sequential"),
    ("-w", "DiskSpd's -w is --read 100"),
    ("-Sh", "DiskSpd's -Sh is --sync dsync for writes; direct I/O is the default"),
    ("-Sb", "DiskSpd's -Sb is --buffered"),
    ("-L", "DiskSpd's -L is not needed: iosonde records the latency of every operation"),
    ("-Z", "DiskSpd's -Z is --data zeros"),
    ("-Zr", "DiskSpd's -Zr is not needed: iosonde generates new random data for each write"),
    ("-z42", "DiskSpd's -z42 is --seed 42"),
    ("-g100i", "DiskSpd's -g100i is --rate 100 times the number of threads"),
    ("-X", "DiskSpd's -X is not available"),
    ("-nj 4 -iod 16 -rt 60", "TKperf's -nj 4 -iod 16 -rt 60 are --jobs 4 --queue-depth 16 --duration 60s"),
    ("-ssdt iops", "TKperf's -ssdt iops is the profile tkperf-iops"),
    ("-rfb", "TKperf's -rfb is not needed: iosonde generates new random data for each write"),
]


@pytest.mark.parametrize(("words", "said"), SAID)
def test_a_foreign_word_is_told_as_ours(words: str, said: str) -> None:
    found = hint(words)
    assert found is not None
    assert found.startswith(said), found


@pytest.mark.parametrize("words", ["--depth=3", "--blocks", "-k", "--numjob=3"])
def test_a_slip_is_nobody_elses_word(words: str) -> None:
    assert hint(words) is None


def test_words_of_ours_beside_them_are_left_alone() -> None:
    found = flag_hint("--bs", ["--size=1GiB", "--bs=4k", "--iodepth=8"], PROBE)
    assert found == "fio's --bs=4k --iodepth=8 are --block-size 4KiB --queue-depth 8"


def test_a_command_without_such_flags_says_which_has_them() -> None:
    assert flag_hint("--runtime", ["--runtime=60"], {"--size"}) == (
        "fio's --runtime=60 is --duration 60s of `iosonde probe`"
    )


def test_a_command_that_takes_whole_fio_commands_says_so() -> None:
    assert flag_hint("--bs", ["--bs=4k"], {*PROBE, "--fio"}) == (
        'fio\'s --bs=4k is --block-size 4KiB; --fio "fio ..." accepts a complete fio command'
    )


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("bs", "4k", 'fio\'s bs is block_size = "4KiB"'),
        ("rw", "randread", 'fio\'s rw is pattern = "random", read = 100'),
        ("iodepth", [1, 8], "fio's iodepth is queue_depth = [1, 8]"),
        ("runtime", 60, 'fio\'s runtime is duration = "60s"'),
        ("ramp_time", 5, 'fio\'s ramp_time is warmup = "5s"'),
        ("fdatasync", 8, 'fio\'s fdatasync is sync = "fdatasync", flush_every = 8'),
        ("size", "1g", "fio's size is --size"),
        (
            "group_reporting",
            True,
            "fio's group_reporting is not needed: iosonde always records time series and histograms",
        ),
        ("bs", {"a": 1}, "fio's bs is block_size"),
        ("runtime", -1, "fio's runtime is duration"),
        ("rw", "sideways", "fio's rw is pattern and read"),
    ],
)
def test_a_key_of_fios_is_told_as_one_of_a_campaign(key: str, value: object, said: str) -> None:
    found = key_hint(key, value, KEYS)
    assert found is not None
    assert found.startswith(said)


def test_a_slip_in_a_key_is_nobody_elses_word() -> None:
    assert key_hint("repeat", 3, KEYS) is None
