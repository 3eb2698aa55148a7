"""docs/numbers.md has an entry for every reported value, and no other entries."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import pytest
from pydantic import TypeAdapter

from iosonde.analysis.run import RunAnalysis
from iosonde.records import Experiment, RunRecord
from iosonde.report.blocks import Cards, FactGroup, Terms
from iosonde.report.display import SPREAD_OF_REPEATS
from iosonde.report.export import ExportedRun, run_tables
from iosonde.report.page import Page, page_of
from iosonde.report.tables import ResultTable
from tests.builders import cell_plan, cell_record, run_record, workload
from tests.charts.test_mixes import operations_of
from tests.findings.test_rules import FIRES
from tests.findings.test_tail import slow_ones
from tests.house.checkout import ROOT
from tests.judging import findings_of
from tests.lab_builder import lab_run
from tests.long_trial_builder import long_run, stimulus
from tests.pace_builder import paced_repeat, paced_run
from tests.power_builder import powered_run
from tests.procedure_builder import procedure_run, steady_procedure, write_rounds
from tests.transfer_builder import filled_run, sustained_run

TEXT = (ROOT / "docs/numbers.md").read_text(encoding="utf-8")
ENTRIES = dict(entry.split("\n", maxsplit=1) for entry in re.split(r"^#{2,3} ", TEXT, flags=re.MULTILINE)[1:])
ENTRIES = {name: body for name, body in ENTRIES.items() if "\n- " in body}
PARTS = ("", "_low", "_high", "_standard_error", "_degrees_of_freedom")
SAID_OF_EACH = ("Definition", "Unit", "Notes", "Caution")


def named(entry: str, kind: str) -> list[str]:
    """The names in backticks that follow ``- kind:``."""
    line = re.search(rf"^- {kind}: (.*)$", ENTRIES[entry], flags=re.MULTILINE)
    names = [] if line is None else re.findall(r"`([^`]+)`", line[1])
    return [name for named in names for name in _parts(named)]


def _parts(name: str) -> Iterator[str]:
    """The columns that ``estimates.iops*`` stands for; any other name stands for itself."""
    if name.startswith("*"):
        return
    figure, star, _ = name.partition("*")
    yield from (f"{figure}{part}" for part in PARTS) if star and name.startswith("estimates.") else (name,)


def all_named(kind: str) -> list[str]:
    return [name for entry in ENTRIES for name in named(entry, kind)]


def runs() -> list[RunRecord]:
    """Runs that together have every table: a lab run, two targets, an open loop, mixes, transfers, power."""
    paced = [paced_repeat(number, experiments=(Experiment.MATRIX,)) for number in (1, 2, 3)]
    return [
        lab_run(),
        FIRES["targets-uneven"](),
        paced_run(*paced),
        _swept_mixes(),
        filled_run([2400.0] * 30 + [1060.0] * 60),
        sustained_run(),
        _slow_tail(),
        _swept_regions(),
        powered_run(),
    ]


def _swept_regions() -> RunRecord:
    asked = [workload(span_bytes=span, offset_bytes=offset) for span in (1 << 20, 1 << 24) for offset in (0, 512)]
    plans = [cell_plan(each, Experiment.MATRIX) for each in asked]
    return run_record(plans, [cell_record(plan, operations_of(plan.workload, 1000)) for plan in plans])


def _slow_tail() -> RunRecord:
    plan = cell_plan(workload(), Experiment.TAIL)
    return run_record([plan], [cell_record(plan, operations_of(plan.workload, 1000), slowest=slow_ones())])


def _swept_mixes() -> RunRecord:
    asked = [workload(read_percent=read, queue_depth=depth) for read in (100, 70, 50) for depth in (1, 2, 4, 8, 16)]
    plans = [cell_plan(each, Experiment.QUEUE_DEPTH) for each in asked]
    records = [cell_record(plan, operations_of(plan.workload, 1000)) for plan in plans]
    return run_record(plans, records)


def on_a_page(page: Page) -> Iterator[str]:
    """All names of numbers on a page: terms and headings of tables."""
    yield from (term for terms in page.all_of(Terms) for term, _ in terms.pairs)
    yield from (head.name for table in page.all_of(ResultTable) for head in table.heads)


def beside(page: Page) -> Iterator[str]:
    """Names of single figures and facts. Some of them have entries."""
    yield from (figure.name for cards in page.all_of(Cards) for group in cards.groups for figure in group.figures)
    yield from (name for group in page.all_of(FactGroup) for name, _ in group.facts)
    yield SPREAD_OF_REPEATS


@cache
def made_pages() -> tuple[Page, ...]:
    return tuple(page_of(RunAnalysis(run), findings_of(run), deviations=True) for run in runs())


@cache
def columns() -> frozenset[str]:
    """Every column of every table, as ``table.column``."""
    procedures = procedure_run(steady_procedure(), write_rounds(100))
    long = long_run([stimulus("one")], [[50]])
    tables: dict[str, Mapping[str, object]] = {}
    for run in (lab_run(), procedures, long):
        tables |= run_tables(RunAnalysis(run), ())
    return frozenset(f"{table}.{column}" for table, columns in tables.items() for column in columns)


def shown() -> set[str]:
    return {name for page in made_pages() for name in on_a_page(page)}


def test_every_column_of_every_table_has_one_entry() -> None:
    assert sorted(all_named("Columns")) == sorted(columns())


def test_every_term_and_every_head_of_the_page_has_an_entry() -> None:
    assert shown() - set(all_named("Page")) == set()


def test_no_entry_names_what_the_page_does_not_show() -> None:
    known = shown() | {name for page in made_pages() for name in beside(page)}
    assert set(all_named("Page")) - known == set()


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_belongs_to_something_and_says_all_four_things(entry: str) -> None:
    assert any(named(entry, kind) for kind in ("Columns", "Page", "JSON"))
    assert [word for word in SAID_OF_EACH if f"\n- {word}: " not in ENTRIES[entry]] == []


@pytest.mark.parametrize("path", sorted(set(all_named("JSON"))))
def test_a_json_path_is_one_of_the_document(path: str) -> None:
    schema = TypeAdapter(ExportedRun).json_schema(mode="serialization")
    places = [schema]
    for step in re.findall(r"\[\]|\*|\w+", path):
        places = [inner for place in places for inner in _within(place, step, schema["$defs"])]
    assert places, path


def _within(place: dict[str, Any], step: str, definitions: dict[str, Any]) -> list[dict[str, Any]]:
    """The schemas that a step of a path leads to: items for ``[]``, values for ``*``, or the field of that name."""
    if "$ref" in place:
        place = definitions[place["$ref"].rpartition("/")[2]]
    choices = place.get("anyOf", place.get("oneOf"))
    if choices is not None:
        return [inner for choice in choices for inner in _within(choice, step, definitions)]
    names = {"[]": "items", "*": "additionalProperties"}
    found = place.get(names[step]) if step in names else place.get("properties", {}).get(step)
    return [found] if isinstance(found, dict) else []
