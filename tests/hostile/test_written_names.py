"""Names that lead elsewhere where iosonde writes: whatever lies at or beside the name of an output stays as it is."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.commands import iosonde
from tests.hostile.harness import Victim, assert_nothing_left, assert_refused, tree_of, victim

# What is asked for, and the file that it writes.
OUTPUTS: dict[str, tuple[tuple[str, ...], str]] = {
    "report": (("report", "run"), "run/report.html"),
    "html": (("report", "run", "--force", "--html", "out/x.html"), "out/x.html"),
    "json": (("report", "run", "--force", "--json", "out/x.json"), "out/x.json"),
    "csv": (("report", "run", "--force", "--csv", "out"), "out/cells.csv"),
    "parquet": (("report", "run", "--force", "--parquet", "out"), "out/cells.parquet"),
    "archive": (("export", "run", "--force", "--as", "archive", "--out", "out/x.iosonde.zip"), "out/x.iosonde.zip"),
    "pdf": (("report", "run", "--force", "--pdf", "out/x.pdf"), "out/x.pdf"),
    "markdown": (("report", "run", "--force", "--markdown", "out/x.md"), "out/x.md"),
}
QUICK = ("report", "html", "json", "csv", "parquet", "archive")


def link(name: Path, aim: Victim) -> None:
    name.symlink_to(aim.path)


def dangling_link(name: Path, aim: Victim) -> None:
    name.symlink_to(aim.path.with_name("not-there"))


def hard_link(name: Path, aim: Victim) -> None:
    name.hardlink_to(aim.path)


def pipe(name: Path, aim: Victim) -> None:
    del aim
    os.mkfifo(name)


def folder(name: Path, aim: Victim) -> None:
    name.mkdir()
    (name / "inner").write_bytes(aim.path.read_bytes())


def device_link(name: Path, aim: Victim) -> None:
    del aim
    name.symlink_to("/dev/full")


def plain(name: Path, aim: Victim) -> None:
    name.write_bytes(aim.path.read_bytes())


Trap = Callable[[Path, Victim], None]


def _place(finished: Path, output: str) -> tuple[tuple[str, ...], Path]:
    words, name = OUTPUTS[output]
    path = finished.parent / name
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    return words, path


@pytest.mark.parametrize("trap", [link, dangling_link, pipe, folder, device_link], ids=lambda trap: trap.__name__)
@pytest.mark.parametrize("output", OUTPUTS)
def test_what_is_no_plain_file_at_the_name_is_refused_and_left(finished: Path, output: str, trap: Trap) -> None:
    precious = victim(finished.parent / "theirs/precious")
    words, path = _place(finished, output)
    trap(path, precious)
    before, kind = tree_of(finished.parent), path.lstat()[:2]
    result = iosonde(*words, folder=finished.parent)
    assert_refused(result, 7)
    precious.assert_untouched()
    assert path.lstat()[:2] == kind
    assert_nothing_left(finished.parent, before)


@pytest.mark.parametrize("output", QUICK)
def test_another_name_of_somebodys_file_is_parted_from_it(finished: Path, output: str) -> None:
    precious = victim(finished.parent / "theirs/precious")
    words, path = _place(finished, output)
    hard_link(path, precious)
    result = iosonde(*words, folder=finished.parent)
    assert result.returncode == 0, result.stderr
    precious.assert_untouched()
    assert path.stat().st_ino != precious.path.stat().st_ino


@pytest.mark.parametrize("trap", [link, hard_link, pipe, folder, device_link, plain], ids=lambda trap: trap.__name__)
@pytest.mark.parametrize("output", QUICK)
def test_what_lies_beside_the_name_is_neither_opened_nor_removed(finished: Path, output: str, trap: Trap) -> None:
    precious = victim(finished.parent / "theirs/precious")
    words, path = _place(finished, output)
    beside = [path.with_name(name) for name in (f".{path.name}.part", f"tmp_{path.name}", f"{path.name}.tmp")]
    for name in beside:
        trap(name, precious)
    before = [name.lstat() for name in beside]
    result = iosonde(*words, folder=finished.parent)
    assert result.returncode == 0, result.stderr
    precious.assert_untouched()
    assert [name.lstat()[:2] for name in beside] == [each[:2] for each in before]
    assert path.is_file()


@pytest.mark.parametrize("output", QUICK)
def test_an_output_that_does_not_fit_leaves_nothing_and_what_was_there(finished: Path, output: str) -> None:
    words, path = _place(finished, output)
    kept = victim(path)
    before = tree_of(finished.parent)
    result = iosonde(*words, folder=finished.parent, file_bytes_max=2048)
    assert_refused(result, 7)
    kept.assert_untouched()
    assert_nothing_left(finished.parent, before)


def test_two_outputs_of_one_name_are_refused(finished: Path) -> None:
    words = ("report", "run", "--html", "a", "--json", "b/../a")
    (finished.parent / "b").mkdir()
    result = iosonde(*words, folder=finished.parent)
    assert_refused(result, 2)
    assert not (finished.parent / "a").exists()


def test_a_table_and_another_output_of_one_name_are_refused(finished: Path) -> None:
    words = ("report", "run", "--csv", "tables", "--html", "tables/cells.csv")
    assert_refused(iosonde(*words, folder=finished.parent), 2)
    assert not (finished.parent / "tables").exists()


def test_an_output_whose_name_is_as_long_as_names_can_be_is_written(finished: Path) -> None:
    name = "x" * 250 + ".html"
    assert iosonde("report", "run", "--html", name, folder=finished.parent).returncode == 0
    assert (finished.parent / name).is_file()


def test_an_output_whose_name_is_too_long_is_told(finished: Path) -> None:
    result = iosonde("report", "run", "--html", "x" * 300, folder=finished.parent)
    assert_refused(result, 7)
    assert "shorter" in result.stderr
