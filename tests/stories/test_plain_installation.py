"""The packages of ``pip install iosonde`` are enough for everything but a PDF, whose error names the extra."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.commands import command
from tests.house.checkout import ROOT

LOCKED = re.compile(r"^([A-Za-z0-9._-]+)==", re.MULTILINE)
# As sitecustomize.py, every Python process imports this, including child processes that draw charts.
BLOCKING = """
import sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name in {names!r}:
            raise ModuleNotFoundError(f"{{name}} is in no plain installation", name=name)
sys.meta_path.insert(0, Blocked())
"""


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def blocked() -> Iterator[str]:
    """The modules in this environment that belong to no package of a default installation."""
    plain = set(map(canonical, LOCKED.findall((ROOT / "requirements/runtime.txt").read_text()))) | {"iosonde"}
    for module, packages in packages_distributions().items():
        if not plain & set(map(canonical, packages)):
            yield module


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment variables with which Python cannot import the blocked modules."""
    folder = tmp_path_factory.mktemp("plain")
    (folder / "sitecustomize.py").write_text(BLOCKING.format(names=set(blocked())))
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "100"}


def ended(plain: dict[str, str], folder: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*words), env=plain, cwd=folder, capture_output=True, text=True, check=False)


def test_big_packages_are_among_the_blocked() -> None:
    assert {"scipy", "fontTools", "typst", "pandas"} <= set(blocked())


def test_a_whole_run_needs_no_extra(plain: dict[str, str], tmp_path: Path) -> None:
    measured = ended(plain, tmp_path, "run", "sim:sata-dc", "--quick", "--out", "run")
    assert measured.returncode == 0, measured.stderr
    assert {"report.html", "cells.parquet", "histograms.parquet"} <= {
        path.name for path in (tmp_path / "run").iterdir()
    }
    assert "could not be" not in measured.stderr


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return shutil.copytree(ROOT / "tests/fixtures/runs/v1", tmp_path / "run")


def test_every_other_form_needs_no_extra(plain: dict[str, str], run: Path) -> None:
    forms = ("--html", "x.html", "--markdown", "x.md", "--charts", "charts", "--csv", "csv", "--parquet", "parquet")
    written = ended(plain, run.parent, "report", "run", *forms, "--json", "x.json")
    assert written.returncode == 0, written.stderr
    assert written.stderr.count("wrote ") == 6
    assert ended(plain, run.parent, "show", "run").returncode == 0


def test_a_pdf_is_refused_before_anything_is_written_with_the_way_to_have_it(plain: dict[str, str], run: Path) -> None:
    refused = ended(plain, run.parent, "report", "run", "--html", "x.html", "--pdf", "x.pdf")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.splitlines() == [
        "error: PDF output requires Typst, which is not installed",
        "hint: run `pip install 'iosonde[pdf]'`, or use --html and print the page from a browser",
    ]
    assert [path.name for path in run.parent.iterdir()] == ["run"]
