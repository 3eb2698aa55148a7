"""What the scenarios of hanging targets wait for is what the program says."""

from pathlib import Path

import pytest

from lab.hangs.scenarios import SCENARIOS

ROOT = Path(__file__).parents[2]
SOURCES = [*(ROOT / "src").rglob("*.py"), *(ROOT / "engine/src").rglob("*.rs")]


@pytest.fixture(scope="module")
def said() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)


@pytest.mark.parametrize("words", sorted({each.says for each in SCENARIOS}))
def test_the_last_line_of_a_scenario_is_a_message_of_the_program(words: str, said: str) -> None:
    assert words in said


@pytest.mark.parametrize("words", ["preconditioned at", "preconditioning: writing"])
def test_a_scenario_begins_after_a_message_of_the_program(words: str, said: str) -> None:
    scenarios = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "lab/hangs").glob("*.py"))
    assert f'"{words}"' in scenarios, "the scenarios wait for it"
    assert words in said
