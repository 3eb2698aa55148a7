"""The chapter of explanations: what is for and against a mechanism, and the command that decides."""

from iosonde.analysis.run import RunAnalysis
from iosonde.failures import FailureLog
from iosonde.records import Access, RunRecord
from iosonde.report.blocks import Chapter, FactGroup
from iosonde.report.examined_facts import NEEDS_CAUSE
from iosonde.report.explanation_facts import NONE_NAMED
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


def test_a_run_without_marks_names_no_mechanism() -> None:
    assert groups(run_of_cells({READ: thrice(80), WRITE: thrice(81)})) == []


def chapter_of(run: RunRecord) -> Chapter | None:
    page = page_of(RunAnalysis(run), (), FailureLog())
    return next((each for each in page.chapters if each.id == "explanations"), None)


def test_a_run_that_names_no_mechanism_says_which_ones_it_could_have_shown() -> None:
    chapter = chapter_of(run_of_cells({READ: thrice(80), WRITE: thrice(81)}))
    assert chapter is not None
    assert chapter.lead == (NONE_NAMED,)
    (group,) = chapter.all_of(FactGroup)
    facts = dict(group.facts)
    assert facts["Write buffer"].startswith("Not seen. 4 KiB random reads at depth 1 take 0.99")
    assert facts["Read-ahead or coalescing"].startswith("Not tested. This needs random and sequential reads")
    assert facts["Read-ahead or coalescing"].endswith(" Deciding test: decide-order.")


def test_an_observation_has_its_possible_causes_and_the_campaigns_that_decide() -> None:
    sequential = workload(pattern=Access.SEQUENTIAL, queue_depth=1)
    chapter = chapter_of(run_of_cells({READ: thrice(100), sequential: thrice(20)}))
    assert chapter is not None
    (facts,) = (dict(each.facts) for each in chapter.all_of(FactGroup) if each.title == NEEDS_CAUSE)
    assert facts["Observed"].startswith("4 KiB random reads at depth 1 take 5.00 times")
    causes = "read-ahead or coalescing (named above), channel or die conflicts (not tested)"
    assert facts["Possible causes"].startswith(causes)
    assert facts["Deciding tests"].startswith("decide-order")


def test_a_run_that_can_show_no_mechanism_has_no_such_chapter() -> None:
    assert chapter_of(run_of_cells({workload(read_percent=0, queue_depth=8): thrice(80)})) is None
