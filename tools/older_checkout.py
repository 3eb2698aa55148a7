"""A temporary checkout of an older commit, for comparisons with this one."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
GIT: Final = shutil.which("git") or "git"


@contextmanager
def older_checkout(commit: str) -> Iterator[Path]:
    """Yields the directory of the checkout, and removes it at the end."""
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / "source"
        subprocess.run([GIT, "worktree", "add", "--detach", "-q", str(source), commit], cwd=ROOT, check=True)
        try:
            yield source
        finally:
            subprocess.run([GIT, "worktree", "remove", "--force", str(source)], cwd=ROOT, check=True)
