"""The pages of docs/reference/ match the code."""

import ast

import pytest

from iosonde.cli.main import app
from tests.house.checkout import ROOT, files_under
from tools.reference import PAGES
from tools.reference.commands import leaves
from tools.reference.settings import ENVIRONMENT

FOLDER = ROOT / "docs/reference"


@pytest.mark.parametrize("name", PAGES)
def test_the_published_page_is_that_of_the_code(name: str) -> None:
    assert (FOLDER / name).read_text(encoding="utf-8") == PAGES[name](), "make docs writes it anew"


def test_every_page_there_is_written_from_the_code() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(PAGES)


def test_every_command_and_every_option_stands_on_the_page() -> None:
    sections = PAGES["commands.md"]().split("\n## ")
    told = {section.partition("\n")[0]: section for section in sections}
    from typer.main import get_command

    commands = dict(leaves(get_command(app)))
    assert "run" in commands
    for name, command in commands.items():
        for parameter in command.params:
            word = parameter.opts[0] if parameter.param_type_name == "option" else parameter.metavar
            assert f"| `{word}` |" in told[f"iosonde {name}"], (name, word)


def test_every_variable_that_the_code_reads_or_sets_is_listed_and_no_other() -> None:
    found = set()
    for path in files_under("src", suffixes=(".py",)):
        found |= set(_variables(ast.parse(path.read_text(encoding="utf-8"))))
    assert found == set(ENVIRONMENT)


def _variables(tree: ast.AST) -> list[str]:
    """The environment variables that a file uses with ``os.environ``, as literals or as constants of the same file."""
    constants: dict[str, str] = {}
    for node in ast.walk(tree):
        named = node.target if isinstance(node, ast.AnnAssign) else None
        if isinstance(named, ast.Name) and isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Constant):
            constants[named.id] = str(node.value.value)
    beside: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is_environ(node.func.value):
            beside.append(node.args[0])
        elif isinstance(node, ast.Subscript) and _is_environ(node.value):
            beside.append(node.slice)
        elif isinstance(node, ast.Compare) and any(_is_environ(each) for each in node.comparators):
            beside.append(node.left)
    return [constants[each.id] if isinstance(each, ast.Name) else ast.literal_eval(each) for each in beside]


def _is_environ(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "environ"
