"""A reader follows a journal: it gets each new frame once, and starts again if the journal was replaced."""

import random
import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from iosonde.errors import NewerError, RecordError
from iosonde.records import SCHEMA_VERSION, CellRecord, Outcome, RunHeader, Session, SessionEnd
from iosonde.store import FollowedRun, Journal, NewInterval, News, load_run, write_archive
from iosonde.store.frame_stream import decode
from iosonde.store.frames import HEAD, PREFIX, Broken, Frame, Kind, encode
from tests.builders import session
from tests.house.checkout import ROOT

RUN = ROOT / f"tests/fixtures/runs/v{SCHEMA_VERSION}-all-frames"
SEED = 11


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run directory with a header, and a journal without frames."""
    path = tmp_path / "run"
    shutil.copytree(RUN, path)
    (path / "journal").write_bytes(whole()[: PREFIX.size])
    return path


def whole() -> bytes:
    return (RUN / "journal").read_bytes()


def frame_ends() -> list[int]:
    ends = [PREFIX.size]
    for frame in decode(whole()):
        assert isinstance(frame, Frame)
        ends.append(ends[-1] + HEAD.size + len(frame.payload))
    return ends


def append(run: Path, data: bytes) -> None:
    with (run / "journal").open("ab") as file:
        file.write(data)


def pieces() -> Iterator[bytes]:
    """The journal after its prefix, cut into pieces at random positions."""
    draw = random.Random(SEED)
    data = whole()
    cuts = sorted({PREFIX.size, len(data), *(draw.randrange(PREFIX.size, len(data)) for _ in range(40))})
    yield from (data[start:end] for start, end in pairwise(cuts))


def test_what_is_told_piece_by_piece_is_what_is_told_at_once(run: Path) -> None:
    followed, told = FollowedRun(run), list[News]()
    for piece in pieces():
        append(run, piece)
        told += followed.news()
    assert told == list(FollowedRun(RUN).news())


@pytest.mark.parametrize("intervals", [True, False], ids=["with intervals", "without"])
def test_the_record_is_at_every_moment_what_a_new_reader_finds(run: Path, intervals: bool) -> None:
    followed = FollowedRun(run, intervals=intervals)
    for piece in pieces():
        append(run, piece)
        followed.read()
        assert followed.record() == load_run(run, intervals=intervals)
    assert followed.record() == load_run(RUN, intervals=intervals)


def test_a_header_comes_first_and_then_only_what_is_new(run: Path) -> None:
    followed = FollowedRun(run)
    assert [type(each) for each in followed.news()] == [RunHeader]
    assert list(followed.news()) == []
    append(run, encode(Kind.END, b'{"finished":true}'))
    assert list(followed.news()) == [SessionEnd(finished=True)]
    assert list(followed.news()) == []


def test_a_frame_that_is_cut_is_damage_until_the_rest_of_it_comes(run: Path) -> None:
    start, end = next(pair for pair in pairwise(frame_ends()))
    followed = FollowedRun(run)
    append(run, whole()[start : end - 1])
    assert [type(each) for each in followed.news()] == [RunHeader]
    assert followed.record().damage == f"the journal ends within a frame, at byte {start}"
    append(run, whole()[end - 1 : end])
    assert len(list(followed.news())) == 1
    assert followed.record().damage is None


def test_whoever_stops_in_the_middle_goes_on_there(run: Path) -> None:
    append(run, whole()[PREFIX.size :])
    followed, told = FollowedRun(run), list[News]()
    while (one := next(followed.news(), None)) is not None:
        told.append(one)
    assert told == list(FollowedRun(RUN).news())


def test_a_resumption_that_cuts_what_was_torn_goes_on_where_the_reader_is(run: Path) -> None:
    ends = frame_ends()
    append(run, whole()[PREFIX.size : ends[3] + 7])
    followed = FollowedRun(run)
    followed.read()
    assert followed.record().damage is not None
    resumed = session()
    with Journal(run / "journal", go_on=True) as journal:
        journal.session(resumed)
    told = list(followed.news())
    assert told[-1] == resumed
    assert not any(isinstance(each, RunHeader) for each in told)
    assert followed.record() == load_run(run, intervals=False)


def test_a_cell_that_a_resumption_finds_without_an_end_is_told_as_cut(run: Path) -> None:
    frames = [frame for frame in decode(whole()) if isinstance(frame, Frame)]
    first = next(index for index, frame in enumerate(frames) if frame.kind is Kind.INTERVAL)
    append(run, b"".join(encode(frame.kind, frame.payload) for frame in frames[: first + 1]))
    followed = FollowedRun(run)
    assert isinstance(list(followed.news())[-1], NewInterval)
    with Journal(run / "journal", go_on=True) as journal:
        journal.session(session())
    cut, resumed = followed.news()
    assert isinstance(cut, CellRecord)
    assert cut.outcome is Outcome.CUT
    assert isinstance(resumed, Session)


@pytest.mark.parametrize("frames", [0, 2, 5])
def test_a_journal_that_became_shorter_than_the_readers_place_is_read_from_its_start(run: Path, frames: int) -> None:
    append(run, whole()[PREFIX.size :])
    followed = FollowedRun(run)
    followed.read()
    (run / "journal").write_bytes(whole()[: frame_ends()[frames]])
    told = list(followed.news())
    assert isinstance(told[0], RunHeader)
    assert len(told) > frames
    assert followed.record() == load_run(run, intervals=False)


def test_a_journal_that_another_file_took_the_place_of_is_read_from_its_start(run: Path) -> None:
    append(run, whole()[PREFIX.size :])
    followed = FollowedRun(run)
    followed.read()
    (run / "other").write_bytes(whole())
    (run / "other").rename(run / "journal")
    assert list(followed.news()) == list(FollowedRun(RUN).news())


def test_a_journal_that_was_written_over_is_read_from_its_start(run: Path) -> None:
    ends = frame_ends()
    append(run, whole()[PREFIX.size : ends[2]])
    followed = FollowedRun(run)
    followed.read()
    # The new journal lacks the first frame, and is longer than the part that was read.
    (run / "journal").write_bytes(whole()[: PREFIX.size] + whole()[ends[1] :])
    assert isinstance(next(followed.news()), RunHeader)
    followed.read()
    assert followed.record() == load_run(run, intervals=False)


def test_a_journal_that_is_gone_is_told_and_followed_again_when_it_is_back(run: Path) -> None:
    followed = FollowedRun(run)
    followed.read()
    (run / "journal").rename(run / "away")
    with pytest.raises(RecordError, match="has no journal"):
        followed.read()
    (run / "away").rename(run / "journal")
    assert list(followed.news()) == []


def test_what_a_newer_version_appends_is_refused_whenever_it_is_asked_for(run: Path) -> None:
    followed = FollowedRun(run)
    followed.read()
    append(run, encode(200, b'{"new":1}'))  # type: ignore[arg-type]
    for _ in range(2):
        with pytest.raises(NewerError, match="a frame of kind 200"):
            followed.read()


def test_an_archive_is_told_once(tmp_path: Path) -> None:
    write_archive(RUN, tmp_path / "run.zip")
    followed = FollowedRun(tmp_path / "run.zip")
    assert list(followed.news()) == list(FollowedRun(RUN).news())
    assert list(followed.news()) == []
    write_archive(ROOT / "tests/fixtures/runs/v1", tmp_path / "run.zip")
    assert isinstance(next(followed.news()), RunHeader)


def test_a_stretch_that_is_damaged_is_told_once_and_costs_no_frame_behind_it(run: Path) -> None:
    data, ends = bytearray(whole()), frame_ends()
    data[ends[2] + HEAD.size + 3] ^= 1
    followed, told = FollowedRun(run), list[News]()
    for start, end in pairwise(ends):
        append(run, bytes(data[start:end]))
        told += followed.news()
    assert [each for each in told if isinstance(each, Broken)] == [
        Broken(ends[2], ends[3], "a frame's checksum does not match its content")
    ]
    assert len(told) == len(list(FollowedRun(run).news()))
    assert followed.record() == load_run(run, intervals=False)


@pytest.mark.parametrize("seed", range(20))
def test_flipped_bits_are_found_in_pieces_as_at_once(run: Path, seed: int) -> None:
    draw = random.Random(seed)
    data = bytearray(whole())
    for _ in range(3):
        bit = draw.randrange(PREFIX.size * 8, len(data) * 8)
        data[bit // 8] ^= 1 << (bit % 8)
    cuts = sorted({PREFIX.size, len(data), *(draw.randrange(PREFIX.size, len(data)) for _ in range(15))})
    followed = FollowedRun(run, intervals=True)
    for start, end in pairwise(cuts):
        append(run, bytes(data[start:end]))
        followed.read()
    found, expected = followed.record(), load_run(run)
    # A frame with a damaged length may reach past the end of the journal now, but not after more was appended. So the
    # reason given for the damage may differ, and nothing else.
    assert (found.damage is None) == (expected.damage is None)
    assert found.model_copy(update={"damage": expected.damage}) == expected
