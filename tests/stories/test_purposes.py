"""``iosonde run TARGET --for NAME`` says whether a target is good enough for a purpose."""

from dataclasses import replace
from pathlib import Path

import pytest

from iosonde.campaign import RunRequest
from iosonde.expectations.names import requirements
from iosonde.plans import PURPOSES
from tests.campaign_runs import Interrupting, measure, profile_request
from tests.commands import iosonde

CAMPAIGN = """
name = "short"
repeats = 3
warmup = "100ms"
duration = "1s"
[[experiment]]
name = "reads"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = 1
"""
MINE = """
name = "mine"
campaign = "short.toml"
[[expect]]
name = "reads"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = 1
metric = "latency_ns_mean"
at_most = "{limit}"
"""


def folder_with(tmp_path: Path, limit: str) -> Path:
    """A folder with a purpose in ``own``, so that the campaign's path is relative to the file."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own/short.toml").write_text(CAMPAIGN)
    (tmp_path / "own/mine.toml").write_text(MINE.format(limit=limit))
    return tmp_path


@pytest.mark.parametrize("name", PURPOSES)
def test_a_fast_drive_is_good_enough_for_every_purpose(tmp_path: Path, name: str) -> None:
    words = ("run", "--no-report", "sim:enterprise-nvme,seed=1", "--seed", "1", "--for", name, "--out", "run")
    ended = iosonde(*words, folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert f"{name}: met. All" in " ".join(ended.stdout.split())
    assert "The smallest margin is that of" in " ".join(ended.stdout.split())


@pytest.mark.parametrize("name", ["kafka", "video-ingest", "redis-aof"])
def test_a_slow_drive_is_not_and_the_exit_code_says_so(tmp_path: Path, name: str) -> None:
    words = ("run", "sim:usb-stick,seed=1", "--seed", "1", "--for", name, "--out", "run")
    ended = iosonde(*words, folder=tmp_path)
    assert ended.returncode == 9, ended.stderr
    assert f"error: not good enough for {name}: " in ended.stderr
    assert "iosonde resume" not in ended.stderr
    assert f"{name}: not met." in " ".join(ended.stdout.split())
    page = (tmp_path / "run/report.html").read_text(encoding="utf-8")
    assert f"{name}: not met." in page
    assert "The largest miss is" in page
    assert "Sources of the expected values" in page


def test_show_prints_the_verdict_of_a_run_for_a_purpose(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "1 ms")
    words = ("run", "--no-report", "sim:mmc,seed=1", "--seed", "1", "--for", "own/mine.toml", "--out", "run")
    assert iosonde(*words, folder=folder).returncode == 0
    shown = iosonde("show", "run", folder=folder)
    assert "mine: met." in shown.stdout
    assert shown.stdout.index("mine: met.") < shown.stdout.index("IOPS: operations/s;")


@pytest.mark.parametrize(("limit", "code", "word"), [("1 ms", 0, "met"), ("10 us", 9, "not met")])
def test_a_file_of_requirements_with_its_campaign_is_a_purpose(
    tmp_path: Path, limit: str, code: int, word: str
) -> None:
    words = ("run", "--no-report", "sim:mmc,seed=1", "--seed", "1", "--for", "own/mine.toml", "--out", "run")
    ended = iosonde(*words, folder=folder_with(tmp_path, limit))
    assert ended.returncode == code, ended.stderr
    assert f"mine: {word}." in ended.stdout


def test_it_is_undecided_near_the_limit_and_says_what_would_decide(tmp_path: Path) -> None:
    # The mean of the model is 100 us. Three repeats of 10,000 reads give it with a half-width of about 1 us.
    words = ("run", "sim:mmc,seed=1", "--seed", "1", "--for", "own/mine.toml", "--out", "run")
    ended = iosonde(*words, folder=folder_with(tmp_path, "100.3 us"))
    assert ended.returncode == 10, ended.stderr
    said = " ".join(ended.stdout.split())
    assert "mine: undecided. 1 of 1 requirements is undecided, and none is missed." in said
    assert "Undecided: reads in random-read-4KiB-qd1: the interval contains the bound." in said
    assert "undecided whether it is good enough for mine" in ended.stderr
    page = (tmp_path / "run/report.html").read_text(encoding="utf-8")
    assert "mine: undecided." in page


def test_plan_shows_the_campaign_of_a_purpose(tmp_path: Path) -> None:
    ended = iosonde("plan", "sim:client-nvme", "--for", "etcd", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "profile   etcd: matrix 4" in ended.stdout


@pytest.mark.parametrize("command", ["run", "plan"])
def test_a_requirement_without_a_cell_is_refused_before_the_run(tmp_path: Path, command: str) -> None:
    folder = folder_with(tmp_path, "1 ms")
    mine = folder / "own/mine.toml"
    mine.write_text(mine.read_text().replace("queue_depth = 1", "queue_depth = 2"))
    ended = iosonde(command, "sim:mmc", "--for", "own/mine.toml", folder=folder)
    assert ended.returncode == 2
    assert "own/mine.toml: the campaign has no cell with the workload of reads" in ended.stderr
    assert [each.name for each in folder.iterdir()] == ["own"]


def test_a_file_that_names_no_campaign_is_refused(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "1 ms")
    mine = folder / "own/mine.toml"
    mine.write_text(mine.read_text().replace('campaign = "short.toml"\n', ""))
    ended = iosonde("run", "sim:mmc", "--for", "own/mine.toml", folder=folder)
    assert ended.returncode == 2
    assert "own/mine.toml does not name a campaign" in ended.stderr
    assert 'hint: add campaign = "etcd"' in ended.stderr


def interrupted(folder: Path, name: str) -> None:
    """A run for a purpose that was interrupted after two trials, with the values that the command stores."""
    expected = requirements(name)
    request: RunRequest = profile_request(["sim:mmc,seed=1"], expected.campaign, seed=1)
    with pytest.raises(KeyboardInterrupt):
        measure(replace(request, expected=expected.record), folder / "run", Interrupting(2))


@pytest.mark.parametrize(
    ("limit", "code", "end"),
    [("1 ms", 0, "mine: met."), ("10 us", 9, "mine: not met."), ("100.3 us", 10, "mine: undecided.")],
)
def test_a_resumed_run_ends_with_the_verdict_of_an_uninterrupted_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, code: int, end: str
) -> None:
    folder = folder_with(tmp_path, limit)
    monkeypatch.chdir(folder)
    interrupted(folder, "own/mine.toml")
    # The record has the requirements: a changed or removed file does not change the verdict.
    (folder / "own/mine.toml").unlink()
    ended = iosonde("resume", "run", folder=folder)
    assert ended.returncode == code, ended.stderr
    said = " ".join(ended.stdout.split())
    assert end in said
    assert end in (folder / "run/report.html").read_text(encoding="utf-8")
    checked = iosonde("check", "run", folder=folder)
    assert checked.returncode == code
    assert " ".join(checked.stdout.split()) in said


def test_a_later_report_of_a_run_for_a_purpose_has_the_verdict(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "1 ms")
    words = ("run", "--no-report", "sim:mmc,seed=1", "--seed", "1", "--for", "own/mine.toml", "--out", "run")
    assert iosonde(*words, folder=folder).returncode == 0
    ended = iosonde("report", "run", "--html", "page.html", folder=folder)
    assert ended.returncode == 0, ended.stderr
    assert "mine: met." in ended.stdout
    assert "mine: met." in (folder / "page.html").read_text(encoding="utf-8")
    # Other expected values replace those of the run.
    ended = iosonde("report", "run", "--against", "intel-s4500", "--html", "other.html", folder=folder)
    page = (folder / "other.html").read_text(encoding="utf-8")
    assert "checks against the expected values of Intel DC S4500" in page
    assert "mine: met." not in page


def test_a_check_without_expected_values_says_how_to_give_some(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, "1 ms")
    words = ("run", "--no-report", "sim:mmc,seed=1", "--profile", "own/short.toml", "--out", "run")
    assert iosonde(*words, folder=folder).returncode == 0
    ended = iosonde("check", "run", folder=folder)
    assert ended.returncode == 2
    assert "error: run was not started with expected values (--for or --against)" in ended.stderr
    assert "hint: add --against with the name of a data sheet or a purpose" in ended.stderr


def test_stored_values_that_cannot_be_read_do_not_prevent_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_with(tmp_path, "1 ms")
    monkeypatch.chdir(folder)
    expected = requirements("own/mine.toml").record
    later = expected.model_copy(update={"text": expected.text.replace("at_most", "at_all")})
    request = profile_request(["sim:mmc,seed=1"], "own/short.toml", seed=1)
    measure(replace(request, expected=later), folder / "run")
    ended = iosonde("report", "run", folder=folder)
    assert ended.returncode == 0, ended.stderr
    assert "warning: The comparison with expected values could not be created" in ended.stderr
    assert "unknown key at_all" in ended.stderr
    assert "Random read" in ended.stdout
