"""Short forms of standard procedures on a simulated drive and on a file."""

from pathlib import Path

import pytest

from iosonde.vocabulary import Outcome
from tests.commands import iosonde
from tests.stories.standard_procedures import story_of

# On a smaller drive, trials of 4 s would last a few milliseconds. Those of a demand variation are longer.
SCALES = {"pts-like-iops": 64, "pts-like-tp": 64, "pts-like-lat": 32, "pts-like-cbw": 100, "pts-like-dirth": 100}


@pytest.mark.parametrize("profile", SCALES)
def test_a_short_form_says_that_it_is_one_and_measures_its_matrix_once_steady(profile: str, tmp_path: Path) -> None:
    story = story_of(tmp_path, profile, f"sim:sata-dc,seed=3,scale={SCALES[profile]}", ("--no-report",))

    assert "PTS-LIKE Short forms, which must not be presented as the tests themselves" in story.printed
    assert "steady state reached in round" in story.printed
    assert {each.outcome for each in story.run.cells} == {Outcome.FINISHED}
    matrix = [turn for turn in story.run.turns if turn.phase in ("matrix", "demand variation")]
    assert {turn.round for turn in matrix} <= {1}
    text = report_of(story.directory)
    assert "This is a short form (PTS-like)" in text
    if profile != "pts-like-tp":
        assert "fast-random (assumes an over-provisioning of 15 %)" in text


def test_modelled_writes_without_a_purge_leave_the_preconditioning_unknown(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(bytes(16 << 20))
    words = ("--profile", "pts-like-lat", "--overwrite", "--time-scale", "400", "--out", tmp_path / "lat")
    assert iosonde("run", "--no-report", target, *words, folder=tmp_path).returncode in {0, 5}
    assert "modelled for an empty drive, but no purge was verified" in report_of(tmp_path / "lat")


def report_of(run: Path) -> str:
    page = run.with_suffix(".md")
    assert iosonde("report", run, "--markdown", page).returncode == 0
    return page.read_text(encoding="utf-8")
