"""Each row of docs/seeds.md is true of the report of the document's campaign on a simulated drive."""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from iosonde.analysis.experiments import estimate_run
from iosonde.records import Experiment
from iosonde.report import titles
from iosonde.report.growth_table import growth_tables
from tests.campaign_runs import measure, profile_request
from tests.house.checkout import ROOT
from tests.stories import seed_page
from tests.stories.seed_page import Document, Evidence
from tests.stories.whole_reports import Report, assert_whole, report_of

DOCUMENTS = {document.number: document for document in seed_page.documents()}
OPTIONS = "\n".join(
    (ROOT / "docs/reference" / name).read_text(encoding="utf-8") for name in ("commands.md", "settings.md")
)
TITLES = {heading.title for heading in vars(titles).values() if isinstance(heading, titles.Heading)}
PLACES = {
    "no option": OPTIONS,
    "no JSON": (ROOT / "docs/run.schema.json").read_text(encoding="utf-8"),
    "no chapter": "\n".join(TITLES),
}
# The same campaigns with shorter cells, in which every experiment still has enough operations for its tables.
SHORT = 'warmup = "250ms"\nduration = "500ms"\n'
LONG = re.compile(r"^(?:warmup|duration) = .*\n", re.MULTILINE)
# A sustained transfer that is still long enough for its plateaus.
SUSTAINED = ('duration = "10m"', 'duration = "1m"')


@dataclass(frozen=True)
class Reproduced:
    """The report of a document's campaign."""

    report: Report
    evidence: Evidence


_made: dict[str, Reproduced] = {}


@pytest.fixture(scope="module", autouse=True)
def forgotten() -> Iterator[None]:
    """The runs are shared by the tests of this module and freed afterwards."""
    yield
    _made.clear()


@pytest.fixture
def reproduced(number: str, tmp_path: Path) -> Reproduced:
    if number not in _made:
        _made[number] = _reproduce(DOCUMENTS[number], tmp_path)
    return _made[number]


def _reproduce(document: Document, folder: Path) -> Reproduced:
    words = shlex.split(document.command.splitlines()[0])
    model, campaign = words[2], ROOT / words[words.index("--profile") + 1]
    size = words[words.index("--size") + 1] if "--size" in words else None
    short = folder / campaign.name
    head, table, rest = campaign.read_text(encoding="utf-8").partition("\n[[experiment]]")
    # Procedures are as short as the capacity of their model.
    shortened = LONG.sub("", head + "\n") + SHORT + table + rest.replace(*SUSTAINED) if table else head
    short.write_text(shortened, encoding="utf-8")
    measure(profile_request([model], short, seed=1, size=size), folder / "run")
    report = report_of(folder / "run")
    return Reproduced(report, Evidence(report.texts["markdown"], json.loads(report.texts["json"]), OPTIONS))


def test_the_page_has_the_five_documents_in_their_order() -> None:
    assert list(DOCUMENTS) == ["000", "001", "002", "003", "004"]


@pytest.mark.parametrize("number", DOCUMENTS)
def test_every_line_of_a_document_has_a_row_or_is_named_as_one_without(number: str) -> None:
    document = DOCUMENTS[number]
    lines = document.others.union(*(row.lines for row in document.rows))
    assert set(range(1, document.length + 1)) == lines


@pytest.mark.parametrize("number", DOCUMENTS)
def test_every_row_has_a_status_and_refers_to_something(number: str) -> None:
    for row in DOCUMENTS[number].rows:
        assert row.status in seed_page.STATUSES, row
        assert row.lines, row
        assert bool(row.lacks) == (row.status == "missing"), row
        assert row.references or row.links or row.status == "missing", row


@pytest.mark.parametrize("number", DOCUMENTS)
def test_every_chapter_chart_table_text_and_path_of_a_row_is_in_the_report(number: str, reproduced: Reproduced) -> None:
    assert_whole(reproduced.report)
    gone = {
        f"lines {min(row.lines)}-{max(row.lines)}": lacks
        for row in DOCUMENTS[number].rows
        if (lacks := reproduced.evidence.lacks(row))
    }
    assert gone == {}


@pytest.mark.parametrize(
    "place",
    [
        "chapter `No such chapter`",
        "chapter `Summary`, chart `IOPS by lottery`",
        "chapter `Summary`, text `the moon is full`",
        "JSON `cells[].operations.*.luck`",
        "finding `no-such-finding`",
        "option `--no-such-option`",
    ],
)
@pytest.mark.parametrize("number", ["001"])
def test_a_row_that_points_nowhere_is_noticed(number: str, place: str, reproduced: Reproduced) -> None:
    row = DOCUMENTS[number].rows[0]
    table = seed_page.HEADS, (("1", "", place, "", row.status),)
    (pointing,) = seed_page.rows_of(*table)
    assert reproduced.evidence.lacks(pointing)


def test_what_rows_call_missing_is_listed_as_missing_and_nothing_else_is() -> None:
    called = {name for document in DOCUMENTS.values() for row in document.rows for name in row.lacks}
    assert called == {each.name for each in seed_page.missing()}


@pytest.mark.parametrize("missing", seed_page.missing(), ids=lambda each: each.name)
def test_what_is_listed_as_missing_is_not_there_yet(missing: seed_page.Missing) -> None:
    assert missing.signs
    for sign, name in missing.signs:
        assert (name in PLACES.get(sign, OPTIONS)) == (sign == "still"), (sign, name)


def test_every_calculation_on_the_page_is_right_to_its_last_digit() -> None:
    calculations = seed_page.calculations()
    assert len(calculations) > 40
    for expression, printed in calculations:
        digits = len(printed.partition(".")[2])
        assert f"{seed_page.value_of(expression):,.{digits}f}" == printed, expression


@pytest.mark.parametrize("number", ["001"])
def test_the_growth_of_document_001_comes_out_of_its_campaign(number: str, reproduced: Reproduced) -> None:
    (experiment,) = (
        each for each in estimate_run(reproduced.report.run).experiments if each.kind is Experiment.QUEUE_DEPTH
    )
    (table,) = growth_tables(experiment.kind, experiment.cells)
    assert [head.name for head in table.heads[:5]] == ["Cell", "Operation", "QD", "QD", "IOPS"]
    for operation in ("read", "write"):
        texts = [line.texts for line in table.lines if line.texts[1] == operation]
        assert [each[2] for each in texts] == ["1 x", "4 x", "16 x", "64 x"], number
        assert all(re.fullmatch(r"[-+][\d,.]+", each[4]) for each in texts)
        latencies = [float(each[6].removesuffix(" x").replace(",", "")) for each in texts]
        assert latencies[0] == 1
        # The reads of the mix hardly wait longer at the largest depth, within the spread of repeats.
        assert all(later > 0.95 * before for before, later in pairwise(latencies))
        assert latencies[-1] > 2 * latencies[0]
