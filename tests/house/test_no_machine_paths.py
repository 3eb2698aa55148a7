"""What is committed works on any machine: it names no home directory, no checkout and no package index."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.checkout import ROOT, files_under, name_of

HOME = re.compile(r"(?<![\w.~-])/(?:home|Users)/\w|(?<![\w.~/-])/root/\.?\w")
INDEX = re.compile(
    r"https?://(?:files|registry|index|static)\.|pypi\.org/simple|--(?:extra-)?index-url|--find-links|/opt/wheels"
)
# What cargo writes into each lock file for the public registry.
PUBLIC_REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"
# A path of two parts or fewer, such as /src, is also an ordinary word in documentation.
PARTS_MIN = 3


def place_of(folder: Path) -> list[re.Pattern[str]]:
    """What finds an absolute path into ``folder``; nothing where the path is too short to be told from prose."""
    if len(folder.parts) <= PARTS_MIN - 1:
        return []
    return [re.compile(rf"(?<![\w.~-]){re.escape(str(folder))}(?![\w.-])")]


def machine_lines(text: str, patterns: list[re.Pattern[str]]) -> Iterator[tuple[int, str]]:
    """The number and text of each line that only makes sense on one machine."""
    for number, line in enumerate(text.splitlines(), start=1):
        if any(pattern.search(line.replace(PUBLIC_REGISTRY, "")) for pattern in patterns):
            yield number, line.strip()


def text_of(path: Path) -> str:
    """The file as text; empty for a binary one."""
    content = path.read_bytes()
    return "" if b"\0" in content else content.decode(errors="replace")


def test_no_file_names_this_machine() -> None:
    patterns = [HOME, INDEX, *place_of(ROOT), *place_of(Path.home())]
    paths = [path for path in files_under() if path != Path(__file__).resolve()]
    found = [
        f"{name_of(path)}:{number}: {line[:100]}"
        for path in paths
        for number, line in machine_lines(text_of(path), patterns)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "line",
    [
        "see /home/ann/x",
        "see /Users/ann",
        'open("/root/x")',
        "/root/.cargo/bin",
        "source = https://files.example.org/x",
        "--index-url=https://example.org",
        "pip --find-links wheels",
        "https://pypi.org/simple/",
        "/srv/checkouts/iosonde/src",
    ],
)
def test_a_machine_path_is_found(line: str) -> None:
    patterns = [HOME, INDEX, *place_of(Path("/srv/checkouts/iosonde"))]
    assert list(machine_lines(f"fine\n{line}\n", patterns)) == [(2, line)]


@pytest.mark.parametrize(
    "line",
    [
        "~/x",
        "$HOME/x",
        "docs/home/page",
        "/sys/class/root/x",
        "https://pypi.org/project/iosonde",
        f'source = "{PUBLIC_REGISTRY}"',
        "/srv/checkouts/iosonde-data",
    ],
)
def test_an_ordinary_path_is_not(line: str) -> None:
    patterns = [HOME, INDEX, *place_of(Path("/srv/checkouts/iosonde"))]
    assert not list(machine_lines(line, patterns))
