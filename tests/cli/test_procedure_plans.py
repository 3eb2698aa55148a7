"""The plan of a standard procedure: its phases, its time and wear at best and at worst, and the rated endurance."""

from pathlib import Path

import pytest

from tests.commands import iosonde


def plan(*words: str, target: str = "sim:sata-dc,seed=1,scale=1") -> str:
    shown = iosonde("plan", target, *words)
    assert shown.returncode == 0, shown.stderr
    return " ".join(shown.stdout.split())


def test_time_bytes_and_fills_are_those_of_the_fewest_and_of_the_most_rounds() -> None:
    # By hand: twice 960 GB at 500 MB/s are 64 minutes, and 5 or 25 rounds of 56 minutes follow.
    text = plan("--profile", "pts-iops", "--write-rate", "500MB")
    assert "time 5 h 44 min at best, 24 h 24 min at worst" in text
    assert "in rounds until the last 5 are in steady state in 3 tracking variables, at most 25" in text
    assert "fills up to 6.4 at best, 23.9 at worst (full writes of the target" in text


def test_the_time_at_half_the_write_bandwidth_is_told_where_cells_end_with_an_amount() -> None:
    # By hand: as above, but the two fills take 128 minutes instead of 64.
    text = plan("--profile", "pts-iops", "--write-rate", "500MB")
    assert "assumes 500 MB/s for the cells that transfer an amount" in text
    assert "25 h 28 min at worst with 250 MB/s" in text
    assert "assumes" not in plan("--profile", "pts-wsat", "--write-rate", "200MB")


def test_procedures_that_begin_without_a_purge_say_so() -> None:
    assert "purge none: the procedures begin with the target as it is" in plan("--profile", "tkperf-hdd-tp")


def test_a_model_without_a_fresh_state_is_not_purged() -> None:
    assert "purge skipped: the simulated drive has no fresh-out-of-box state" in plan(
        "--profile", "pts-tp", target="sim:cloud-burst,seed=1,scale=300"
    )


def test_the_operations_in_flight_at_the_ends_of_trials_are_told_where_times_are_scaled() -> None:
    # By hand: in each of 25 rounds, 128 operations of each of 7 mixes and 8 sizes from 512 bytes to 1 MiB, which are
    # 1.17 GB, and 32 of 128 KiB once. At 560 MB/s they take 52 s.
    told = "plus the operations in flight at the ends of trials: up to 29.3 GB, which takes at least 52.3 s"
    assert told in plan("--profile", "pts-iops", target="sim:sata-dc,seed=1,scale=128")
    assert "in flight at the ends" not in plan("--profile", "pts-iops")


def test_a_long_trial_takes_the_first_window_of_its_samples_at_least_and_its_limit_at_most() -> None:
    # By hand: five blocks of 30 minutes or 6 hours of writes, and a histogram of 20 minutes.
    text = plan("--profile", "pts-wsat", "--write-rate", "200MB")
    assert "time 2 h 50 min at best, 6 h 20 min at worst" in text
    # By hand: 150 minutes at 200 MB/s are 1.8 TB, four times the capacity 3.84 TB, and 20 minutes 0.24 TB.
    assert "writes up to 2.04 TB at best, 4.08 TB at worst" in text


def test_a_procedure_without_rounds_has_one_time() -> None:
    assert "time 22 h 00 min of virtual time (real time is much shorter), without purges" in plan(
        "--profile", "pts-xsr", "--write-rate", "500MB"
    )


@pytest.mark.parametrize(
    ("words", "share"),
    [
        # By hand: 22 hours at 500 MB/s are 39.6 TB, of 2 * 960.2 GB * 1825 days = 3505 TB.
        (("--dwpd", "2"), "endurance up to 1.1 % of the rated 3,505 TB, 2 fills a day for five years"),
        (("--tbw", "1TB"), "endurance up to 3,960 % of the rated 1.00 TB"),
        (("--tbw", "396TB"), "endurance up to 10 % of the rated 396 TB"),
    ],
)
def test_the_share_of_the_rated_endurance_is_told(words: tuple[str, ...], share: str) -> None:
    assert share in plan("--profile", "pts-xsr", "--write-rate", "500MB", *words)


