"""The chapter of explanations: what is for and against a mechanism, and the command that decides."""

from iosonde.analysis.run import RunAnalysis
from iosonde.failures import FailureLog
from iosonde.records import Access, RunRecord
from iosonde.report.blocks import Chapter, FactGroup
from iosonde.report.explanation_facts import NONE_NAMED
from iosonde.report.page import page_of
from iosonde.report.tables import ResultTable
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
    (table,) = chapter.all_of(ResultTable)
    results = {line.texts[0]: line.texts[1] for line in table.lines}
    assert results["Write buffer"] == "not seen"
    assert results["Read-ahead or coalescing"] == "not tested"


def test_an_observation_has_its_possible_causes_and_the_campaigns_that_decide() -> None:
    sequential = workload(pattern=Access.SEQUENTIAL, queue_depth=1)
    chapter = chapter_of(run_of_cells({READ: thrice(100), sequential: thrice(20)}))
    assert chapter is not None
    observed, _ = chapter.all_of(ResultTable)
    (line,) = observed.lines
    assert line.texts[1].startswith("read-ahead or coalescing (named above), channel or die conflicts (not tested)")
    assert line.texts[3].startswith("decide-order")


def test_a_run_that_can_show_no_mechanism_has_no_such_chapter() -> None:
    assert chapter_of(run_of_cells({workload(read_percent=0, queue_depth=8): thrice(80)})) is None
