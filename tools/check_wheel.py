"""Checks that the packages in dist/ work in an empty virtual environment, outside the checkout."""

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
FORMS = ("--html", "x.html", "--markdown", "x.md", "--csv", "csv", "--parquet", "parquet", "--json", "x.json")
PDF = ("--pdf", "x.pdf")
USAGE_ERROR = 2
SECONDS_MAX = 60
# Half of the size before docs/decisions/0041.
MEGABYTES_MAX = 270
COME_WITH_PYTHON = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence.pth")
ENGINE_FILES = ("Cargo.toml", "Cargo.lock", "src/main.rs")
DATA_FOLDERS = ("report/templates", "report/static", "report/fonts")


def main() -> None:
    """Check the only sdist and the only wheel in dist/. Exits with a message and code 1 if one is wrong."""
    sdist, wheel = only_one("*.tar.gz"), only_one("*.whl")
    check_sdist(sdist)
    check_wheel_files(wheel)
    with tempfile.TemporaryDirectory(prefix="iosonde wheel ") as folder:
        check_installed(wheel, Path(folder))
    print(f"{wheel.name} works in an empty environment, with a release engine")


def only_one(pattern: str) -> Path:
    """The only file in dist/ that matches. With two, it would be unclear which one was checked."""
    found = sorted((ROOT / "dist").glob(pattern))
    if len(found) != 1:
        sys.exit(f"expected one {pattern} in dist/, found {len(found)}")
    return found[0]


def check_sdist(sdist: Path) -> None:
    """Checks that the sdist has the sources of the engine, and no build products."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    missing = [name for name in ENGINE_FILES if f"engine/{name}" not in names]
    if missing:
        sys.exit(f"{sdist.name} lacks engine/{missing[0]}")
    built = [name for name in names if name.startswith("engine/target/")]
    if built:
        sys.exit(f"{sdist.name} holds {built[0]}")


def check_wheel_files(wheel: Path) -> None:
    """Checks that the wheel has the engine, the manual pages, and every data file of the package."""
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
    """The data files of the package, by their names in a wheel."""
    package = ROOT / "src" / "iosonde"
    yield "iosonde/py.typed"
    for path in package.rglob("*.toml"):
        yield f"iosonde/{path.relative_to(package)}"
    for folder in DATA_FOLDERS:
        for path in (package / folder).rglob("*"):
            if path.is_file():
                yield f"iosonde/{path.relative_to(package)}"


def check_installed(wheel: Path, folder: Path) -> None:
    """Checks that a default installation measures with a release engine, and writes every output except a PDF.

    With all extras it also writes a PDF.
    """
    place = Installed(folder)
    place.install("--require-hashes", "-r", str(ROOT / "requirements" / "runtime.txt"))
    place.install("--no-deps", str(wheel))
    profiles = list(build_profiles(json.loads(place.iosonde(*PROBE))))
    if not profiles or any(profile != "release" for profile in profiles):
        sys.exit(f"the engine in {wheel.name} says build profile {profiles}, not release")
    place.iosonde("run", "sim:sata-dc", "--quick", "--out", "run")
    place.iosonde("report", "run", *FORMS)
    refused = place.ended("report", "run", *PDF)
    if refused.returncode != USAGE_ERROR or "pip install 'iosonde[pdf]'" not in refused.stderr:
        sys.exit(f"a PDF without what typesets it: exit code {refused.returncode}, {refused.stderr}")
    size = place.megabytes()
    if size > MEGABYTES_MAX:
        sys.exit(f"what {wheel.name} brings takes {size:.0f} MB, more than {MEGABYTES_MAX}")
    print(f"what it brings takes {size:.0f} MB")
    place.install("--require-hashes", "-r", str(ROOT / "requirements" / "all.txt"))
    place.iosonde("report", "run", *PDF)


class Installed:
    """A new virtual environment outside the checkout, without environment variables that lead to it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._environment = foreign_environment()
        self._place = folder / "venv"
        venv.create(self._place, with_pip=True)

    def install(self, *words: str) -> None:
        """Runs ``pip install`` with these arguments."""
        pip = [str(self._place / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *words], cwd=self._folder, env=self._environment, check=True)

    def ended(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs an ``iosonde`` command, with any exit code."""
        return subprocess.run(
            [str(self._place / "bin" / "iosonde"), *words],
            cwd=self._folder, env=self._environment, capture_output=True, text=True, timeout=SECONDS_MAX, check=False,
        )  # fmt: skip

    def iosonde(self, *words: str) -> str:
        """Runs an ``iosonde`` command and returns its stdout. Exits with its message if it fails."""
        done = self.ended(*words)
        if done.returncode:
            sys.exit(f"iosonde {' '.join(words)} ends with {done.returncode}: {done.stderr}")
        return done.stdout

    def megabytes(self) -> float:
        """The size of all packages in MB, without those that come with a virtual environment, such as pip."""
        packages = next(self._place.glob("lib/python*/site-packages"))
        own = [each for each in packages.iterdir() if not each.name.startswith(COME_WITH_PYTHON)]
        files = [path for each in own for path in (each.rglob("*") if each.is_dir() else [each]) if path.is_file()]
        return sum(path.stat().st_size for path in files) / 1e6


def foreign_environment() -> dict[str, str]:
    """The environment of this process, without variables and paths of the checkout or its virtual environment."""
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
