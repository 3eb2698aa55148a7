"""What is said of the engine depends on whose it is: what a source does not know is a dash, and never a value."""

from io import StringIO

import pytest
from rich.console import Console, RenderableType

from iosonde.analysis.run import RunAnalysis
from iosonde.charts.quantities import NO_VALUE
from iosonde.records import ImportFacts, Operation, RunRecord, SourceFacts
from iosonde.report.facts import fact_groups
from iosonde.report.probe_summary import render_probe
from iosonde.report.terminal.cell_choice import chosen_cell
from iosonde.report.terminal.cell_view import render_cell
from tests.builders import cell_plan, cell_record, engine_facts, fio_facts, run_record, totals_of, workload
from tests.judging import findings_of

IMPORTED = ImportFacts(engine="DiskSpd", version="2.1")
OF_OUR_OWN = ("ring flags granted", "fixed buffers", "fixed file", "largest batch", "clock", "SQPOLL threads")


def run_by(*sources: SourceFacts | None) -> RunRecord:
    plan = cell_plan(workload(queue_depth=1))
    reads = {Operation.READ: totals_of([100_000] * 2_000)}
    return run_record([plan], [cell_record(plan, reads, repeat=each, engine=one) for each, one in enumerate(sources)])


def facts_of(*sources: SourceFacts | None) -> dict[str, str]:
    [engine] = [each for each in fact_groups(RunAnalysis(run_by(*sources))) if each.title == "Engine"]
    return dict(engine.facts)


def printed(shown: RenderableType) -> str:
    console = Console(width=200, record=True, file=StringIO())
    console.print(shown)
    return console.export_text()


def shown(source: SourceFacts) -> str:
    """A cell on a terminal, spaces between names and values made one."""
    run = run_by(source)
    text = printed(render_cell(run, chosen_cell(run, run.cells[0].cell, None), (), all_findings=False))
    return " ".join(text.split())


def test_our_own_engine_tells_what_it_was_granted() -> None:
    facts = facts_of(engine_facts(fallbacks=("registered buffers refused: ENOMEM",)))
    assert facts["ring flags granted"] == "SINGLE_ISSUER DEFER_TASKRUN"
    assert (facts["fixed buffers"], facts["largest batch"], facts["clock"]) == ("yes", "32", "tsc")
    assert facts["fallbacks"] == "registered buffers refused: ENOMEM"
    assert not {"fio", "imported from"} & facts.keys()


def test_fio_tells_which_it_is_and_how_it_was_started() -> None:
    facts = facts_of(fio_facts())
    assert facts["fio"] == "fio-3.33, ioengine io_uring"
    assert (facts["workers"], facts["completion mode"], facts["fallbacks"]) == ("1", "interrupt", "none")


@pytest.mark.parametrize("source", [fio_facts(), IMPORTED])
@pytest.mark.parametrize("name", OF_OUR_OWN)
def test_what_only_our_own_engine_knows_is_a_dash_for_others(source: SourceFacts, name: str) -> None:
    assert facts_of(source)[name] == NO_VALUE


def test_an_imported_result_tells_its_tool_and_nothing_else() -> None:
    facts = facts_of(IMPORTED)
    assert facts["imported from"] == "DiskSpd 2.1"
    assert {facts[name] for name in ("workers", "completion mode", "fallbacks", *OF_OUR_OWN)} == {NO_VALUE}


def test_measurements_of_several_sources_are_counted() -> None:
    facts = facts_of(engine_facts(), engine_facts(), fio_facts(), None)
    assert facts["clock"] == f"tsc (2 measurements); {NO_VALUE} (1 measurement)"


def test_a_fact_that_often_differs_shows_its_most_frequent_values() -> None:
    workers = [engine_facts().model_copy(update={"kernel_workers": number}) for number in (*range(1, 8), 9, 9)]
    found = facts_of(*workers)["io-wq workers"]
    assert found == "9 (2 measurements); 1 (1 measurement); 2 (1 measurement); 3 (1 measurement); 4 other values"


@pytest.mark.parametrize(
    ("source", "engine", "ring"),
    [
        (engine_facts(), "io_uring, 1 worker, interrupt, clock tsc", "SINGLE_ISSUER DEFER_TASKRUN, fixed buffers"),
        (fio_facts(), "fio-3.33, ioengine io_uring, 1 worker, interrupt", "unknown"),
        (IMPORTED, "DiskSpd 2.1", "unknown"),
        (ImportFacts(engine="DiskSpd"), "DiskSpd (unknown version)", "unknown"),
    ],
)
def test_a_cell_on_a_terminal_tells_of_each_source_what_it_knows(source: SourceFacts, engine: str, ring: str) -> None:
    text = shown(source)
    assert f" engine {engine} " in text
    assert f" ring {ring}" in text
    assert ("fio arguments --name=target-1" in text) == (source == fio_facts())


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (engine_facts(), "engine io_uring, direct"),
        (fio_facts(), "engine fio-3.33 (io_uring), direct"),
        (IMPORTED, "imported from DiskSpd 2.1, direct"),
        (None, "engine io_uring, direct"),
    ],
)
def test_a_probe_names_what_measured(source: SourceFacts | None, words: str) -> None:
    assert words in printed(render_probe(RunAnalysis(run_by(source)), ()))


def test_no_finding_about_an_engine_is_made_of_an_imported_result() -> None:
    found = {each.id for each in findings_of(run_by(IMPORTED))}
    assert not found & {"engine-by-cell", "measured-by-fio", "polling-refused", "registration-refused", "host-limited"}


def test_each_of_two_hosts_has_facts_of_its_own_and_of_its_engine() -> None:
    run = run_by(None)
    second = run.header.host.model_copy(update={"hostname": "bench-02", "cpu_model": "Another CPU"})
    hello = run.header.hello.model_copy(update={"version": "9.9"})
    header = run.header.model_copy(update={"more_hosts": (second,), "more_hellos": (hello,)})
    groups = {
        each.title: dict(each.facts) for each in fact_groups(RunAnalysis(run.model_copy(update={"header": header})))
    }
    assert groups["Host bench-01"]["CPU"] == "Example CPU @ 3.20 GHz"
    assert groups["Host bench-02"]["CPU"] == "Another CPU"
    assert groups["Engine bench-01"]["version"].startswith("0.1.0,")
    assert groups["Engine bench-02"]["version"].startswith("9.9,")
