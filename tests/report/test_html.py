"""The page as text: what it holds, in which order, and that nothing can break out of it."""

import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from iosonde.analysis.run import RunAnalysis
from iosonde.findings.finding import Finding, Severity
from iosonde.records import Experiment, Neighbour, Operation, Outcome, RunRecord
from iosonde.report.blocks import Listing
from iosonde.report.display import unbroken
from iosonde.report.export import write_csv
from iosonde.report.html import LIBRARY, _static, embedded_json, render_html
from iosonde.report.page import page_of
from iosonde.report.tables import ResultTable
from tests.builders import cell_plan, cell_record, failed, finding, run_record, target_facts, totals_of, workload
from tests.lab_builder import lab_run

HOSTILE = "</script><script>alert(1)</script>{{7*7}}"
SIZE_MAX_BYTES = 2_000_000


class Outline(HTMLParser):
    """The elements of a page in order, with their attributes, and the text of headings."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.headings: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        # The targets stand in the first heading, a line each.
        tags = [tag for tag, _ in self.elements[-2:]]
        if (tags[-1:] in (["h1"], ["h2"]) or tags == ["h1", "span"]) and data.strip():
            self.headings.append(data.strip())


def outline(page: str) -> Outline:
    parser = Outline()
    parser.feed(page)
    return parser


def without_library(page: str) -> str:
    return page.replace(_static(LIBRARY), "")


@pytest.fixture(scope="module")
def page() -> str:
    return render_html(page_of(RunAnalysis(lab_run(with_intervals=True)), [finding()]))


def test_the_page_goes_from_the_answer_to_its_conditions(page: str) -> None:
    assert outline(page).headings == [
        "/srv/data/iosonde.dat",
        "Summary",
        "Baseline latency (QD 1)",
        "Block-size sweep",
        "Read/write mix",
        "Queue-depth sweep",
        "Tail latency",
        "Contrasts",
        "Explanations",
        "Performance over time",
        "Findings",
        "Conditions",
        "Definitions",
    ]


def test_the_library_is_inside_exactly_once(page: str) -> None:
    assert page.count(_static(LIBRARY)) == 1


def test_the_page_refers_to_nothing_outside_itself(page: str) -> None:
    for tag, attributes in outline(page).elements:
        for name in ("src", "href", "action", "srcset", "data"):
            address = attributes.get(name) or ""
            assert address in {"", "data:,"} or address.startswith("#"), f"{tag} {name}={address}"
    assert "@import" not in without_library(page)
    assert "url(" not in without_library(page)


def test_the_page_lets_only_its_own_scripts_run(page: str) -> None:
    policies = [
        attributes["content"]
        for tag, attributes in outline(page).elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert len(policies) == 1
    assert policies[0] is not None
    assert policies[0].startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policies[0]


def test_beside_its_library_the_page_is_small(page: str) -> None:
    assert len(without_library(page).encode()) < SIZE_MAX_BYTES


def test_every_chart_has_its_specification(page: str) -> None:
    wanted = re.findall(r'data-specification="([^"]+)"', page)
    given = re.findall(r'<script type="application/json" id="([^"]+)">', page)
    assert wanted == given
    assert len(wanted) == 17


def test_the_tables_hold_the_means_of_the_csv_s_figures(tmp_path: Path) -> None:
    run = lab_run(with_intervals=True)
    write_csv(RunAnalysis(run), (), tmp_path)
    with (tmp_path / "cells.csv").open(newline="", encoding="utf-8") as file:
        figures = list(csv.DictReader(file))
    checked = 0
    for table in page_of(RunAnalysis(run), []).all_of(ResultTable):
        names = [f"{head.name} {head.unit}".strip() for head in table.heads]
        if "IOPS operations/s" not in names:
            continue
        for line in table.lines:
            shown = dict(zip(names, line.texts, strict=True))
            repeats = [row for row in figures if (row["cell"], row["operation"]) == (shown["Cell"], shown["Operation"])]
            if not repeats:
                continue
            mean = sum(float(row["iops"]) for row in repeats) / len(repeats)
            told = float(shown["IOPS operations/s"].partition(" ±")[0].replace(",", ""))
            assert told == pytest.approx(mean, rel=6e-4), shown
            checked += 1
    assert checked > 70


def test_a_hostile_path_stays_text() -> None:
    run = lab_run(repeats=1, target=target_facts(HOSTILE))
    hostile = finding(statement=HOSTILE, cells=(HOSTILE,))
    page = render_html(page_of(RunAnalysis(run), [hostile]))
    scripts = [attributes for tag, attributes in outline(page).elements if tag == "script"]
    assert sum("type" not in attributes for attributes in scripts) == 2
    assert "<script>alert(1)" not in page
    assert "49" not in outline(page).headings[0]
    assert "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;{{7*7}}" in page


def test_embedded_json_cannot_end_its_element_and_reads_back_unchanged() -> None:
    value = {"name": f"{HOSTILE}<!--<script>& \u2028"}
    text = str(embedded_json(json.dumps(value)))
    assert not set("<>&") & set(text)
    assert json.loads(text) == value


@pytest.mark.parametrize(
    ("changes", "brand"),
    [
        ({"quick": True}, "quick"),
        ({"finished": False}, "unfinished"),
        ({"build_profile": "debug"}, "debug engine"),
    ],
)
def test_what_makes_a_run_less_than_it_seems_stands_on_top(changes: dict[str, bool | str], brand: str) -> None:
    page = render_html(page_of(RunAnalysis(lab_run(repeats=1, **changes)), []))  # type: ignore[arg-type]  # each case changes one
    body = page[page.index("<body ") :]
    assert f"<strong>{brand}</strong>" in body
    assert body.index(f"<strong>{brand}</strong>") < body.index("<h1>")
    assert f"<title>[{brand}] " in page
    assert f'@page {{ @top-right {{ content: "{brand.upper()}";' in page


def test_a_sound_run_has_no_brand(page: str) -> None:
    assert 'class="brand' not in page


def test_findings_stand_most_severe_first_with_evidence_and_test() -> None:
    findings: list[Finding] = [
        finding("some-note", Severity.NOTE),
        finding("some-doubt", Severity.DOUBTFUL),
        finding("some-invalid", Severity.INVALID),
    ]
    page = render_html(page_of(RunAnalysis(lab_run(repeats=1)), findings))
    places = [page.index(f'id="finding-{identity}"') for identity in ("some-invalid", "some-doubt", "some-note")]
    assert places == sorted(places)
    assert page.count("<dt>To confirm</dt>") == 3
    assert page.count('<p class="evidences">') == 3


def test_an_unsupported_percentile_is_a_dash_with_a_footnote() -> None:
    page = render_html(page_of(RunAnalysis(lab_run(repeats=1, quick=True)), []))
    assert "fewer than 10 samples are above this percentile" in page
    assert '<td class="number">–</td>' in page


def broken_run() -> RunRecord:
    plans = [cell_plan(workload(queue_depth=depth), Experiment.QUEUE_DEPTH) for depth in (1, 2, 4)]
    failure = failed(message="read at offset 8192 failed: EIO")
    return run_record(
        plans,
        [
            cell_record(plans[0], {Operation.READ: totals_of([1000] * 50)}),
            cell_record(plans[1], {}, outcome=Outcome.FAILED, failure=failure),
        ],
        finished=False,
    )


def test_a_cell_without_figures_is_named_in_table_and_chart_and_never_0() -> None:
    page = render_html(page_of(RunAnalysis(broken_run()), []))
    assert "No results: random-read-4KiB-qd2 failed in 1 of 1 repeats: read at offset 8192 failed: EIO." in page
    assert "No results: random-read-4KiB-qd4 was not measured." in page
    assert "Omitted:" in page


def test_a_run_in_which_nothing_was_measured_still_makes_a_page() -> None:
    page = render_html(
        page_of(RunAnalysis(run_record([cell_plan(workload(), Experiment.TAIL)], [], finished=False)), [])
    )
    assert "No data: " in page
    assert "No cell in this experiment has results." in page


def test_a_probe_has_a_section_and_a_table_of_its_own() -> None:
    plan = cell_plan(workload(), Experiment.PROBE)
    page = render_html(
        page_of(RunAnalysis(run_record([plan], [cell_record(plan, {Operation.READ: totals_of([1000] * 50)})])), [])
    )
    assert "Probe" in outline(page).headings


def test_the_order_and_seed_of_every_measurement_can_be_read(page: str) -> None:
    run = lab_run(with_intervals=True)
    assert all(f'<td class="number">{turn.seed}</td>' in page for turn in run.header.plan.turns)


def test_the_fate_of_each_repeat_stands_in_the_plan_with_its_reason() -> None:
    run = lab_run(repeats=4)
    cell = run.cells[0].cell
    beside = {"neighbours": (Neighbour(process=71, device="sda"),)}
    cells = tuple(each.model_copy(update=beside if (each.cell, each.repeat) == (cell, 2) else {}) for each in run.cells)
    told = page_of(RunAnalysis(run.model_copy(update={"cells": cells})), [])
    (plan,) = told.all_of(Listing)
    assert [line.texts[-1] for line in plan.table.lines if line.texts[1] == cell] == [
        "finished, used",
        "finished, used",
        "finished, discarded, contaminated: another run used the device",
        "finished, used",
    ]
    assert "discarded, contaminated: another run used the device" in render_html(told)
    assert any(
        "3 (1 discarded)" in text for table in told.all_of(ResultTable) for line in table.lines for text in line.texts
    )


def test_the_page_is_the_same_for_the_same_run() -> None:
    assert render_html(page_of(RunAnalysis(lab_run(repeats=1)), [])) == render_html(
        page_of(RunAnalysis(lab_run(repeats=1)), [])
    )


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a 4 KiB read in 77.9 µs.", "a 4\u00a0KiB read in 77.9\u00a0µs."),
        ("95 % of 2,000 IOPS at depth 4", "95\u00a0% of 2,000\u00a0IOPS at depth 4"),
        ("depth 8 stays apart", "depth 8 stays apart"),
    ],
)
def test_a_number_is_not_parted_from_its_unit(text: str, kept: str) -> None:
    assert unbroken(text) == kept


def test_a_record_that_is_damaged_says_so_on_top() -> None:
    run = lab_run(repeats=1).model_copy(update={"damage": "frame 12 of the journal fails its checksum"})
    assert "Part of the run record is unreadable: frame 12 of the journal fails its checksum." in render_html(
        page_of(RunAnalysis(run), [])
    )


def test_two_findings_of_one_id_have_anchors_of_their_own() -> None:
    said = [finding("cold-queue", Severity.INVALID, ("a",)), finding("cold-queue", Severity.DOUBTFUL, ("b",))]
    text = render_html(page_of(RunAnalysis(lab_run()), said))
    anchors = re.findall(r'id="(finding-cold-queue[^"]*)"', text)
    assert anchors == ["finding-cold-queue", "finding-cold-queue-2"]
    glance = text.partition("<ol")[2].partition("</ol>")[0]
    assert re.findall(r'href="#([^"]*)"', glance) == anchors
