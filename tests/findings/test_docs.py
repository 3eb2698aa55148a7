"""docs/findings.md has one section for each finding, and no other sections."""

from pathlib import Path

from tests.findings.test_rules import FIRES

PAGE = Path(__file__).parents[2] / "docs/findings.md"


def test_every_finding_is_documented_and_nothing_else() -> None:
    sections = [
        line.removeprefix("### ") for line in PAGE.read_text(encoding="utf-8").splitlines() if line[:4] == "### "
    ]
    assert sorted(sections) == sorted(FIRES)
