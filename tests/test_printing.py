"""Paths in printed commands are quoted, so that the commands can be pasted into a shell."""

import shlex
from pathlib import Path

import pytest

from iosonde.campaign.outcomes import resume_hint
from iosonde.printing import quoted
from tests.lab_builder import lab_run


@pytest.mark.parametrize("name", ["run", "r 2", "my  'r", "$HOME", "a;b", "*"])
def test_a_path_in_a_command_is_one_word_of_it(name: str) -> None:
    assert shlex.split(f"iosonde resume {quoted(name)}") == ["iosonde", "resume", name]


def test_a_plain_path_stays_as_it_is() -> None:
    assert quoted("/srv/data/run-1") == "/srv/data/run-1"


def test_the_way_on_of_a_run_can_be_pasted() -> None:
    words = shlex.split(resume_hint(lab_run(repeats=1).header, Path("my  'r")))
    assert words[:3] == ["iosonde", "resume", "my  'r"]
