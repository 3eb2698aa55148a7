"""Runs are found at any depth below a folder, and other files are not taken for runs."""

import os
import shutil
from pathlib import Path

import pytest

from iosonde.errors import RecordError
from iosonde.store import runs_below, write_archive
from tests.house.checkout import ROOT

FIXTURE = ROOT / "tests/fixtures/runs/v1"


def found(folder: Path) -> list[str]:
    return [str(location.path.relative_to(folder)) for location in runs_below(folder)]


def test_runs_are_found_at_any_depth_by_name(tmp_path: Path) -> None:
    for name in ("b", "a/deep/down", "a/first"):
        shutil.copytree(FIXTURE, tmp_path / name)
    assert found(tmp_path) == ["a/deep/down", "a/first", "b"]


def test_archives_are_found_by_their_suffix(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    write_archive(FIXTURE, tmp_path / "deep/mine.iosonde.zip")
    write_archive(FIXTURE, tmp_path / "other.zip")
    (tmp_path / "linked.iosonde.zip").symlink_to(tmp_path / "other.zip")
    assert found(tmp_path) == ["deep/mine.iosonde.zip"]


def test_a_folder_that_is_a_run_is_itself_the_only_one(tmp_path: Path) -> None:
    shutil.copytree(FIXTURE, tmp_path / "run")
    shutil.copytree(FIXTURE, tmp_path / "run/inner")
    assert found(tmp_path / "run") == ["."]


def test_half_a_run_is_found_as_well(tmp_path: Path) -> None:
    for name in ("run.json", "journal"):
        (tmp_path / name.partition(".")[0]).mkdir()
        shutil.copy(FIXTURE / name, tmp_path / name.partition(".")[0])
    assert found(tmp_path) == ["journal", "run"]


def test_files_of_others_with_the_same_names_are_no_runs(tmp_path: Path) -> None:
    (tmp_path / "exported").mkdir()
    (tmp_path / "exported/run.json").write_text('{"export_version":1,"run":{"header":{"schema_version":1}}}')
    (tmp_path / "diary").mkdir()
    (tmp_path / "diary/journal").write_text("today nothing happened")
    (tmp_path / "odd/journal").mkdir(parents=True)
    assert found(tmp_path) == []


def test_hidden_folders_and_links_are_not_followed(tmp_path: Path) -> None:
    shutil.copytree(FIXTURE, tmp_path / ".trash/run")
    (tmp_path / "round").symlink_to(tmp_path)
    shutil.copytree(FIXTURE, tmp_path / "run")
    assert found(tmp_path) == ["run"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look into everything")
def test_a_folder_that_may_not_be_read_is_named_and_the_search_goes_on(tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o000)
    shutil.copytree(FIXTURE, tmp_path / "run")
    locations = list(runs_below(tmp_path))
    assert [(location.path.name, location.unreadable) for location in locations] == [
        ("locked", "Permission denied"),
        ("run", ""),
    ]


def test_a_folder_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="is not a directory"):
        found(tmp_path / "nowhere")
