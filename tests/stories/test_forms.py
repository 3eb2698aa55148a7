"""Every report format of a run: it is written and named, existing files are kept, and no partial file is left."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pypdfium2  # type: ignore[import-untyped] # It has no type hints.
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


@dataclass(frozen=True)
class Written:
    """A run and its reports in all formats, written once for all tests of this module."""

    folder: Path
    told: tuple[str, ...]

    def copy(self, to: Path) -> Path:
        return shutil.copytree(self.folder, to, dirs_exist_ok=True)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("forms")
    shutil.copytree(ROOT / "tests/fixtures/runs/v1", folder / "run")
    ended = iosonde("report", "run", *WORDS, folder=folder)
    assert ended.returncode == 0, ended.stderr
    return Written(folder, tuple(line for line in ended.stderr.splitlines() if line.startswith("wrote ")))


def test_all_forms_are_written_at_once_and_each_is_told(written: Written) -> None:
    assert len(written.told) == len(FORMS)
    for (flag, place), line in zip(FORMS.items(), written.told, strict=True):
        assert place in line, flag
        assert (written.folder / place).exists()
    assert not list(written.folder.rglob("*.part"))


def test_forms_that_are_there_are_replaced_only_when_that_is_asked_for(written: Written, tmp_path: Path) -> None:
    folder = written.copy(tmp_path)
    again = iosonde("report", "run", *WORDS, folder=folder)
    assert (again.returncode, again.stdout) == (7, "")
    assert again.stderr.splitlines()[-2:] == [
        "error: page.html exists",
        "hint: specify another file, or use --force to replace it",
    ]
    assert iosonde("report", "run", *WORDS, "--force", folder=folder).returncode == 0


def test_parquet_holds_the_same_tables_as_csv(written: Written) -> None:
    for name in TABLES:
        csv, parquet = written.folder / f"tables/{name}.csv", written.folder / f"parquet/{name}.parquet"
        with duckdb.connect() as connection:
            table = connection.read_parquet(str(parquet))
            columns, rows = table.columns, table.count("*").fetchall()
        lines = csv.read_text(encoding="utf-8").splitlines()
        assert lines[0].split(",") == columns
        assert rows == [(len(lines) - 1,)]


@pytest.mark.parametrize(("flag", "holder"), [("--markdown", "report-charts"), ("--charts", "charts")])
def test_charts_that_are_there_already_are_kept(written: Written, tmp_path: Path, flag: str, holder: str) -> None:
    folder = written.copy(tmp_path)
    (folder / "report.md").unlink()
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    ended = iosonde("report", "run", flag, FORMS[flag], folder=folder)
    assert ended.returncode == 7
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert ended.stderr.splitlines() == [
        f"error: {holder} already contains charts",
        "hint: specify another directory, or use --force to replace them",
    ]


@pytest.mark.parametrize(("paper", "width_points"), [("a4", 595), ("letter", 612)])
def test_the_paper_can_be_chosen(folder: Path, paper: str, width_points: int) -> None:
    assert iosonde("report", "run", "--pdf", "report.pdf", "--paper", paper, folder=folder).returncode == 0
    document = pypdfium2.PdfDocument(folder / "report.pdf")
    assert int(document[0].get_width()) == width_points
    document.close()


@pytest.mark.parametrize("flag", FORMS)
def test_a_full_disk_is_told_with_a_way_out_and_holds_no_part_of_a_form(
    folder: Path, written: Written, small_disk: Path, flag: str
) -> None:
    # The free space is half of what the report needs, so the disk fills up halfway.
    places = [FORMS[flag], *(["report-charts"] if flag == "--markdown" else [])]
    files = [path for place in places for path in [written.folder / place, *(written.folder / place).glob("*")]]
    needed_bytes = sum(path.stat().st_size for path in files if path.is_file())
    with (small_disk / "ballast").open("wb") as file:
        room = os.statvfs(small_disk)
        os.posix_fallocate(file.fileno(), 0, room.f_bavail * room.f_frsize - needed_bytes // 2)
    ended = iosonde("report", "run", flag, small_disk / FORMS[flag], folder=folder)
    assert ended.returncode == 7, ended.stderr
    error, hint = ended.stderr.splitlines()[-2:]
    assert error.startswith("error: cannot write ")
    assert error.endswith("No space left on device")
    assert hint == "hint: free some space, or use another directory"
    assert "Traceback" not in ended.stderr
    assert [path for path in small_disk.rglob("*") if path.is_file()] == [small_disk / "ballast"]


@pytest.mark.parametrize("flag", FORMS)
def test_a_folder_that_may_not_be_written_is_told(folder: Path, flag: str) -> None:
    (folder / "closed").mkdir(mode=0o500)
    ended = iosonde("report", "run", flag, f"closed/{FORMS[flag]}", folder=folder, may_override_modes=False)
    assert ended.returncode == 7
    assert "Permission denied" in ended.stderr
