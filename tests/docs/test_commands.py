"""The command line accepts every command in the docs."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from iosonde.cli.main import app
from iosonde.expectations import read_expectations
from iosonde.plans import read_campaign
from iosonde.plans.models import read_model
from iosonde.plans.procedures import read_procedures
from tests.docs.test_links import pages, tokens
from tests.house.checkout import name_of
from tools.reference.commands import leaves

COMMANDS: dict[str, Any] = {name.removeprefix("iosonde "): command for name, command in leaves(get_command(app))}
# The shell reads the line from one of these words on, so the command ends before it.
SHELL = ("|", ">", "2>", ">>", "&", "&&", ";", "<")


def typed(page: Path) -> Iterator[list[str]]:
    """The arguments of ``iosonde`` in each line of the shell blocks of a page. Continued lines are joined."""
    for token in tokens(page):
        if token.type != "fence" or token.info not in {"sh", "console"}:
            continue
        text = token.content.replace("\\\n", " ")
        for line in text.splitlines():
            if token.info == "console" and not line.startswith("$ "):
                continue
            words = shlex.split(line.removeprefix("$ "), comments=True)
            words = words[: next((at for at, word in enumerate(words) if word in SHELL), len(words))]
            for at, word in enumerate(words):
                if word == "iosonde" or word.endswith("bin/iosonde"):
                    yield words[at + 1 :]
                    break


def command_of(words: list[str]) -> tuple[str, list[str]]:
    """The longest command name at the start of the words, and the other words."""
    for length in (2, 1):
        name = " ".join(words[:length])
        if name in COMMANDS:
            return name, words[length:]
    return "", words


def has_commands(page: Path) -> bool:
    """Whether a page has a block of shell commands, told from its text: parsing all pages takes seconds."""
    return re.search(r"^ *```(sh|console)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE) is not None


@pytest.mark.parametrize("page", [page for page in pages() if has_commands(page)], ids=name_of)
def test_every_command_in_the_docs_is_understood(page: Path) -> None:
    for words in typed(page):
        if words and words[0] in {"--help", "--version"}:
            continue
        name, rest = command_of(words)
        assert name, f"iosonde {' '.join(words)}"
        if "--help" in rest:
            continue
        # This only parses the arguments. It raises on unknown ones.
        COMMANDS[name].make_context(name, list(rest))


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_every_campaign_and_every_model_in_the_docs_is_one(page: Path) -> None:
    model = ""
    for token in tokens(page):
        if token.type == "fence" and token.info == "toml":
            found = tomllib.loads(token.content)
            if "kind" in found:
                model = token.content
                assert read_model(model, "shown", name_of(page)).limits
            elif "faults" in found:
                assert read_model(model + token.content, "shown", name_of(page)).faults
            elif "expect" in found:
                assert read_expectations(token.content, name_of(page)).expect
            elif "procedure" in found:
                assert read_procedures(token.content, name_of(page)).procedure
            else:
                assert read_campaign(token.content, name_of(page)).experiment


def test_a_mistake_in_an_option_would_be_found() -> None:
    with pytest.raises(Exception, match=re.escape("--queue-dept")):
        COMMANDS["probe"].make_context("probe", ["/mnt/data", "--queue-dept", "8"])
