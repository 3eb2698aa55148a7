"""The map of the house: an import points only toward the leaves (pyproject.toml, [tool.importlinter])."""

import os
import subprocess
import sys
from collections.abc import Iterable
from copy import deepcopy
from pathlib import Path
from typing import Final

import pytest
from grimp import ImportGraph
from importlinter.api import read_configuration
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract
from importlinter.domain.contract import Contract, ContractCheck

from tests.house.checkout import ROOT

SETTINGS: Final = ROOT / "pyproject.toml"

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
        "workload_keys",
        "records",
        "plans",
        "machine",
        "store",
        "analysis",
    ),
    *("sources", "findings", "campaign", "expectations", "charts", "explanations", "report", "cli", "api"),
)

FORBIDDEN = [
    ("errors", "units"),
    ("printing", "safe_files"),
    ("children", "records"),
    ("children", "sources"),
    ("safe_files", "records"),
    ("figures", "records"),
    ("figures", "safe_files"),
    ("workload_keys", "records"),
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
    ("findings", "explanations"),
    ("charts", "explanations"),
    ("expectations", "explanations"),
    ("explanations", "campaign"),
    ("explanations", "report"),
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
    *(("workload_keys", room) for room in ("units", "vocabulary", "errors")),
    *(("plans", room) for room in ("workload_keys", "records")),
]


CONTRACTS: Final[dict[str, type[Contract]]] = {"layers": LayersContract, "forbidden": ForbiddenContract}


def contracts() -> list[Contract]:
    """Those of pyproject.toml."""
    found = read_configuration(str(SETTINGS))
    return [
        CONTRACTS[each["type"]](name=each["name"], session_options=found["session_options"], contract_options=each)
        for each in found["contracts_options"]
    ]


def house(arrows: Iterable[tuple[str, str]], rooms: Iterable[str] = ROOMS) -> ImportGraph:
    """A package of empty rooms that import each other as ``arrows`` say."""
    graph = ImportGraph()
    for module in ("iosonde", *(f"iosonde.{room}" for room in rooms)):
        graph.add_module(module)
    for source, target in arrows:
        graph.add_import(importer=f"iosonde.{source}", imported=f"iosonde.{target}")
    return graph


def checked(contract: Contract, graph: ImportGraph) -> ContractCheck:
    # A contract takes out of the graph what it ignores.
    return contract.check(deepcopy(graph), verbose=False)


def against(contract: Contract, graph: ImportGraph) -> set[tuple[str, str]]:
    """The arrows that a contract does not allow."""
    metadata = checked(contract, graph).metadata
    layers = [(each["importer"], each["imported"]) for each in metadata.get("invalid_dependencies", ())]
    forbidden = [(each["downstream_module"], each["upstream_module"]) for each in metadata.get("invalid_chains", ())]
    return {(source.removeprefix("iosonde."), target.removeprefix("iosonde.")) for source, target in layers + forbidden}


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Hold the contracts of pyproject.toml against the package ``iosonde`` that is found first from ``folder``."""
    linter = Path(sys.executable).with_name("lint-imports")
    command = [str(linter), "--no-logo", "--no-cache", "--config", str(SETTINGS)]
    environment = os.environ | {"PYTHONPATH": str(folder)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_every_import_points_toward_the_leaves() -> None:
    answer = lint_imports(ROOT / "src")
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_the_linter_finds_what_files_import_against_the_map(tmp_path: Path) -> None:
    for room in ROOMS:
        (tmp_path / "iosonde" / room).mkdir(parents=True)
        (tmp_path / "iosonde" / room / "__init__.py").touch()
    (tmp_path / "iosonde/__init__.py").touch()
    (tmp_path / "iosonde/report/page.py").write_text("from iosonde.plans import costs\n")
    (tmp_path / "iosonde/plans/costs.py").write_text("def cost():\n    import iosonde.machine\n")
    answer = lint_imports(tmp_path)
    assert answer.returncode == 1
    assert "iosonde.report is not allowed to import iosonde.machine" in answer.stdout


def test_the_arrows_of_the_map_are_allowed() -> None:
    graph = house(ALLOWED)
    assert [contract.name for contract in contracts() if not checked(contract, graph).kept] == []


@pytest.mark.parametrize("arrow", FORBIDDEN, ids="-".join)
def test_an_arrow_against_the_map_is_found(arrow: tuple[str, str]) -> None:
    graph = house([arrow])
    assert any(arrow in against(contract, graph) for contract in contracts())


def test_each_contract_forbids_an_arrow_that_no_other_one_does() -> None:
    found = [[contract.name for contract in contracts() if against(contract, house([arrow]))] for arrow in FORBIDDEN]
    assert {names[0] for names in found if len(names) == 1} == {contract.name for contract in contracts()}


def test_a_way_through_another_room_is_found() -> None:
    graph = house([("report", "plans"), ("plans", "records"), ("records", "machine")])
    assert any(("report", "machine") in against(contract, graph) for contract in contracts())


def test_a_room_without_a_place_on_the_map_is_found() -> None:
    graph = house([], rooms=(*ROOMS, "util"))
    undeclared = [checked(contract, graph).metadata.get("undeclared_modules") for contract in contracts()]
    assert {"iosonde.util"} in undeclared
