"""``iosonde run TARGET --for NAME`` says whether a target is good enough for a purpose."""

from pathlib import Path

import pytest

from iosonde.plans import PURPOSES
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
    words = ("run", "sim:enterprise-nvme,seed=1", "--seed", "1", "--for", name, "--out", "run")
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


@pytest.mark.parametrize(("limit", "code", "word"), [("1 ms", 0, "met"), ("10 us", 9, "not met")])
def test_a_file_of_requirements_with_its_campaign_is_a_purpose(
    tmp_path: Path, limit: str, code: int, word: str
) -> None:
    words = ("run", "sim:mmc,seed=1", "--seed", "1", "--for", "own/mine.toml", "--out", "run")
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