def test_fills_a_day_are_of_the_whole_drive_and_not_of_the_test_region() -> None:
    # By hand: 960 GB / 1024 each day for five years.
    words = ("--profile", "pts-like-iops", "--dwpd", "1", "--size", "100MiB")
    assert "of the rated 1.71 TB, 1 fill a day" in plan(*words, target="sim:sata-dc,seed=1,scale=1024")


def test_both_forms_of_the_rated_endurance_are_refused() -> None:
    shown = iosonde("plan", "sim:sata-dc", "--tbw", "1TB", "--dwpd", "1")
    assert shown.returncode == 2
    assert "--tbw and --dwpd both state the rated endurance" in shown.stderr


@pytest.mark.parametrize("flag", [("--purge", "format"), ("--time-scale", "10")])
def test_flags_of_procedures_are_refused_for_other_campaigns(flag: tuple[str, str]) -> None:
    shown = iosonde("plan", "sim:sata-dc", *flag)
    assert shown.returncode == 2
    assert f"{flag[0]} applies to standard procedures, and lab has none" in shown.stderr


@pytest.mark.parametrize("flag", [("--quick",), ("--fixed",), ("--precision", "2%")])
def test_flags_of_other_campaigns_are_refused_for_procedures(flag: tuple[str, ...]) -> None:
    shown = iosonde("plan", "sim:sata-dc", "--profile", "pts-iops", *flag)
    assert shown.returncode == 2
    assert f"{flag[0]} does not apply to pts-iops" in shown.stderr


def test_a_file_that_a_procedure_writes_is_said_to_be_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(bytes(32 << 20))
    shown = iosonde("plan", path, "--profile", "pts-lat", "--time-scale", "60", "--overwrite")
    assert shown.returncode == 0, shown.stderr
    assert "exists and will be overwritten" in shown.stdout
    assert "all times are divided by 60; the capacity is that of the target" in shown.stdout


@pytest.mark.parametrize(
    ("target", "scale", "said"),
    [
        ("sim:sata-dc,scale=64", (), "all times are divided by 64, as the capacity is"),
        ("sim:sata-dc,scale=64", ("--time-scale", "32"), "all times are divided by 32; the capacity is divided by 64"),
        (
            "sim:sata-dc,scale=64",
            ("--time-scale", "1"),
            "the times are those of the procedure; the capacity is divided",
        ),
        ("sim:disk-7200", ("--time-scale", "100"), "all times are divided by 100; the capacity is that of the target"),
    ],
)
def test_a_plan_says_what_is_scaled_and_by_how_much(target: str, scale: tuple[str, ...], said: str) -> None:
    profile = "tkperf-hdd-iops" if "disk" in target else "pts-lat"
    shown = iosonde("plan", target, "--profile", profile, *scale)
    assert shown.returncode == 0, shown.stderr
    assert said in shown.stdout


def test_a_scale_that_makes_trials_too_short_is_named_in_the_error(tmp_path: Path) -> None:
    shown = iosonde("plan", tmp_path, "--size", "64MiB", "--profile", "pts-like-lat", "--time-scale", "10000")
    assert shown.returncode == 2
    assert "divided by 10,000, is shorter than 1 ms" in shown.stderr
    assert "hint: set a smaller divisor by --time-scale" in shown.stderr


def test_a_drive_with_too_few_blocks_is_named_in_the_error_with_the_largest_scale() -> None:
    shown = iosonde("plan", "sim:sata-dc,scale=1000000", "--profile", "pts-iops")
    assert shown.returncode == 2
    assert "a die has too few blocks; the largest scale is 1849" in shown.stderr


def test_a_short_form_is_offered_instead_of_a_quick_run() -> None:
    shown = iosonde("plan", "sim:sata-dc", "--profile", "pts-iops", "--quick")
    assert "hint: omit --quick, or use the short form pts-like-iops" in shown.stderr
    shown = iosonde("plan", "sim:sata-dc", "--profile", "pts-hir", "--quick")
    assert shown.stderr.strip().endswith("hint: omit --quick")
