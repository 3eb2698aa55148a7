"""iosonde compare: runs of drives and a file of TKperf side by side."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.commands import command, iosonde
from tools.tkperf_of_seed import tkperf_xml


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Throughput tests of two drives, a latency test, and a run without procedures."""
    made = tmp_path_factory.mktemp("compare")
    tests = {
        "old": ("sim:sata-dc,seed=3,scale=300", "pts-tp"),
        "new": ("sim:client-nvme,seed=3,scale=300", "pts-tp"),
        "lat": ("sim:sata-dc,seed=3,scale=300", "pts-lat"),
        "lat2": ("sim:client-nvme,seed=3,scale=300", "pts-lat"),
        "wsat": ("sim:sata-dc,seed=3,scale=600", "pts-wsat"),
        "wsat2": ("sim:sata-dc,seed=4,scale=600", "pts-wsat"),
        "lab": ("sim:fixed", "lab"),
    }
    for name, (target, profile) in tests.items():
        quick = ("--quick",) if profile == "lab" else ("--label", f"the {name} drive")
        done = iosonde("run", "--no-report", target, "--profile", profile, "--seed", "1", *quick, "--out", made / name)
        assert done.returncode == 0, done.stderr
    (made / "drive.xml").write_bytes(tkperf_xml())
    assert iosonde("export", made / "new", "--as", "archive", folder=made).returncode == 0
    return made


def test_two_drives_are_shown_side_by_side_on_terminal_page_and_paper(folder: Path) -> None:
    shown = iosonde("compare", "old", "new", "--html", "c.html", "--markdown", "c.md", folder=folder)
    assert shown.returncode == 0, shown.stderr
    assert "Bandwidth of 1 MiB 0/100, best first: the new drive: 1," in shown.stdout
    assert "SIMULATED" in shown.stdout
    assert "Bandwidth (MB/s), with the difference from the old drive." in shown.stdout
    page = (folder / "c.html").read_text(encoding="utf-8")
    assert "2 runs side by side" in page
    assert "Conditions of each run, those that differ first." in (folder / "c.md").read_text(encoding="utf-8")


