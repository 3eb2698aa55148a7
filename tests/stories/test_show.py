"""Measured runs in ``iosonde list`` and ``iosonde show``."""

import json
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from iosonde.records import Outcome
from iosonde.store import load_run
from iosonde.store.names import JOURNAL_NAME
from tests.commands import iosonde
from tests.stories.short_runs import DONE, fork, run_short

CELL = "random-mix50-4KiB-qd2"
SCALING = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"
BOTH_ENDS = 2
HIGHEST_HZ = 10**10


@dataclass(frozen=True)
class Story:
    """Two measured runs in a folder. The journal of one was then cut in half."""

    folder: Path
    run: Path
    cut: Path


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    folder = tmp_path_factory.mktemp("show")
    made = Story(folder, folder / "runs/whole", folder / "runs/cut")
    for run in (made.run, made.cut):
        assert fork(partial(run_short, folder / "target.data", run)).wait() == DONE
    journal = made.cut / JOURNAL_NAME
    journal.write_bytes(journal.read_bytes()[: journal.stat().st_size // 2])
    return made


def test_both_runs_are_in_the_list(story: Story) -> None:
    ended = iosonde("list", "runs", "--json", folder=story.folder)
    assert ended.returncode == 0, ended.stderr
    runs = {run["path"]: run for run in json.loads(ended.stdout)}
    assert (runs["runs/whole"]["state"], runs["runs/cut"]["state"]) == ("finished", "unfinished")
    # On a busy host, a cell of 10 ms may complete nothing.
    whole, cut = (
        [cell.outcome for cell in load_run(each, intervals=False).cells].count(Outcome.FINISHED)
        for each in (story.run, story.cut)
    )
    assert runs["runs/whole"]["measured"] == whole > cut
    assert runs["runs/cut"]["measured"] == cut


def test_every_cell_of_the_run_is_shown(story: Story) -> None:
    ended = iosonde("show", story.run, COLUMNS="160")
    assert (ended.returncode, ended.stderr) == (0, "")
    for plan in load_run(story.run).header.plan.cells:
        assert plan.cell in ended.stdout
    assert "±" in ended.stdout


def test_a_cell_is_shown_with_what_was_recorded_of_it(story: Story) -> None:
    ended = iosonde("show", story.run, "random-mix50")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith(f"{CELL} of run ")
    cells = [cell for cell in load_run(story.run).cells if cell.cell == CELL]
    slowest = max(each.latency_ns for cell in cells for each in cell.slowest)
    offset = next(each.offset_bytes for cell in cells for each in cell.slowest if each.latency_ns == slowest)
    assert f"{offset:,}" in ended.stdout
    assert all(str(cell.seed) in ended.stdout for cell in cells)
    assert "psync" in ended.stdout


def test_the_frequency_of_the_cpus_is_read_at_both_ends_of_each_cell_where_the_kernel_reports_it(story: Story) -> None:
    reported = "cpu MHz" in Path("/proc/cpuinfo").read_text() or Path(SCALING).exists()
    for record in load_run(story.run).cells:
        if record.outcome is Outcome.FINISHED:
            assert record.cpu is not None
            found = record.cpu.frequency
            assert (found is not None) == reported
            if found is not None:
                assert found.readings >= BOTH_ENDS
                assert 0 < found.frequency_hz_min <= found.frequency_hz_mean <= found.frequency_hz_max
                assert found.frequency_hz_max < HIGHEST_HZ


def test_a_run_that_was_broken_off_is_shown_as_such(story: Story) -> None:
    ended = iosonde("show", story.cut)
    assert ended.returncode == 0, ended.stderr
    assert "UNFINISHED" in ended.stdout


def test_a_terminal_without_unicode_gets_ascii(story: Story) -> None:
    for words in (["show", story.run], ["show", story.run, CELL], ["list", story.folder]):
        ended = iosonde(*words, PYTHONIOENCODING="ascii")
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ended.stdout.isascii()


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_what_is_printed_fits_the_width(story: Story, width: int) -> None:
    for words in (["show", story.run], ["show", story.run, CELL], ["list", story.folder]):
        ended = iosonde(*words, COLUMNS=str(width))
        assert max(map(len, ended.stdout.splitlines())) <= width
