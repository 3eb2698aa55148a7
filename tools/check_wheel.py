"""Proves that what is in dist/ works where nothing else is: a new virtual environment, outside the checkout."""

import json
import os
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROBE = ("probe", "null:", "--duration", "1s", "--json")
PROBE_SECONDS_MAX = 60
ENGINE_FILES = ("Cargo.toml", "Cargo.lock", "src/main.rs")
DATA_FOLDERS = ("report/templates", "report/static", "report/fonts")


def main() -> None:
    """Check the one sdist and the one wheel in dist/, and end with a message and exit code 1 where one is wrong."""
    sdist, wheel = only_one("*.tar.gz"), only_one("*.whl")
    check_sdist(sdist)
    check_wheel_files(wheel)
    with tempfile.TemporaryDirectory(prefix="iosonde wheel ") as folder:
        check_installed(wheel, Path(folder))
    print(f"{wheel.name} works in an empty environment, with a release engine")


def only_one(pattern: str) -> Path:
    """The only file in dist/ that matches; two would leave open which of them was checked."""
    found = sorted((ROOT / "dist").glob(pattern))
    if len(found) != 1:
        sys.exit(f"expected one {pattern} in dist/, found {len(found)}")
    return found[0]


def check_sdist(sdist: Path) -> None:
    """The sdist holds all that the engine is built from, and nothing that was built."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    missing = [name for name in ENGINE_FILES if f"engine/{name}" not in names]
    if missing:
        sys.exit(f"{sdist.name} lacks engine/{missing[0]}")
    built = [name for name in names if name.startswith("engine/target/")]
    if built:
        sys.exit(f"{sdist.name} holds {built[0]}")


def check_wheel_files(wheel: Path) -> None:
    """The wheel holds the engine, and every data file of the package."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    if not any(name.endswith(".data/scripts/iosonde-engine") for name in names):
        sys.exit(f"{wheel.name} lacks the engine")
    if not any(name.endswith(".data/data/share/man/man1/iosonde.1") for name in names):
        sys.exit(f"{wheel.name} lacks the manual pages")
    missing = sorted(set(data_files()) - set(names))
    if missing:
        sys.exit(f"{wheel.name} lacks {missing[0]}")


def data_files() -> Iterator[str]:
    """The data files of the package, as a wheel names them."""
    package = ROOT / "src" / "iosonde"
    yield "iosonde/py.typed"
    for path in (package / "plans").rglob("*.toml"):
        yield f"iosonde/{path.relative_to(package)}"
    for folder in DATA_FOLDERS:
        for path in (package / folder).rglob("*"):
            if path.is_file():
                yield f"iosonde/{path.relative_to(package)}"


def check_installed(wheel: Path, folder: Path) -> None:
    """The wheel installs with the locked packages and measures a null target with a release engine."""
    environment = foreign_environment()
    place = folder / "venv"
    venv.create(place, with_pip=True)
    install = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    locked = ["--require-hashes", "-r", str(ROOT / "requirements" / "runtime.txt")]
    subprocess.run([*install, *locked], cwd=folder, env=environment, check=True)
    subprocess.run([*install, "--no-deps", str(wheel)], cwd=folder, env=environment, check=True)
    command = [str(place / "bin" / "iosonde"), *PROBE]
    answer = subprocess.run(
        command, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, timeout=PROBE_SECONDS_MAX
    )
    profiles = list(build_profiles(json.loads(answer.stdout)))
    if not profiles or any(profile != "release" for profile in profiles):
        sys.exit(f"the engine in {wheel.name} says build profile {profiles}, not release")


def foreign_environment() -> dict[str, str]:
    """This process's environment without what could lead to the checkout or to its virtual environment."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    folders = environment.get("PATH", os.defpath).split(os.pathsep)
    outside = [folder for folder in folders if not Path(folder).absolute().is_relative_to(ROOT)]
    return environment | {"PATH": os.pathsep.join(outside)}


def build_profiles(value: object) -> Iterator[object]:
    """Every ``build_profile`` in a JSON value, at any depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "build_profile":
                yield inner
            else:
                yield from build_profiles(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from build_profiles(inner)


if __name__ == "__main__":
    main()
