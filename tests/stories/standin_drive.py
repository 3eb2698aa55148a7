"""Turns a loop device into an NVMe drive: a library preloaded into the engine answers the ioctls of the driver."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.house.checkout import ROOT

SOURCE = ROOT / "lab/purge/standin.c"


def built(folder: Path) -> Path:
    """The library, compiled into a folder."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    library = folder / "standin.so"
    words: list[str | Path] = [
        compiler,
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-shared",
        "-fPIC",
        "-o",
        library,
        SOURCE,
        "-ldl",
    ]
    subprocess.run(words, check=True, capture_output=True)
    return library


def standing_in(library: Path, settings: str) -> dict[str, str]:
    """The environment of a command whose drives have these settings, which the library's source explains."""
    return {"LD_PRELOAD": str(library), "STANDIN": settings}
