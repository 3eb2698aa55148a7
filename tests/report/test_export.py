"""CSV and JSON, read back by other means than they were written with."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.run import RunAnalysis
from iosonde.cli.places import TABLES
from iosonde.errors import OutputError
from iosonde.findings import Severity
from iosonde.records import Neighbour, Operation, RunRecord
from iosonde.report.export import run_tables, write_csv, write_json
from tests.builders import finding
from tests.lab_builder import lab_run

INVALID_READS = finding("neighbours", Severity.INVALID, ("random-read-4KiB-qd8",), "Two measured at once.")


@pytest.fixture(scope="module")
def run() -> RunRecord:
    return lab_run(repeats=2, quick=True, with_intervals=True)


@pytest.fixture(scope="module")
def tables(run: RunRecord, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, str]]]:
    paths = write_csv(RunAnalysis(run), [INVALID_READS], tmp_path_factory.mktemp("csv") / "new")
    read = {}
    for path in paths:
        with path.open(newline="") as file:
            read[path.name] = list(csv.DictReader(file))
    return read


@pytest.fixture(scope="module")
def document(run: RunRecord, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("json") / "run.json"
    write_json(RunAnalysis(run), [finding(), INVALID_READS], path)

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    loaded: dict[str, Any] = json.loads(path.read_text(), parse_constant=refuse)
    return loaded


def test_three_tables_are_written(tables: dict[str, list[dict[str, str]]]) -> None:
    assert list(tables) == ["cells.csv", "estimates.csv", "intervals.csv", "histograms.csv"]
    assert all(tables.values())


def test_the_places_that_are_checked_before_are_those_of_all_tables() -> None:
    assert tuple(run_tables(RunAnalysis(lab_run()), [])) == TABLES


def test_the_cells_have_the_promised_columns(tables: dict[str, list[dict[str, str]]]) -> None:
    assert list(tables["cells.csv"][0]) == [
        "run", "experiments", "cell", "stream", "repeat", "order", "round", "procedure", "attempt", "phase", "seed",
        "outcome", "fate", "weight", "operation", "pattern", "read_percent",
        "trim_percent", "block_size_bytes", "block_sizes", "queue_depth", "rate_per_s", "arrivals", "jobs", "targets",
        "queue_depth_achieved", "queue_depth_device", "queue_depth_by_latency", "sync", "flush_every", "data",
        "compressible_percent", "duplicates_percent", "write_cache", "offset_bytes", "span_bytes", "burst_operations",
        "think_ns", "on_ns", "off_ns",
        "count", "bytes", "measured_ns", "iops", "bytes_per_s", "latency_kind", "latency_ns_mean",
        "latency_ns_min", "latency_ns_max", "latency_ns_p50", "latency_ns_p90", "latency_ns_p95", "latency_ns_p99",
        "latency_ns_p99_9", "latency_ns_p99_99", "service_ns_mean", "service_ns_p50", "service_ns_p99",
        "service_ns_max", "lag_ns_p50", "lag_ns_p99", "lag_ns_max", "host_lag_ns_p50", "host_lag_ns_p99",
        "host_lag_ns_max", "waiting_age_ns_max", "cpu_user_ns", "cpu_system_ns",
        "cpu_kernel_workers_ns", "cpu_sqpoll_threads_ns", "sqpoll_wakeups", "switches_voluntary",
            "switches_involuntary", "migrations", "steal_ns",
        "cpu_frequency_hz_mean", "cpu_frequency_hz_min", "cpu_frequency_hz_max",
        "reap_granularity_ns_p50", "reap_granularity_ns_max", "sweep_ns_max", "device_iops",
            "device_bytes_per_s", "device_latency_ns_mean",
        "drive_power_w", "cpu_power_w", "command_power_w",
        "drive_iops_per_w", "cpu_iops_per_w", "command_iops_per_w", "faults", "censored", "invalid",
    ]  # fmt: skip


def test_the_weights_of_the_repeats_give_the_iops_of_the_page_and_discarded_ones_have_none(tmp_path: Path) -> None:
    whole, beside = lab_run(repeats=4), {"neighbours": (Neighbour(process=71, device="sda"),)}
    run = whole.model_copy(
        update={"cells": tuple(each.model_copy(update={} if each.repeat else beside) for each in whole.cells)}
    )
    path = next(each for each in write_csv(RunAnalysis(run), [], tmp_path) if each.name == "cells.csv")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["repeat"], row["fate"], row["weight"] == "") for row in rows} == {
        ("0", "contaminated", True),
        *((repeat, "used", False) for repeat in ("1", "2", "3")),
    }
    for cell in estimate_run(run).cells:
        for operation, figures in cell.operations.items():
            own = [row for row in rows if (row["cell"], row["operation"]) == (cell.cell, operation) and row["weight"]]
            iops = sum(float(row["weight"]) * float(row["iops"]) for row in own)
            assert iops == pytest.approx(figures.iops.mean), (cell.cell, operation)


def test_the_intervals_have_the_promised_columns(tables: dict[str, list[dict[str, str]]]) -> None:
    assert list(tables["intervals.csv"][0]) == [
        "cell", "repeat", "phase", "interval_first", "interval_last", "start_ns", "end_ns", "queue_depth_achieved",
            "queue_depth_device",
        "kernel_workers", "operation", "count", "bytes", "iops", "bytes_per_s", "latency_kind", "latency_ns_mean",
        "latency_ns_min", "latency_ns_max", "latency_ns_p50", "latency_ns_p99",
    ]  # fmt: skip


def test_the_histograms_have_the_promised_columns(tables: dict[str, list[dict[str, str]]]) -> None:
    assert list(tables["histograms.csv"][0]) == [
        "cell", "repeat", "phase", "interval_first", "operation", "latency_kind", "bucket_low_ns", "bucket_high_ns",
        "count",
    ]  # fmt: skip


def test_figures_survive_the_way_through_csv(run: RunRecord, tables: dict[str, list[dict[str, str]]]) -> None:
    rows = {(row["cell"], int(row["repeat"]), row["operation"]): row for row in tables["cells.csv"]}
    for record in run.cells:
        for operation, totals in record.operations.items():
            row = rows[record.cell, record.repeat, operation]
            assert int(row["count"]) == totals.count
            assert int(row["seed"]) == record.seed
            assert float(row["iops"]) == pytest.approx(totals.count * 1e9 / record.measured_ns)


def test_json_has_the_fate_of_each_repeat_and_its_record_once(run: RunRecord, document: dict[str, Any]) -> None:
    for cell in document["cells"]:
        assert set(cell["repeats"]) == {"fates", "warming_up"}
        assert list(cell["repeats"]["fates"].values()) == ["used"] * sum(
            each.cell == cell["cell"] for each in run.cells
        )


def test_an_unsupported_percentile_is_an_empty_field(tables: dict[str, list[dict[str, str]]]) -> None:
    rows = [row for row in tables["cells.csv"] if int(row["count"]) < 10_000]
    assert rows
    assert {row["latency_ns_p99_9"] for row in rows} == {""}


def test_histogram_counts_add_up_to_the_cells(tables: dict[str, list[dict[str, str]]]) -> None:
    measured = sum(int(row["count"]) for row in tables["histograms.csv"] if row["phase"] == "measure")
    assert measured == sum(int(row["count"]) for row in tables["cells.csv"] if row["operation"] != "all")


def test_the_json_holds_the_record_unchanged(run: RunRecord, document: dict[str, Any]) -> None:
    assert RunRecord.model_validate(document["run"]) == run


def test_the_json_holds_estimates_knees_and_findings(run: RunRecord, document: dict[str, Any]) -> None:
    first, expected = document["cells"][0], estimate_run(run).cells[0]
    figures = expected.of(Operation.READ)
    assert figures is not None
    assert first["cell"] == expected.cell
    assert first["operations"]["read"]["iops"]["mean"] == figures.iops.mean
    assert first["operations"]["read"]["percentiles"][0]["value_ns"] == figures.percentile(50).value_ns
    assert document["knees"]["read"]["state"] == "identified"
    assert document["scalings"]["read"]["law"]["state"] == "large_residuals"
    assert "the knee is at depth" in document["knee_sentences"]["read"]
    assert document["findings"][0]["id"] == "span-fits-cache"


def test_a_place_that_cannot_be_written_is_an_error_with_a_hint(run: RunRecord, tmp_path: Path) -> None:
    occupied = tmp_path / "file"
    occupied.write_text("")
    with pytest.raises(OutputError) as csv_refused:
        write_csv(RunAnalysis(run), (), occupied)
    with pytest.raises(OutputError) as json_refused:
        write_json(RunAnalysis(run), [], tmp_path)
    for refused, place in ((csv_refused, occupied), (json_refused, tmp_path)):
        assert str(place) in refused.value.message
        assert refused.value.hint


def test_the_rows_of_invalid_cells_name_the_findings_that_say_so(tables: dict[str, list[dict[str, str]]]) -> None:
    named = {row["cell"]: row["invalid"] for row in tables["cells.csv"]}
    assert named.pop("random-read-4KiB-qd8") == "neighbours"
    assert set(named.values()) == {""}


def test_the_document_names_the_invalid_cells(document: dict[str, Any]) -> None:
    assert document["invalid"] == {"random-read-4KiB-qd8": ["neighbours"]}
