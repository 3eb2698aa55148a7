"""The code in docs/python.md and in the notebook runs unchanged."""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from tests.house.checkout import ROOT

PAGE = ROOT / "docs/python.md"
NOTEBOOK = ROOT / "examples/first-look.ipynb"
RUN = ROOT / "tests/fixtures/runs/v1"
SNIPPETS = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
NOTEBOOK_S_MAX = 60
# This runs in a separate process, because Jupyter leaves its sockets to the garbage collector. Unix sockets need no
# network, but their paths must be short.
EXECUTE = """
import sys
import nbformat
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
source, target, sockets = sys.argv[1:]
manager = KernelManager(kernel_name="python3", transport="ipc", ip=sockets)
notebook = nbformat.read(source, as_version=4)
NotebookClient(notebook, km=manager).execute()
nbformat.write(notebook, target)
"""


def test_the_page_runs_from_its_first_snippet_to_its_last(tmp_path: Path) -> None:
    snippets = SNIPPETS.findall(PAGE.read_text(encoding="utf-8"))
    shutil.copytree(RUN, tmp_path / "run")
    ended = subprocess.run(
        [sys.executable, "-c", "".join(snippets)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert len(snippets) == 7
    assert "--queue-depth 0 is not a whole number from 1 to 4096" in ended.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run"]


def test_the_page_names_every_function_and_table() -> None:
    text = PAGE.read_text(encoding="utf-8")
    names = ("open_run(", "probe(", "run(", "cells()", "intervals()", "histograms()", "findings()", "to_numpy()")
    assert [name for name in names if name not in text] == []


@pytest.fixture
def short_folder() -> Iterator[Path]:
    """A folder with a path short enough for Unix sockets."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def test_the_notebook_is_stored_without_outputs() -> None:
    notebook: NotebookNode = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert code
    assert [(cell.outputs, cell.execution_count) for cell in code] == [([], None)] * len(code)


def test_the_notebook_runs_from_top_to_bottom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, short_folder: Path
) -> None:
    for name in ("JUPYTER_CONFIG_DIR", "IPYTHONDIR", "here"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(short_folder))
    words = [NOTEBOOK, tmp_path / "executed.ipynb", short_folder / "kernel"]
    ended = subprocess.run(
        [sys.executable, "-c", EXECUTE, *map(str, words)],
        cwd=tmp_path / "here",
        capture_output=True,
        text=True,
        timeout=NOTEBOOK_S_MAX,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    notebook: NotebookNode = nbformat.read(words[1], as_version=4)  # type: ignore[no-untyped-call]
    shown = [output.data for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]
    kinds = {kind for data in shown for kind in data}
    assert "image/svg+xml" in kinds
    assert "text/plain" in kinds
    assert list((tmp_path / "here").iterdir()) == []
