"""The Python of the guests: Debian's if it can load the libraries of this checkout, because it is optimised.

An interpreter that was built with profile-guided optimisation takes a quarter less time in an emulated machine.
"""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Final

from lab.kernel import CHECKOUT

FOLDER: Final = CHECKOUT / "build/lab/python"
PYTHON: Final = FOLDER / "bin/python"
# The command of this checkout, run by this interpreter.
IOSONDE: Final = FOLDER / "bin/iosonde"
ENGINE: Final = "iosonde-engine"
# Two interpreters with the same value can load the same extension modules. A minimal one has no venv.
BINARY_INTERFACE: Final = "import sysconfig, venv; print(sysconfig.get_config_var('SOABI'))"


def make_environment() -> None:
    """Makes the environment of the guests, with the command, the engine and the libraries of this one."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([chosen(), "-m", "venv", "--without-pip", FOLDER], check=True)
    here, libraries = Path(sys.executable).parent, Path(sysconfig.get_path("purelib"))
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    there = FOLDER / "lib" / version / "site-packages"
    # A .pth file is read only in a folder that Python treats as one for packages.
    (there / "checkout.pth").write_text(f"import site; site.addsitedir({str(libraries)!r})\n")
    shutil.copy2(here / ENGINE, FOLDER / "bin" / ENGINE)
    IOSONDE.write_text(f"#!{PYTHON}\nimport sys\nfrom iosonde.__main__ import start\nsys.exit(start())\n")
    IOSONDE.chmod(0o755)


def chosen() -> Path:
    """Debian's Python if it can load what this Python can, else this Python."""
    debian = Path(f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}")
    this = Path(sys.executable)
    if not debian.exists():
        return this
    asked = subprocess.run([debian, "-c", BINARY_INTERFACE], capture_output=True, text=True, check=False)
    return debian if asked.stdout.strip() == sysconfig.get_config_var("SOABI") else this
