"""What a user says of a run is kept with it, and stands in every form."""

import json
from pathlib import Path

import pytest

from tests.commands import few_cells, iosonde

ABOUT = '[about]\ntester = "J. Doe"\n"NAND type" = "3D TLC"\n'


@pytest.fixture
def described(tmp_path: Path) -> Path:
    """A run with a label, a note and two facts of its campaign file."""
    campaign = few_cells(tmp_path)
    campaign.write_text(campaign.read_text().replace("[[experiment]]", f"{ABOUT}[[experiment]]", 1))
    words = ("run", "sim:fixed", "--profile", campaign, "--out", "run", "--label", "before update", "--note", "slot 3")
    ended = iosonde(*words, folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    return tmp_path


def test_the_list_names_a_run_by_its_label(described: Path) -> None:
    shown = iosonde("list", ".", folder=described)
    assert "Label" in shown.stdout
    assert "before update" in shown.stdout
    assert json.loads(iosonde("list", ".", "--json", folder=described).stdout)[0]["label"] == "before update"


def test_every_form_of_the_report_has_label_note_and_facts(described: Path) -> None:
    ended = iosonde("report", "run", "--markdown", "run.md", "--json", "run.json", folder=described)
    assert ended.returncode == 0, ended.stderr
    page, text = (described / "run/report.html").read_text(), (described / "run.md").read_text()
    for form in (page, text):
        for words in ("Label", "before update", "Note", "slot 3", "Tester", "J. Doe", "NAND type", "3D TLC"):
            assert words in form
    header = json.loads((described / "run.json").read_text())["run"]["header"]
    assert (header["label"], header["note"]) == ("before update", "slot 3")
    assert header["plan"]["about"] == [["tester", "J. Doe"], ["NAND type", "3D TLC"]]


def test_a_run_without_a_label_has_no_such_column(tmp_path: Path) -> None:
    campaign = few_cells(tmp_path, about='"to show that a text is the purpose"')
    assert iosonde("run", "sim:fixed", "--profile", campaign, "--out", "run", folder=tmp_path).returncode == 0
    assert "Label" not in iosonde("list", ".", folder=tmp_path).stdout
    assert "to show that a text is the purpose" in (tmp_path / "run/report.html").read_text()


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--label", "x" * 65), "--label has 65 characters, more than 64"),
        (("--label", "two\nlines"), "--label contains a control character"),
        (("--note", "x" * 1001), "--note has 1001 characters, more than 1000"),
    ],
)
def test_a_label_that_would_break_a_list_is_refused(tmp_path: Path, words: tuple[str, str], problem: str) -> None:
    ended = iosonde("run", "sim:fixed", "--out", "run", *words, folder=tmp_path)
    assert ended.returncode == 2
    assert problem in ended.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("about", "problem"),
    [
        ("about = 3", "about = 3 must be text, or a table of texts"),
        ("about = { tester = 3 }", "tester must be text in quotes"),
        ('about = { "" = "x" }', "a name has 1 to 64 characters"),
        ('about = { a = "line\\nbreak" }', "a contains a control character"),
    ],
)
def test_facts_of_another_kind_are_refused(tmp_path: Path, about: str, problem: str) -> None:
    campaign = few_cells(tmp_path)
    campaign.write_text(f"{about}\n{campaign.read_text()}")
    ended = iosonde("plan", "sim:fixed", "--profile", campaign, folder=tmp_path)
    assert ended.returncode == 2
    assert problem in ended.stderr
