"""The expected values of document 000 are its figures, and its campaign measures a cell for each."""

import tomllib
from pathlib import Path

import pytest

from iosonde.analysis.results import PrintedCell, Results, ResultsKind
from iosonde.expectations import check_results, read_expectations
from iosonde.expectations.file import Basis, ExpectationTable
from iosonde.plans import TargetInfo, campaign_plan, read_campaign
from iosonde.vocabulary import Quantity

EXAMPLES = Path(__file__).parents[2] / "examples"
FILE = EXAMPLES / "expectations/seed-000.toml"
EXPECTED = read_expectations(FILE.read_text(encoding="utf-8"), "seed-000.toml")
# Lines of tables, and the figures in each of their rows.
TABLES = ((range(92, 96), 7), (range(110, 122), 3), (range(130, 134), 5), (range(140, 145), 5))


def at(line: int) -> list[ExpectationTable]:
    return [each for each in EXPECTED.expect if each.source.split(",")[0] == f"line {line}"]


@pytest.mark.parametrize(("lines", "figures"), TABLES)
def test_every_figure_of_a_table_is_an_expected_value(lines: range, figures: int) -> None:
    assert {line: len(at(line)) for line in lines} == dict.fromkeys(lines, figures)
    assert {EXPECTED.origin(each).basis for line in lines for each in at(line)} == {Basis.MEASURED}


def test_the_statements_on_slas_are_requirements() -> None:
    slas = [each for each in EXPECTED.expect if each.basis is Basis.REQUIREMENT]
    assert sorted({each.source.split(",")[0] for each in slas}) == ["line 101", "line 103"]
    assert [each.bound for each in slas] == [60_000, 100_000, 100_000, 200_000, 200_000_000]


def test_bandwidths_are_mebibytes_and_agree_with_the_iops_beside_them() -> None:
    by_line = {each.source: each for each in EXPECTED.expect if each.metric is Quantity.IOPS}
    sizes = [each for each in EXPECTED.expect if each.metric is Quantity.BYTES_PER_S]
    assert len(sizes) == 25
    for each in sizes:
        assert isinstance(each.block_size, int)
        assert each.bound == pytest.approx(by_line[each.source].bound * each.block_size, rel=0.005)


def test_the_campaign_of_the_document_measures_every_expected_value() -> None:
    campaign = read_campaign((EXAMPLES / "seed-000.toml").read_text(encoding="utf-8"), "seed-000.toml")
    plan = campaign_plan(campaign, TargetInfo(span_bytes=1 << 30, fill=True, targets=1), quick=False, seed=1)
    cells = tuple(
        PrintedCell(name=c.cell, subject=c.workload.subject, figures=(), workload=c.workload) for c in plan.cells
    )
    text = FILE.read_text(encoding="utf-8")
    found = check_results(Results(ResultsKind.RUN, "planned", cells), EXPECTED, ("seed-000.toml", text)).checks
    assert [each.name for each in found if each.cell is None and "no cell" in each.why] == []


def test_each_bound_is_written_as_the_document_prints_it() -> None:
    table = tomllib.loads(FILE.read_text(encoding="utf-8"))
    sequential = {each["name"]: each.get("at_least", each.get("at_most")) for each in table["expect"]}
    assert sequential["128 KiB sequential read, QD 1, bandwidth"] == "1802 MiB/s"
    assert sequential["128 KiB random read, QD 4, mean"] == "0.077 ms"