def test_output_that_cannot_be_printed_does_not_prevent_the_files(folder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        words = command("compare", "old", "new", "--markdown", "full.md")
        ended = subprocess.run(words, cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert "No space left on device" in ended.stderr
    assert ended.returncode == 7
    assert "2 runs side by side" in (folder / "full.md").read_text(encoding="utf-8")


def test_a_file_of_tkperf_can_be_compared_with_a_run(folder: Path) -> None:
    shown = iosonde("compare", "drive.xml", "lat", "--json", folder=folder)
    assert shown.returncode == 0, shown.stderr
    (test,) = json.loads(shown.stdout)
    assert test["runs"] == ["drive", "the lat drive"]
    (cell,) = [each for each in test["cells"] if (each["mix"], each["size"]) == ("0/100", "4 KiB")]
    # Document 004 prints this mean.
    assert cell["values"][0]["latency_ns_mean"] == pytest.approx(41325.8968)
    text = " ".join(iosonde("compare", "drive.xml", "lat", folder=folder).stdout.split())
    assert "drive: reached in round 5 (counted from 0)" in text


def test_rounds_that_leave_steady_state_and_too_few_rounds_are_told(folder: Path) -> None:
    for name, values in (("a/left", [1000] * 6 + [3000] * 6), ("b/left", [1000] * 3), ("c/left", [1000] * 6)):
        path = folder / f"{name}.csv"
        path.parent.mkdir(exist_ok=True)
        path.write_text("round,read,bs,iops\n" + "".join(f"{n},0,4k,{each}\n" for n, each in enumerate(values, 1)))
    shown = iosonde("compare", "a/left.csv", "b/left.csv", "c/left.csv", "--markdown", "left.md", folder=folder)
    assert shown.returncode == 0, shown.stderr
    text = (folder / "left.md").read_text(encoding="utf-8")
    assert "| left (a) | left (b) | left (c) |" in text
    assert "reached in round 5, left again in round 7 | undecided: there are only 3 rounds | reached in round 5" in text


def test_the_tests_of_a_drive_in_several_runs_have_one_name_and_two_runs_of_a_test_have_two(folder: Path) -> None:
    for name, test in (("a/saturation", "wsat"), ("b/saturation", "wsat"), ("a/latency", "lat")):
        target = f"sim:sata-dc,seed={ord(name[0])},scale=600"
        done = iosonde(
            "run", "--no-report", target, "--profile", f"pts-{test}", "--label", name[0], "--out", folder / name
        )
        assert done.returncode == 0, done.stderr
    apart = iosonde("compare", "a/saturation", "a/latency", "b/saturation", "--json", folder=folder)
    (test,) = json.loads(apart.stdout)
    assert test["runs"] == ["a", "b"]
    alike = iosonde("compare", "a/saturation", "a/latency", "wsat", "a/../b/saturation", "lat", "--json", folder=folder)
    assert [each["runs"][:2] for each in json.loads(alike.stdout)] == [["a", "the wsat drive"], ["a", "the lat drive"]]


def test_runs_of_one_name_without_a_common_test_are_told_apart_by_their_paths(folder: Path) -> None:
    for name, profile in (("here/x", "pts-lat"), ("there/x", "pts-wsat")):
        target = "sim:sata-dc,scale=600"
        done = iosonde("run", "--no-report", target, "--profile", profile, "--seed", "1", "--out", folder / name)
        assert done.returncode == 0, done.stderr
    shown = iosonde("compare", "here/x", "there/x", folder=folder)
    assert "the runs have no test in common (sata-dc (here): lat; sata-dc (there): wsat)" in shown.stderr


def test_a_quantity_that_only_one_run_has_is_told_instead_of_a_table_of_dashes(folder: Path) -> None:
    done = iosonde(
        *("run", "--no-report", "sim:sata-dc,seed=3,scale=600", "--profile", "pts-iops", "--seed", "1"),
        *("--out", folder / "iops"),
    )
    assert done.returncode == 0, done.stderr
    shown = iosonde("compare", "drive.xml", "iops", folder=folder)
    assert "Mean latency: known only of sata-dc." in shown.stdout
    # The bandwidth of TKperf's rounds follows from IOPS and block size: 70,418 × 4,096 bytes are 288.4 MB/s.
    (line,) = [each for each in shown.stdout.split("Bandwidth (")[1].splitlines() if each.startswith("4 KiB 0/100")]
    assert line.split()[3] == "288.4"


def test_a_run_that_may_not_be_read_is_refused(folder: Path) -> None:
    hidden = folder / "hidden"
    hidden.mkdir(exist_ok=True)
    (hidden / "run.json").write_text("{}", encoding="utf-8")
    hidden.chmod(0)
    try:
        shown = iosonde("compare", "old", "hidden", folder=folder, may_override_modes=False)
    finally:
        hidden.chmod(0o700)
    assert shown.returncode != 0
    assert "error: " in shown.stderr
    assert "Traceback" not in shown.stderr


def test_a_journal_that_may_not_be_read_is_a_question_of_permission(folder: Path) -> None:
    journal = folder / "lab" / "journal"
    mode = journal.stat().st_mode
    journal.chmod(0)
    try:
        shown = iosonde("show", "lab", folder=folder, may_override_modes=False)
    finally:
        journal.chmod(mode)
    assert shown.returncode != 0
    assert "hint: make sure that you have read permission, or use a copy" in shown.stderr


def test_a_narrow_terminal_has_all_numbers(folder: Path) -> None:
    shown = iosonde("compare", "old", "new", "lat", "lat2", folder=folder, COLUMNS="80")
    assert shown.returncode == 0, shown.stderr
    lines = [line.split() for line in shown.stdout.splitlines() if line.startswith("4 KiB 0/100")]
    assert lines
    assert all(len(line) >= 4 for line in lines)
    assert max(map(len, shown.stdout.splitlines())) <= 80


def test_the_json_has_the_long_trials(folder: Path) -> None:
    shown = iosonde("compare", "wsat", "wsat2", "--json", folder=folder)
    (test,) = json.loads(shown.stdout)
    (trial,) = test["trials"]
    assert trial["trial"] == "write saturation"
    assert all(each["iops_at_end"] < each["iops"] for each in trial["values"])
    assert test["simulated"] == [True, True]


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        (("old",), "there is only one run to compare"),
        (("old", "./old"), "old is named twice"),
        (("old", "lat"), "the runs have no test in common (the old drive: tp-128KiB, tp-1MiB; the lat drive: lat)"),
        (("old", "lab"), "lab has no standard procedure"),
        (("old", "."), ". is not a run but contains some"),
        (("old", "missing"), "missing does not exist"),
        (("old", "new", "--html", "old/report.html", "--force"), "old/report.html is within the run old"),
        (("old", "new", "--charts", "new/charts"), "new/charts is within the run new"),
        (("new", "new.iosonde.zip"), "new and new.iosonde.zip are the same run"),
        (("old", "new/journal"), "new/journal is not a table of text"),
    ],
)
def test_runs_that_cannot_be_compared_are_refused_with_a_way_out(
    runs: tuple[str, ...], message: str, folder: Path
) -> None:
    shown = iosonde("compare", *runs, folder=folder)
    assert shown.returncode != 0
    assert message in shown.stderr
    assert "hint: " in shown.stderr
    assert not shown.stdout
