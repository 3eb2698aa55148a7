"""A function is read on one screen, a file in one sitting."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.house import rust_source
from tests.house.checkout import ROOT, files_under, name_of

FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 400

PYTHON_FOLDERS = ("src", "tools", "bench", "tests")
RUST_FOLDERS = ("engine/src", "engine/tests")
SOURCE_SUFFIXES = (".py", ".rs", ".html", ".css", ".js")


def long_python_functions(path: Path, source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            yield from complaint(path, node.name, node.lineno, node.end_lineno - node.lineno + 1)


def long_rust_functions(path: Path, source: str) -> Iterator[str]:
    for function in rust_source.functions(source):
        yield from complaint(path, function.name, function.line_first, function.line_count)


def complaint(path: Path, name: str, line: int, line_count: int) -> Iterator[str]:
    if line_count > FUNCTION_LINES_MAX:
        yield f"{name_of(path)}:{line}: {name} has {line_count} lines, more than {FUNCTION_LINES_MAX}"


def test_no_python_function_is_too_long() -> None:
    paths = files_under(*PYTHON_FOLDERS, suffixes=(".py",))
    assert paths
    found = [line for path in paths for line in long_python_functions(path, path.read_text())]
    assert not found, "\n".join(found)


def test_no_rust_function_is_too_long() -> None:
    paths = files_under(*RUST_FOLDERS, suffixes=(".rs",))
    assert paths
    found = [line for path in paths for line in long_rust_functions(path, path.read_text())]
    assert not found, "\n".join(found)


def test_no_source_file_is_too_long() -> None:
    paths = files_under("src", "engine/src", suffixes=SOURCE_SUFFIXES)
    line_counts = {path: len(path.read_text().splitlines()) for path in paths}
    found = [
        f"{name_of(path)}:{FILE_LINES_MAX + 1}: {n} lines" for path, n in line_counts.items() if n > FILE_LINES_MAX
    ]
    assert not found, "\n".join(found)


def test_one_line_too_many_is_named_with_its_place() -> None:
    path = ROOT / "src" / "example"
    body = FUNCTION_LINES_MAX - 1
    for added, expected in ((0, []), (1, [f"src/example:2: f has {FUNCTION_LINES_MAX + 1} lines, more than 70"])):
        python = "\ndef f():\n" + "    g()\n" * (body + added)
        rust = "\nfn f() {\n" + "    g();\n" * (body - 1 + added) + "}\n"
        assert list(long_python_functions(path, python)) == expected
        assert list(long_rust_functions(path, rust)) == expected
