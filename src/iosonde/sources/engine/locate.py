"""Finds the engine's binary."""

import os
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from iosonde.errors import EngineError

NAME: Final = "iosonde-engine"
OVERRIDE: Final = "IOSONDE_ENGINE"


def find_engine() -> Path:
    """The engine's binary: from the environment variable, else from the installation. Raises EngineError."""
    override = os.environ.get(OVERRIDE)
    if override:
        path = Path(override)
        if not _runnable(path):
            raise EngineError(
                f"{OVERRIDE} is set to {path}, which is not an executable file", f"unset {OVERRIDE} or correct it"
            )
        return path
    places = list(dict.fromkeys(_places()))
    for place in places:
        if _runnable(place / NAME):
            return place / NAME
    searched = ", ".join(str(place) for place in places)
    raise EngineError(
        f"{NAME} was not found in {searched}", "install iosonde again, or set IOSONDE_ENGINE to the path of the binary"
    )


def _runnable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _places() -> Iterator[Path]:
    """Where installers put programs: next to this interpreter, in the user's scheme, or in a --target directory."""
    yield Path(sysconfig.get_path("scripts"))
    yield Path(sys.executable).parent
    yield Path(sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user")))
    yield Path(__file__).resolve().parents[3] / "bin"
