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
    ended = iosonde("run", "sim:mmc,seed=1", "--profile", "short.toml", "--seed", "1", "--out", "run", folder=folder)
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
