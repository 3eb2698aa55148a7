"""Procedures of long workloads at 1:300 on a simulated drive, from the run to the report."""

from pathlib import Path

import pytest

from tests.commands import iosonde


def report(folder: Path, profile: str) -> list[str]:
    run, page = folder / "run", folder / "page.md"
    done = iosonde("run", "sim:sata-dc,scale=300", "--profile", profile, "--seed", "1", "--out", str(run))
    assert done.returncode == 0, done.stderr
    done = iosonde("report", str(run), "--markdown", str(page))
    assert done.returncode == 0, done.stderr
    return page.read_text(encoding="utf-8").splitlines()


def rows(lines: list[str], caption: str) -> list[list[str]]:
    """The rows of the table under a caption, without its heads."""
    start = lines.index(caption) + 2
    end = lines.index("", start)
    return [[text.strip() for text in line.strip("|").split("|")] for line in lines[start + 2 : end]]


@pytest.mark.timeout(120)
def test_sequential_writes_recover_after_random_writes(tmp_path: Path) -> None:
    lines = report(tmp_path, "pts-xsr")

    before, random, after = rows(lines, "Recovery after a change of workload.")
    assert before[2] == "0 ms"
    assert float(random[1]) < float(before[1]) / 2
    assert float(after[1]) == pytest.approx(float(before[1]), rel=0.02)
    assert after[2].endswith(" s")
    assert [row[1] for row in rows(lines, "Long workloads: means over each phase.")] == ["96.0 s", "72.0 s", "96.0 s"]


@pytest.mark.timeout(120)
def test_writes_are_faster_after_idle_times_and_return_to_the_baseline(tmp_path: Path) -> None:
    states = rows(report(tmp_path, "pts-hir"), "Host idle recovery, by wait state.")

    assert len(states) == 5
    assert all(state[4].startswith("+") for state in states)
    assert all(state[5] != "–" for state in states)
