"""``iosonde check`` compares a run with expected values: table, JSON, and an exit code for CI."""

import json
from pathlib import Path

import pytest

from tests.commands import iosonde

CAMPAIGN = """
name = "short"
repeats = 3
warmup = "100ms"
duration = "2s"

[[experiment]]
name = "reads"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = [1, 8]
"""
EXPECT = '\n[[expect]]\nname = "p99 of reads"\nread = 100\nqueue_depth = 1\nmetric = "latency_ns_p99"\n'


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run on four exponential servers of 100 µs. At depth 1, the p99 is 100 µs * ln 100 = 460 µs."""
    folder = tmp_path_factory.mktemp("check")
    (folder / "short.toml").write_text(CAMPAIGN)
    ended = iosonde(
        "run", "--no-report", "sim:mmc,seed=1", "--profile", "short.toml", "--seed", "1", "--out", "run", folder=folder
    )
    assert ended.returncode == 0, ended.stderr
    return folder


@pytest.mark.parametrize(
    ("bound", "code", "word"),
    [("0.6 ms", 0, "PASS"), ("0.3 ms", 9, "FAIL")],
)
def test_pass_and_fail_have_their_exit_codes(run: Path, bound: str, code: int, word: str) -> None:
    (run / "sla.toml").write_text(f'name = "SLA"\n{EXPECT}at_most = "{bound}"\n')
    ended = iosonde("check", "run", "--against", "sla.toml", folder=run)
    assert ended.returncode == code, ended.stderr
    assert word in ended.stdout
    assert "random-read-4KiB-qd1" in ended.stdout
    assert ("error: 1 of 1 checks failed" in ended.stderr) is (code == 9)


def test_what_is_undecided_has_an_exit_code_of_its_own_and_json_tells_all(run: Path) -> None:
    (run / "sla.toml").write_text(
        f'name = "SLA"\n{EXPECT}at_most = "0.6 ms"\n[[expect]]\nread = 70\nmetric = "iops"\nat_least = 1\n'
    )
    ended = iosonde("check", "run", "--against", "sla.toml", "--json", folder=run)
    assert ended.returncode == 10, ended.stderr
    found = json.loads(ended.stdout)
    assert [each["verdict"] for each in found["checks"]] == ["pass", "undecided"]
    first = found["checks"][0]
    assert first["low"] <= first["high"] < first["bound"] == 600_000


def test_a_sustained_cell_is_checked_in_its_worst_plateau(tmp_path: Path) -> None:
    """The bursts of the volume have 3,000 IOPS, and its base rate is 300 IOPS."""
    keys = 'pattern = "random"\nread = 100\nblock_size = "16KiB"\nqueue_depth = 8\n'
    campaign = f'name = "long"\n[[experiment]]\nname = "reads"\nkind = "sustained"\n{keys}duration = "50s"\n'
    (tmp_path / "long.toml").write_text(campaign)
    words = ("run", "--no-report", "sim:cloud-burst,seed=1", "--profile", "long.toml", "--seed", "1", "--out", "run")
    assert iosonde(*words, folder=tmp_path).returncode == 0
    bounds = (
        'metric = "iops"\nat_least = 290',
        'metric = "iops"\nat_least = 2900',
        'metric = "latency_ns_p99"\nat_most = "1 s"',
    )
    (tmp_path / "sla.toml").write_text('name = "SLA"\n' + "".join(f"[[expect]]\n{keys}{each}\n" for each in bounds))
    ended = iosonde("check", "run", "--against", "sla.toml", "--json", folder=tmp_path)
    assert ended.returncode == 9, ended.stderr
    found = json.loads(ended.stdout)["checks"]
    assert [each["verdict"] for each in found] == ["pass", "fail", "undecided"]
    assert [each["part"][:14] for each in found] == ["plateau 2 of 2", "plateau 2 of 2", ""]
    assert found[0]["value"] == pytest.approx(300, rel=0.01)
    assert "a sustained cell is one transfer without repeats" in found[2]["why"]
    said = " ".join(iosonde("check", "run", "--against", "sla.toml", folder=tmp_path).stdout.split())
    assert "is checked in plateau 2 of 2, from 1.49 GB" in said
