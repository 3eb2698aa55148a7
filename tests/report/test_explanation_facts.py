"""The chapter of explanations: what is for and against a mechanism, and the command that decides."""

from iosonde.analysis.run import RunAnalysis
from iosonde.failures import FailureLog
from iosonde.records import RunRecord
from iosonde.report.blocks import FactGroup
from iosonde.report.page import page_of
from tests.builders import workload
from tests.explanations.marks import on_target, thrice
from tests.sweep_builder import run_of_cells

READ = workload(queue_depth=1)
WRITE = workload(read_percent=0, queue_depth=1)
BUFFERED = run_of_cells({READ: thrice(80), WRITE: thrice(12)})


def groups(run: RunRecord) -> list[FactGroup]:
    page = page_of(RunAnalysis(run), (), FailureLog())
    chapter = next((each for each in page.chapters if each.id == "explanations"), None)
    return [] if chapter is None else [each for each in chapter.blocks if isinstance(each, FactGroup)]


def test_each_explanation_has_its_evidence_and_the_command_that_decides() -> None:
    (group,) = groups(BUFFERED)
    facts = dict(group.facts)
    assert group.title == "Write buffer (likely)"
    assert facts["For"].startswith("4 KiB random reads at depth 1 take 6.67 times")
    assert facts["Against"] == "nothing in this run"
    assert facts["Deciding test"] == "iosonde run /srv/data/iosonde.dat --profile decide-bursts"
    assert facts["If it is right"].startswith("short bursts are faster")


def test_a_path_with_a_space_is_quoted_in_the_command() -> None:
    (group,) = groups(on_target(BUFFERED, path="/srv/my data"))
    assert dict(group.facts)["Deciding test"] == "iosonde run '/srv/my data' --profile decide-bursts"


def test_what_speaks_against_an_explanation_is_told() -> None:
    (group,) = groups(on_target(BUFFERED, direct=False))
    assert group.title == "Write buffer (possible)"
    assert "page cache" in dict(group.facts)["Against"]


def test_a_run_without_marks_has_no_such_chapter() -> None:
    assert groups(run_of_cells({READ: thrice(80), WRITE: thrice(81)})) == []
