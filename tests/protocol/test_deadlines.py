"""The front waits longer than the engine, so that its user reads the engine's word, which knows what was waited for."""

import re
from typing import Final

from iosonde.campaign.responsiveness import ANSWER_S_MAX
from iosonde.sources.engine import source
from iosonde.sources.engine.process import END_S_MAX
from tests.house.checkout import ROOT

ENGINE: Final = ROOT / "engine/src"


def seconds(path: str, name: str) -> float:
    """A constant of the engine, in seconds."""
    text = (ENGINE / path).read_text(encoding="utf-8")
    found = re.search(rf"const {name}: (?:Duration = Duration::from_secs\((\d+)\)|u64 = ([\d_]+))", text)
    assert found is not None, name
    return float(found[1]) if found[1] else int(found[2].replace("_", "")) / 1e9


def deadline(name: str) -> float:
    return seconds("watchdog/deadlines.rs", name)


def test_the_engine_gives_up_first() -> None:
    drain_s = seconds("worker/machine/mod.rs", "DRAIN_ALL_NS_MAX")
    silence_s = seconds("worker/machine/mod.rs", "SILENCE_NS_MAX")
    final_check_s = seconds("cell/monitor.rs", "FINAL_CHECK_MAX")
    # 250 checks of an overdue worker, 20 ms apart.
    overdue_s = 5.0
    assert source.COMMAND_S_MAX > deadline("COMMAND_MAX") > deadline("SILENT_MAX")
    assert deadline("JOB_MAX") + drain_s + overdue_s + final_check_s < source.JOB_SLACK_S
    assert silence_s + drain_s + overdue_s + deadline("JOB_MAX") < source.SILENCE_S_MAX + source.JOB_SLACK_S
    assert deadline("STOPPED_MAX") < END_S_MAX


def test_the_front_looks_for_as_long_as_the_engine() -> None:
    assert deadline("SILENT_MAX") == ANSWER_S_MAX
