"""The port to a host: what it promises, and that nothing goes past it."""

import ast
from pathlib import Path
from typing import get_type_hints

import pytest
from pydantic import TypeAdapter

from iosonde.machine import Host
from iosonde.machine.local_host import LocalHost
from tests.house.checkout import ROOT, name_of

CALLS = sorted(name for name in vars(Host) if not name.startswith("_"))
CAMPAIGN = sorted((ROOT / "src/iosonde/campaign").glob("*.py"))
# What looks at a file system or at processes. The names of ``pathlib``, ``os`` and ``shutil``.
LOOKS = frozenset(
    {"stat", "lstat", "exists", "lexists", "is_dir", "is_file", "is_symlink", "iterdir", "glob", "rglob", "scandir"}
    | {"listdir", "readlink", "statvfs", "access", "samefile", "unlink", "rename", "open", "disk_usage"}
)
FORBIDDEN_MODULES = frozenset({"subprocess", "shutil", "stat", "platform", "socket", "fcntl"})


@pytest.mark.parametrize("call", CALLS)
def test_what_is_asked_and_answered_is_plain_data(call: str) -> None:
    for hint in get_type_hints(getattr(Host, call)).values():
        # Nothing that JSON can't hold has a schema: no open file, no function.
        assert TypeAdapter(hint).json_schema()


@pytest.mark.parametrize("call", CALLS)
def test_this_host_answers_every_question(call: str) -> None:
    assert get_type_hints(getattr(LocalHost, call)) == get_type_hints(getattr(Host, call))


@pytest.mark.parametrize("file", CAMPAIGN, ids=name_of)
def test_a_campaign_looks_at_nothing_past_the_port(file: Path) -> None:
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Attribute(attr=name)) if name in LOOKS and not _on_source(node):
                found.append(f"line {node.lineno}: {name}")
            case ast.ImportFrom(module=str(name)) if name.startswith("iosonde.machine."):
                found.append(f"line {node.lineno}: {name}")
            case ast.Import(names=names):
                found += [f"line {node.lineno}: {each.name}" for each in names if each.name in FORBIDDEN_MODULES]
    assert not found


def _on_source(call: ast.Call) -> bool:
    """Whether it is the source that opens a target."""
    return isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) in {"source", "self._source"}


def test_what_leads_to_a_file_a_directory_or_a_device_is_told_apart(tmp_path: Path) -> None:
    host = LocalHost()
    (tmp_path / "file").write_bytes(b"four")
    (tmp_path / "link").symlink_to("file")
    assert host.look(str(tmp_path)).kind == "directory"
    assert (host.look(str(tmp_path / "link")).kind, host.look(str(tmp_path / "link")).size_bytes) == ("file", 4)
    assert host.look("/dev/null").kind == "other"
    with pytest.raises(FileNotFoundError):
        host.look(str(tmp_path / "gone"))


def test_the_identity_is_that_of_a_link_itself(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"four")
    (tmp_path / "link").symlink_to("file")
    assert LocalHost().identity(str(tmp_path / "link")).inode == (tmp_path / "link").lstat().st_ino
