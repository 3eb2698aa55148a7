"""Open loops, from the option to the report, on simulated drives with known theoretical results."""

import csv
import html
import json
import re
from pathlib import Path

import pytest

from iosonde.analysis.pace import SATURATED
from tests.commands import iosonde

RATES = """
name = "rates"
repeats = 2
warmup = "100ms"
duration = "1s"

[[experiment]]
name = "response against load"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = 64
rate = ["2k", "12k"]

[[experiment]]
name = "closed"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = 1
"""


def test_half_the_load_of_one_server_takes_twice_its_service() -> None:
    done = iosonde("probe", "sim:mm1,seed=1", "--rate", "5k", "--duration", "60s", "--seed", "1", "--json")
    assert done.returncode == 0, done.stderr
    cell = json.loads(done.stdout)["cells"][0]
    reads = cell["operations"]["read"]
    assert reads["latency_kind"] == "response"
    assert reads["latency_ns_mean"]["mean"] == pytest.approx(200_000, rel=0.05)
    assert cell["pace"]["achieved_per_s"]["mean"] == pytest.approx(5000, rel=0.01)
    assert cell["pace"]["saturated"] == 0


def test_a_bound_of_one_in_flight_moves_the_wait_out_of_the_service_and_not_out_of_the_response() -> None:
    asked = ("probe", "sim:mm1,seed=1", "--rate", "5k", "--duration", "60s", "--seed", "1", "--queue-depth", "1")
    reads = json.loads(iosonde(*asked, "--json").stdout)["cells"][0]["operations"]["read"]
    assert reads["latency_ns_mean"]["mean"] == pytest.approx(200_000, rel=0.05)
    assert reads["service"]["ns_mean"] == pytest.approx(100_000, rel=0.05)
    assert reads["lag"]["ns_mean"] == pytest.approx(100_000, rel=0.1)
    assert reads["host_lag"]["ns_max"] == 0


def test_a_probe_leads_with_the_response_and_says_that_the_rate_was_not_kept() -> None:
    done = iosonde("probe", "sim:mm1,seed=1", "--rate", "12k", "--duration", "5s", "--seed", "1")
    assert done.returncode == 0, done.stderr
    assert "open loop, poisson arrivals: 12,000 operations/s offered, 10," in done.stdout
    assert "SATURATED" in done.stdout
    assert "invalid saturated: 1 cell did not sustain the arrival rate" in done.stdout
    assert done.stdout.index("response mean") < done.stdout.index("service mean")


def test_a_campaign_of_rates_says_in_every_form_which_latency_it_shows(tmp_path: Path) -> None:
    (tmp_path / "rates.toml").write_text(RATES, encoding="utf-8")
    plan = iosonde("plan", "sim:mm1", "--profile", "rates.toml", folder=tmp_path)
    assert "open loop in some cells, arrival rate on each target: 2k/s, 12k/s (poisson)" in plan.stderr + plan.stdout
    words = ("sim:mm1,seed=1", "--profile", "rates.toml", "--no-report", "--out", "run")
    done = iosonde("run", *words, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    forms = iosonde("report", "run", "--markdown", "run.md", "--csv", "csv", folder=tmp_path)
    assert forms.returncode == 0, forms.stderr
    text = (tmp_path / "run.md").read_text(encoding="utf-8")
    assert "For cells with an arrival rate, latency is response time, measured from the intended start" in text
    assert "Mean response time (ms) of each cell" in text
    assert "Mean latency (µs) of each cell" in text
    # The number of Poisson arrivals is random.
    assert re.search(r"4 KiB random read at 2k/s: (1,[89]|2,[012])\d\d IOPS, mean response", text)
    assert re.search(r"at depth 1: (9,[789]|10,[0123])\d\d IOPS, mean latency", text)
    assert "Omitted as invalid (see saturated): random-read-4KiB-rate12k." in text
    with (tmp_path / "csv/cells.csv").open(encoding="utf-8", newline="") as table:
        kinds = {(row["cell"], row["latency_kind"]) for row in csv.DictReader(table)}
    assert kinds == {
        ("random-read-4KiB-rate2k", "response"),
        ("random-read-4KiB-rate12k", "response"),
        ("random-read-4KiB-qd1", "service"),
    }
    shown = iosonde("show", "run", "random-read-4KiB-rate12k", folder=tmp_path)
    assert "Rate, service time and lag" in shown.stdout
    assert "saturated in 2 of 2" in shown.stdout


OVERLOAD = """
name = "overload"
repeats = 2
warmup = "0s"
duration = "1s"
[[experiment]]
name = "rates"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = 64
rate = ["5k", "20k"]
"""


def test_latencies_of_a_cell_that_did_not_keep_its_rate_are_withheld_in_the_same_words_everywhere(
    tmp_path: Path,
) -> None:
    (tmp_path / "overload.toml").write_text(OVERLOAD)
    ran = iosonde("run", "sim:mm1,seed=7", "--profile", "overload.toml", "--out", "run", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    one = "random-read-4KiB-rate20k"
    probed = iosonde("probe", "sim:mm1,seed=7", "--rate", "20k", "--duration", "1s", COLUMNS="200")
    shown = iosonde("show", "run", folder=tmp_path, COLUMNS="200")
    cell = iosonde("show", "run", one, folder=tmp_path, COLUMNS="200")
    report = iosonde("report", "run", "--markdown", "report.md", "--json", "run.json", folder=tmp_path)
    assert report.returncode == 0, report.stderr
    page = html.unescape((tmp_path / "run/report.html").read_text())
    for text in (probed.stdout, shown.stdout, cell.stdout, (tmp_path / "report.md").read_text(), page):
        assert SATURATED in " ".join(text.split())
    kept = iosonde("show", "run", "random-read-4KiB-rate5k", folder=tmp_path, COLUMNS="200")
    assert SATURATED not in " ".join(kept.stdout.split())
    told = json.loads((tmp_path / "run.json").read_text())
    figures = {each["cell"]: each["operations"]["read"] for each in told["cells"]}
    assert {each["value_ns"] for each in figures[one]["percentiles"]} == {None}
    assert None not in {each["value_ns"] for each in figures["random-read-4KiB-rate5k"]["percentiles"][:4]}
