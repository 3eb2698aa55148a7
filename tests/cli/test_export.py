"""Archives of runs: ``iosonde export`` writes them next to the run, and other commands read them."""

import json
import shutil
from pathlib import Path

import pytest

from iosonde.store import load_run
from tests.commands import iosonde
from tests.house.checkout import ROOT

RUN = ROOT / "tests/fixtures/runs/v1"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a run in it."""
    shutil.copytree(RUN, tmp_path / "mine")
    return tmp_path


def test_a_run_is_packed_beside_itself_and_the_file_is_named(folder: Path) -> None:
    (folder / "mine/tables").mkdir()
    ended = iosonde("export", "mine", "--as", "archive", folder=folder)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("mine.iosonde.zip: 2 files, ")
    assert ended.stderr == "not archived: tables (an archive contains only the standard files of a run)\n"
    assert load_run(folder / "mine.iosonde.zip") == load_run(RUN)


def test_the_directory_that_one_stands_in_is_packed_beside_itself(folder: Path) -> None:
    assert iosonde("export", ".", folder=folder / "mine").returncode == 0
    assert sorted(path.name for path in folder.iterdir()) == ["mine", "mine.iosonde.zip"]
    assert sorted(path.name for path in (folder / "mine").iterdir()) == ["journal", "run.json"]


def test_an_archive_is_replaced_only_when_that_is_asked(folder: Path) -> None:
    (folder / "mine.iosonde.zip").write_text("precious")
    ended = iosonde("export", "mine", folder=folder)
    assert (ended.returncode, (folder / "mine.iosonde.zip").read_text()) == (7, "precious")
    assert iosonde("export", "mine", "--force", folder=folder).returncode == 0
    assert load_run(folder / "mine.iosonde.zip") == load_run(RUN)


def test_the_report_of_an_archive_goes_beside_it_and_is_that_of_the_directory(folder: Path) -> None:
    assert iosonde("export", "mine", folder=folder).returncode == 0
    packed = iosonde("report", "mine.iosonde.zip", folder=folder)
    assert packed.returncode == 0, packed.stderr
    assert iosonde("report", "mine", folder=folder).returncode == 0
    assert (folder / "mine.html").read_bytes() == (folder / "mine/report.html").read_bytes()
    again = iosonde("report", "mine.iosonde.zip", folder=folder)
    assert (again.returncode, "mine.html exists" in again.stderr) == (7, True)


def test_the_tables_of_an_archive_are_those_of_the_directory(folder: Path) -> None:
    assert iosonde("export", "mine", folder=folder).returncode == 0
    for run, tables in (("mine", "a"), ("mine.iosonde.zip", "b")):
        assert iosonde("report", run, "--csv", tables, folder=folder).returncode == 0
    for name in ("cells", "intervals", "histograms"):
        assert (folder / f"a/{name}.csv").read_bytes() == (folder / f"b/{name}.csv").read_bytes()
    assert not (folder / "mine.html").exists()


def test_an_archive_is_packed_again_into_the_same_bytes(folder: Path) -> None:
    assert iosonde("export", "mine", folder=folder).returncode == 0
    assert iosonde("export", "mine.iosonde.zip", "--out", "again.zip", folder=folder).returncode == 0
    assert (folder / "again.zip").read_bytes() == (folder / "mine.iosonde.zip").read_bytes()


def test_an_archive_is_listed_and_shown_as_its_directory_is(folder: Path) -> None:
    assert iosonde("export", "mine", folder=folder).returncode == 0
    shown = [iosonde("show", run, folder=folder) for run in ("mine", "mine.iosonde.zip")]
    assert shown[0].stdout == shown[1].stdout != ""
    listed = json.loads(iosonde("list", ".", "--json", folder=folder).stdout)
    assert sorted(line.pop("path") for line in listed) == ["mine", "mine.iosonde.zip"]
    assert listed[0] == listed[1]
