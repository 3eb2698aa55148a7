"""The manual pages match the code, and `man` can show them."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest
from typer.main import get_command

from iosonde.cli.main import app
from tests.house.checkout import ROOT
from tools.reference.commands import leaves
from tools.reference.man import man_pages

FOLDER: Final = ROOT / "docs/man"
PAGES: Final = man_pages()


@pytest.mark.parametrize("name", PAGES)
def test_the_published_page_is_that_of_the_code(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == PAGES[name], "make docs writes it anew"


def test_there_is_a_page_for_each_command_and_no_other() -> None:
    commands = {f"iosonde-{name.replace(' ', '-')}.1" for name, _ in leaves(get_command(app))}
    assert set(PAGES) == {"iosonde.1", *commands} == {path.name for path in FOLDER.iterdir()}


@pytest.mark.parametrize("name", PAGES)
def test_troff_has_nothing_to_warn_of(name: str) -> None:
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff is not installed")
    words = [groff, "-man", "-Tutf8", "-ww", "-P-c", str(FOLDER / name)]
    ended = subprocess.run(words, capture_output=True, text=True, check=True)
    assert ended.stderr == ""
    # A bold character is printed twice, with a backspace in between.
    assert {"NAME", "SYNOPSIS", "OPTIONS"} <= set(re.sub(r".\x08", "", ended.stdout).split())


def test_every_option_of_probe_stands_on_its_page() -> None:
    command = dict(leaves(get_command(app)))["probe"]
    options = [name for each in command.params if each.param_type_name == "option" for name in each.opts]
    assert len(options) > 20
    assert [name for name in options if f".B {name.replace('-', chr(92) + '-')}" not in PAGES["iosonde-probe.1"]] == []


def test_man_finds_them_beside_the_command(tmp_path: Path) -> None:
    man = shutil.which("man")
    if man is None:
        pytest.skip("man is not installed")
    (tmp_path / "bin").mkdir()
    place = tmp_path / "share/man/man1"
    place.mkdir(parents=True)
    for name in PAGES:
        shutil.copy(FOLDER / name, place)
    ended = subprocess.run(
        [man, "-w", "iosonde-probe"],
        env={"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    if "minimized" in ended.stdout:
        pytest.skip("man is a stand-in here: the system has no manual pages")
    assert (ended.returncode, ended.stdout.strip()) == (0, str(place / "iosonde-probe.1")), ended.stderr
