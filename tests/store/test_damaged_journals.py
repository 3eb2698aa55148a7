"""Journals cut by a kill, or with flipped bits: complete frames are read, and the damage is reported."""

import json
import random
import shutil
from pathlib import Path

import pytest

from iosonde.errors import RecordError
from iosonde.records import Outcome, RunRecord
from iosonde.store import Journal, load_run
from iosonde.store.frame_stream import decode
from iosonde.store.frames import HEAD, PREFIX, Broken, Frame, Kind, encode
from tests.stories.short_runs import DONE, fork, run_short

TAIL_BYTES = 4096
SEED = 4


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run directory of a real measurement."""
    folder = tmp_path_factory.mktemp("measured")
    assert fork(lambda: run_short(folder, folder / "run")).wait() == DONE
    return folder / "run"


def with_journal(measured: Path, folder: Path, data: bytes) -> RunRecord:
    folder.mkdir(exist_ok=True)
    shutil.copy(measured / "run.json", folder / "run.json")
    (folder / "journal").write_bytes(data)
    return load_run(folder)


def last_frames(data: bytes, least_bytes: int) -> bytes:
    """A journal of the last frames, of at least this size. It is short, so a test can read it thousands of times."""
    kept: list[bytes] = []
    for frame in reversed([frame for frame in decode(data) if isinstance(frame, Frame)]):
        kept.insert(0, encode(frame.kind, frame.payload))
        if sum(len(each) for each in kept) >= least_bytes:
            break
    return data[: PREFIX.size] + b"".join(kept)


def test_a_journal_cut_at_every_byte_of_its_last_4_kib_loads_up_to_the_last_whole_frame(
    measured: Path, tmp_path: Path
) -> None:
    data = last_frames((measured / "journal").read_bytes(), TAIL_BYTES)
    whole = {cell.order: cell for cell in load_run(measured).cells}
    ends = [PREFIX.size]
    for frame in decode(data):
        assert isinstance(frame, Frame)
        ends.append(ends[-1] + HEAD.size + len(frame.payload))
    for cut in range(len(data) - TAIL_BYTES, len(data)):
        found = with_journal(measured, tmp_path / "cut", data[:cut])
        assert (found.damage is None) == (cut in ends), f"cut at {cut}"
        assert not found.finished, f"cut at {cut}"
        for cell in found.cells:
            same = cell.operations == whole[cell.order].operations
            assert cell.outcome is Outcome.CUT or same, f"cut at {cut}"


def test_flipped_bits_are_named_and_never_read_as_numbers_and_cost_no_frame_behind_them(
    measured: Path, tmp_path: Path
) -> None:
    data = (measured / "journal").read_bytes()
    frames = sum(1 for _ in decode(data))
    whole = {cell.order: cell for cell in load_run(measured).cells}
    draw = random.Random(SEED)
    for _ in range(200):
        flipped = bytearray(data)
        bit = draw.randrange(PREFIX.size * 8, len(data) * 8)
        flipped[bit // 8] ^= 1 << (bit % 8)
        found = list(decode(bytes(flipped)))
        broken = [each for each in found if isinstance(each, Broken)]
        assert len(broken) == 1, f"seed {SEED}, bit {bit}"
        assert broken[0].offset_bytes <= bit // 8 < broken[0].end_bytes, f"seed {SEED}, bit {bit}"
        assert len(found) == frames, f"seed {SEED}, bit {bit}"
        run = with_journal(measured, tmp_path / "flipped", bytes(flipped))
        assert run.damage is not None, f"seed {SEED}, bit {bit}"
        assert f"at byte {broken[0].offset_bytes}" in run.damage
        for cell in run.cells:
            same = cell.operations == whole[cell.order].operations
            lost_an_interval = len(cell.intervals) < len(whole[cell.order].intervals)
            assert same or cell.outcome is Outcome.CUT or lost_an_interval, f"seed {SEED}, bit {bit}"


def test_a_cell_without_an_end_is_kept_as_cut_with_the_totals_of_its_intervals(measured: Path, tmp_path: Path) -> None:
    data = (measured / "journal").read_bytes()
    whole = load_run(measured)
    last = whole.cells[-1]
    # The last two frames are the end of the last cell and the end of the run.
    frames = [frame for frame in decode(data) if isinstance(frame, Frame)]
    cut = len(data) - sum(HEAD.size + len(frame.payload) for frame in frames[-2:])
    found = with_journal(measured, tmp_path / "cut", data[:cut]).cells[-1]
    assert (found.order, found.seed, found.outcome) == (last.order, last.seed, Outcome.CUT)
    assert found.intervals == last.intervals
    assert found.operations == last.operations
    assert found.measured_ns == last.measured_ns
    assert (found.cpu, found.engine) == (None, None)


def test_only_one_process_writes_a_journal(measured: Path, tmp_path: Path) -> None:
    with_journal(measured, tmp_path / "run", (measured / "journal").read_bytes())
    with Journal(tmp_path / "run/journal", go_on=True), pytest.raises(RecordError) as caught:
        Journal(tmp_path / "run/journal", go_on=True)
    assert caught.value.message.endswith("is being written by another iosonde process")


def test_going_on_with_a_torn_journal_cuts_off_what_is_torn(measured: Path, tmp_path: Path) -> None:
    data, end = (measured / "journal").read_bytes(), load_run(measured).end
    assert end is not None
    with_journal(measured, tmp_path / "run", data[:-3])
    with Journal(tmp_path / "run/journal", go_on=True) as journal:
        journal.end(end)
    assert (tmp_path / "run/journal").read_bytes() == data


def test_a_histogram_that_disagrees_with_its_count_is_refused(measured: Path, tmp_path: Path) -> None:
    data = (measured / "journal").read_bytes()
    forged = [data[: PREFIX.size]]
    for frame in decode(data):
        assert isinstance(frame, Frame)
        payload = frame.payload
        if frame.kind is Kind.CELL:
            cell = json.loads(payload)
            for totals in cell["operations"].values():
                totals["count"] += 1
            payload = json.dumps(cell).encode()
        forged.append(encode(frame.kind, payload))
    with pytest.raises(RecordError, match=r"\w+ operations, but \d+ latencies in the histogram"):
        with_journal(measured, tmp_path / "forged", b"".join(forged))
