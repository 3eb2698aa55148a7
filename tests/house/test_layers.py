"""The map of the house: an import points only toward the leaves (pyproject.toml, [tool.importlinter])."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.checkout import ROOT

ROOMS = (
    *(
        "units",
        "vocabulary",
        "errors",
        "failures",
        "printing",
        "children",
        "safe_files",
        "figures",
        "records",
        "plans",
        "machine",
        "store",
        "analysis",
    ),
    *("sources", "findings", "campaign", "expectations", "charts", "report", "cli", "api"),
)

FORBIDDEN = [
    ("errors", "units"),
    ("printing", "safe_files"),
    ("children", "records"),
    ("children", "sources"),
    ("safe_files", "records"),
    ("figures", "records"),
    ("figures", "safe_files"),
    ("records", "plans"),
    ("plans", "machine"),
    ("analysis", "store"),
    ("analysis", "findings"),
    ("sources", "findings"),
    ("findings", "sources"),
    ("sources", "campaign"),
    ("campaign", "report"),
    ("campaign", "expectations"),
    ("expectations", "campaign"),
    ("expectations", "report"),
    ("findings", "expectations"),
    ("charts", "expectations"),
    ("findings", "charts"),
    ("charts", "report"),
    ("charts", "campaign"),
    ("charts", "machine"),
    ("report", "campaign"),
    ("report", "sources"),
    ("report", "machine"),
    ("report", "cli"),
    ("report", "api"),
    ("campaign", "api"),
    ("cli", "api"),
    ("api", "cli"),
]

ALLOWED = [
    *(("cli", room) for room in ROOMS if room not in {"cli", "api"}),
    *(("api", room) for room in ROOMS if room not in {"cli", "api"}),
    *(("campaign", room) for room in ("sources", "findings", "store", "records")),
    *(("expectations", room) for room in ("findings", "analysis", "plans", "records", "units")),
    ("report", "expectations"),
    *(("report", room) for room in ("charts", "findings", "store", "analysis", "records", "units")),
    *(("charts", room) for room in ("findings", "analysis", "records")),
    ("sources", "children"),
    ("units", "errors"),
    ("records", "vocabulary"),
]


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Hold the contracts of pyproject.toml against the package ``iosonde`` that is found first from ``folder``."""
    linter = Path(sys.executable).with_name("lint-imports")
    command = [str(linter), "--no-logo", "--no-cache", "--config", str(ROOT / "pyproject.toml")]
    environment = os.environ | {"PYTHONPATH": str(folder)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def build_house(folder: Path, arrows: list[tuple[str, str]]) -> None:
    """Write a package of empty rooms that import each other as ``arrows`` say."""
    for room in ROOMS:
        place = folder / "iosonde" / room
        place.mkdir(parents=True)
        lines = [f"import iosonde.{target}\n" for source, target in arrows if source == room]
        (place / "__init__.py").write_text("".join(lines))
    (folder / "iosonde" / "__init__.py").touch()


def test_every_import_points_toward_the_leaves() -> None:
    answer = lint_imports(ROOT / "src")
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_the_arrows_of_the_map_are_allowed(tmp_path: Path) -> None:
    build_house(tmp_path, ALLOWED)
    answer = lint_imports(tmp_path)
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.parametrize(("source", "target"), FORBIDDEN)
def test_an_arrow_against_the_map_is_found(tmp_path: Path, source: str, target: str) -> None:
    build_house(tmp_path, [(source, target)])
    answer = lint_imports(tmp_path)
    assert answer.returncode == 1, answer.stdout + answer.stderr
    assert f"iosonde.{source} is not allowed to import iosonde.{target}" in answer.stdout


def test_a_way_through_another_room_is_found(tmp_path: Path) -> None:
    build_house(tmp_path, [("report", "plans"), ("plans", "records"), ("records", "machine")])
    answer = lint_imports(tmp_path)
    assert answer.returncode == 1
    assert "iosonde.report is not allowed to import iosonde.machine" in answer.stdout


def test_a_room_without_a_place_on_the_map_is_found(tmp_path: Path) -> None:
    build_house(tmp_path, [])
    (tmp_path / "iosonde" / "util.py").touch()
    answer = lint_imports(tmp_path)
    assert answer.returncode == 1
    assert "util" in answer.stdout
