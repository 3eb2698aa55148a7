"""What the hostile cases stand on."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.commands import few_cells, iosonde
from tests.hostile.harness import broken_off


@pytest.fixture(scope="session")
def finished_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole run of a simulated drive, which nobody changes."""
    folder = tmp_path_factory.mktemp("finished")
    run = folder / "run"
    result = iosonde("run", "sim:mm1,seed=3", "--profile", few_cells(folder), "--seed", 1, "--out", run)
    assert result.returncode == 0, result.stderr
    return run


@pytest.fixture
def finished(finished_once: Path, tmp_path: Path) -> Path:
    """A copy of it, to be changed."""
    return Path(shutil.copytree(finished_once, tmp_path / "run"))


@pytest.fixture(scope="session")
def killed_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was killed, with its file still there; nobody changes it."""
    return broken_off(tmp_path_factory.mktemp("killed"))


@pytest.fixture
def killed(killed_once: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of its directory; the file that it speaks of is the one of all copies, and must stay."""
    made = list((killed_once.parent / "place").iterdir())
    assert len(made) == 1, "a killed run leaves its file"
    yield Path(shutil.copytree(killed_once, tmp_path / "run"))
    assert list((killed_once.parent / "place").iterdir()) == made, "nothing here may take it away"
