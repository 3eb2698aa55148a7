"""A run in Python: the same facts as in the records, and the same tables as in CSV."""

import csv
from pathlib import Path

import duckdb
import pytest

import iosonde
from iosonde.analysis.run import RunAnalysis
from iosonde.errors import RecordError
from iosonde.records import Operation
from iosonde.report.export import write_csv
from iosonde.store import load_run, write_archive
from tests.builders import cell_plan, cell_record, interval_record, run_record, totals_of, workload
from tests.house.checkout import ROOT
from tests.judging import findings_of
from tests.runs_on_disk import write_run

RUN = ROOT / "tests/fixtures/runs/v1"
TABLES = ("cells", "intervals", "histograms")


@pytest.fixture(params=["directory", "archive"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> iosonde.Run:
    """The same run, from its directory and from an archive."""
    if request.param == "directory":
        return iosonde.open_run(RUN)
    write_archive(RUN, tmp_path / "run.zip")
    return iosonde.open_run(str(tmp_path / "run.zip"))


def test_a_run_gives_its_facts_as_they_were_recorded(run: iosonde.Run) -> None:
    record = load_run(RUN)
    assert run.header == record.header
    assert run.name == record.header.run
    assert run.targets == record.targets
    assert (run.finished, run.damage) == (record.finished, record.damage)
    assert run.name in repr(run)
    assert run.record == record


def read_csv(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_the_columns_and_the_values_of_the_csv(run: iosonde.Run, name: str, tmp_path: Path) -> None:
    record = load_run(RUN)
    write_csv(RunAnalysis(record), findings_of(record), tmp_path / "csv")
    frame: iosonde.Frame = getattr(run, name)()
    rows = read_csv(tmp_path / f"csv/{name}.csv")
    assert list(frame.columns) == rows[0]
    assert len(frame) == len(rows) - 1 > 0
    with duckdb.connect() as connection:
        connection.register("frame", frame)
        connection.execute("COPY frame TO $path (HEADER)", {"path": str(tmp_path / "again.csv")})
    assert read_csv(tmp_path / "again.csv") == rows


def test_counts_of_buckets_add_up_to_the_cells(run: iosonde.Run) -> None:
    with duckdb.connect() as connection:
        connection.register("cells", run.cells())
        connection.register("histograms", run.histograms())
        counted = connection.execute("SELECT sum(count) FROM histograms WHERE phase = 'measure'").fetchall()
        assert counted == connection.execute("SELECT sum(count) FROM cells WHERE operation <> 'all'").fetchall()
        wrong = "FROM histograms WHERE bucket_low_ns > bucket_high_ns OR count = 0"
        assert connection.execute(wrong).fetchall() == []


def test_findings_are_those_of_the_report_most_severe_first(run: iosonde.Run) -> None:
    expected = findings_of(load_run(RUN))
    rows = run.findings().rows()
    assert sorted(row["statement"] for row in rows) == sorted(finding.statement for finding in expected)
    ranks = [["invalid", "doubtful", "note"].index(row["severity"]) for row in rows]
    assert ranks == sorted(ranks)
    assert set(rows[0]) == {
        "id", "severity", "confidence", "statement", "evidence", "advice", "deciding_test", "cells",
    }  # fmt: skip


def test_what_is_no_run_is_refused_when_it_is_opened(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="is not a run directory"):
        iosonde.open_run(tmp_path / "nothing")


def test_findings_that_look_at_intervals_are_there_before_anybody_asked_for_intervals(tmp_path: Path) -> None:
    plan = cell_plan(workload())
    # Nine seconds at one level of throughput, then nine at another.
    intervals = tuple(
        interval_record(index, {Operation.READ: totals_of([100_000] * (4_000 if index < 18 else 1_000))})
        for index in range(36)
    )
    cells = [
        cell_record(plan, {Operation.READ: totals_of([100_000] * 90_000)}, repeat=repeat, intervals=intervals)
        for repeat in (1, 2, 3)
    ]
    directory = write_run(run_record([plan], cells), tmp_path / "run")
    found = [row["id"] for row in iosonde.open_run(directory).findings().rows()]
    assert found == [finding.id for finding in findings_of(load_run(directory))]
    assert "level-changed" in found
