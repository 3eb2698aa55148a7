"""A run in every form that people use: written, told, refused where something is in the way, and never half there."""

import os
import shutil
from pathlib import Path

import duckdb
import pypdfium2  # type: ignore[import-untyped] # It comes without types.
import pytest

from tests.commands import iosonde
from tests.house.checkout import ROOT

FORMS = {
    "--html": "page.html",
    "--pdf": "report.pdf",
    "--markdown": "report.md",
    "--charts": "charts",
    "--csv": "tables",
    "--parquet": "parquet",
    "--json": "run.json",
}
WORDS = [word for form in FORMS.items() for word in form]
TABLES = ("cells", "intervals", "histograms")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "tests/fixtures/runs/v1", tmp_path / "run")
    return tmp_path


def test_all_forms_are_written_at_once_and_each_is_told(folder: Path) -> None:
    ended = iosonde("report", "run", *WORDS, folder=folder)
    assert ended.returncode == 0, ended.stderr
    told = [line for line in ended.stderr.splitlines() if line.startswith("wrote ")]
    assert len(told) == len(FORMS)
    for (flag, place), line in zip(FORMS.items(), told, strict=True):
        assert place in line, flag
        assert (folder / place).exists()
    assert not list(folder.rglob("*.part"))
    again = iosonde("report", "run", *WORDS, folder=folder)
    assert (again.returncode, again.stdout) == (7, "")
    assert again.stderr.splitlines()[-2:] == [
        "error: page.html exists",
        "hint: name another file, or replace it with --force",
    ]
    assert iosonde("report", "run", *WORDS, "--force", folder=folder).returncode == 0


def test_parquet_holds_the_same_tables_as_csv(folder: Path) -> None:
    assert iosonde("report", "run", "--csv", "tables", "--parquet", "tables", folder=folder).returncode == 0
    for name in TABLES:
        csv, parquet = folder / f"tables/{name}.csv", folder / f"tables/{name}.parquet"
        with duckdb.connect() as connection:
            table = connection.read_parquet(str(parquet))
            columns, rows = table.columns, table.count("*").fetchall()
        lines = csv.read_text(encoding="utf-8").splitlines()
        assert lines[0].split(",") == columns
        assert rows == [(len(lines) - 1,)]


@pytest.mark.parametrize("flag", ["--markdown", "--charts"])
def test_charts_that_are_there_already_are_kept(folder: Path, flag: str) -> None:
    place = {"--markdown": "report.md", "--charts": "report-charts"}[flag]
    assert iosonde("report", "run", flag, place, folder=folder).returncode == 0
    (folder / "report.md").unlink(missing_ok=True)
    ended = iosonde("report", "run", flag, place, folder=folder)
    assert ended.returncode == 7
    assert ended.stderr.splitlines() == [
        "error: report-charts holds charts already",
        "hint: name another directory, or replace them with --force",
    ]


@pytest.mark.parametrize(("paper", "width_points"), [("a4", 595), ("letter", 612)])
def test_the_paper_can_be_chosen(folder: Path, paper: str, width_points: int) -> None:
    assert iosonde("report", "run", "--pdf", "report.pdf", "--paper", paper, folder=folder).returncode == 0
    document = pypdfium2.PdfDocument(folder / "report.pdf")
    assert int(document[0].get_width()) == width_points
    document.close()


@pytest.mark.parametrize("flag", FORMS)
def test_a_full_disk_is_told_with_a_way_out(folder: Path, small_disk: Path, flag: str) -> None:
    with (small_disk / "ballast").open("wb") as file:
        room = os.statvfs(small_disk)
        os.posix_fallocate(file.fileno(), 0, room.f_bavail * room.f_frsize)
    ended = iosonde("report", "run", flag, small_disk / FORMS[flag], folder=folder)
    assert ended.returncode == 7, ended.stderr
    error, hint = ended.stderr.splitlines()[-2:]
    assert error.startswith("error: can't write ")
    assert error.endswith("No space left on device")
    assert hint == "hint: make room or name another place"
    assert "Traceback" not in ended.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("flag", FORMS)
def test_a_folder_that_may_not_be_written_is_told(folder: Path, flag: str) -> None:
    (folder / "closed").mkdir(mode=0o500)
    ended = iosonde("report", "run", flag, f"closed/{FORMS[flag]}", folder=folder)
    assert ended.returncode == 7
    assert "Permission denied" in ended.stderr
