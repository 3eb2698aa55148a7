"""The files of this checkout, as git sees them."""

import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@cache
def listed() -> tuple[Path, ...] | str:
    """Every file that is committed or could be, or what git said where it could not tell."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        return answer.stderr.strip()
    paths = (ROOT / name for name in answer.stdout.split("\0") if name)
    # A file that was just removed is still listed until that is committed.
    return tuple(sorted(path for path in paths if path.is_file()))


def files_under(*folders: str, suffixes: tuple[str, ...] = ()) -> list[Path]:
    """The checkout's files in ``folders`` (all of it where none is named) that end in one of ``suffixes``."""
    found = listed()
    if isinstance(found, str):
        pytest.skip(f"not a git checkout: {found}", allow_module_level=True)
    places = [ROOT / folder for folder in folders] or [ROOT]
    inside = (path for path in found if any(path.is_relative_to(place) for place in places))
    return [path for path in inside if not suffixes or path.suffix in suffixes]


def name_of(path: Path) -> str:
    """The path as messages give it."""
    return str(path.relative_to(ROOT))
