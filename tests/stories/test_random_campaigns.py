"""Every campaign has a complete report: small random campaigns on simulated drives of every kind.

``CAMPAIGNS=2000 pytest --timeout 0 tests/stories/test_random_campaigns.py`` runs 2,000 others, and makes all PDFs.
"""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, Phase, assume, given, note, settings

from iosonde.errors import IosondeError
from iosonde.plans.models.kinds import KINDS
from iosonde.report.drawing import Drawers
from tests.campaign_runs import measure, profile_request
from tests.stories.random_campaigns import DRIVES, SPAN, Drawn, small_campaigns
from tests.stories.whole_reports import assert_drawn, assert_whole, report_of

ASKED: Final = os.environ.get("CAMPAIGNS")
CAMPAIGNS: Final = int(ASKED or 6)


@pytest.fixture(scope="module")
def drawers() -> Iterator[Drawers]:
    """Processes that draw charts."""
    with Drawers() as started:
        yield started


@settings(
    max_examples=CAMPAIGNS,
    # The same campaigns each time, unless CAMPAIGNS is set.
    derandomize=ASKED is None,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
    print_blob=True,
)
@given(small_campaigns())
def test_any_small_campaign_has_a_whole_report(drawers: Drawers, drawn: Drawn) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        campaign = folder / "drawn.toml"
        campaign.write_text(drawn.campaign, encoding="utf-8")
        words = []
        for number, model in enumerate(drawn.models):
            (folder / f"drive{number}.toml").write_text(model, encoding="utf-8")
            words.append(f"sim:{folder}/drive{number}.toml")
        directory = folder / "run"
        try:
            measure(profile_request(words, campaign, quick=drawn.quick, size=SPAN, seed=drawn.seed), directory)
        except IosondeError as error:
            # A request refused before the start leaves no run. An error during the run leaves its results.
            note(error.message)
            assume((directory / "run.json").exists())
        report = report_of(directory)
        assert_whole(report)
        if ASKED is not None or drawn.seed % 16 == 0:
            assert_drawn(report, drawers)


def test_random_campaigns_are_on_drives_of_every_kind() -> None:
    # Volumes have a story of their own.
    assert {drive.kind for drive in DRIVES} == set(KINDS) - {"volume"}
