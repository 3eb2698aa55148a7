"""The help of every command has its purpose, an example and its options in groups."""

import pytest
from typer.main import get_command

from iosonde.cli.main import app
from tests.commands import iosonde
from tools.reference.commands import leaves

COMMANDS = [name for name, _ in leaves(get_command(app))]


def test_commands_are_listed_in_the_order_of_work() -> None:
    ended = iosonde("--help")
    assert ended.returncode == 0
    words = [line.split()[1] for line in ended.stdout.splitlines() if line.startswith("│ ")]
    top = {name.split()[0] for name in COMMANDS}
    listed = [word for word in words if word in top]
    assert listed == [
        "run",
        "doctor",
        "prepare",
        "plan",
        "probe",
        "resume",
        "verify",
        "list",
        "show",
        "check",
        "steady",
        "compare",
        "report",
        "export",
        "clean",
        "sim",
        "completion",
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_tells_purpose_example_and_every_option(name: str) -> None:
    ended = iosonde(*name.split(), "--help")
    assert ended.returncode == 0
    assert "Example:" in ended.stdout
    assert f"iosonde {name}" in ended.stdout


@pytest.mark.parametrize("name", ["run", "probe"])
def test_options_stand_in_groups(name: str) -> None:
    text = iosonde(name, "--help").stdout
    assert [group for group in ("Target", "Engine", "Output") if f"─ {group} ─" not in text] == []


def test_help_says_where_json_goes() -> None:
    assert "as JSON to stdout" in " ".join(iosonde("probe", "--help").stdout.split())
    assert "to FILE" in " ".join(iosonde("report", "--help").stdout.split())


def test_the_version_is_printed() -> None:
    ended = iosonde("--version")
    assert (ended.returncode, ended.stdout.startswith("iosonde 0.")) == (0, True)


def test_no_command_prints_the_help() -> None:
    ended = iosonde()
    assert "Usage: iosonde" in ended.stdout
    assert (ended.returncode, ended.stderr) == (2, "")


@pytest.mark.parametrize("name", COMMANDS)
def test_help_shows_no_python_types_and_no_braces(name: str) -> None:
    text = iosonde(*name.split(), "--help").stdout
    assert [odd for odd in ("<bool>", "<path>", "list[", "{", "......", "...]...") if odd in text] == []


def test_help_wraps_at_the_width_of_the_terminal() -> None:
    lines = iosonde("check", "--help", COLUMNS="80").stdout.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(" Each check passes"))
    end = next(number for number, line in enumerate(lines) if number > start and not line.strip())
    assert [line for line in lines[start : end - 1] if len(line.rstrip()) < 65] == []
