"""Archives of runs: they read as the directory does, are reproducible, and hostile ones are refused."""

import os
import shutil
import stat
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from iosonde.errors import RecordError
from iosonde.store import Journal, load_header, load_run, open_files, write_archive
from iosonde.store.archive import EXPANSION_COUNTS_FROM_BYTES, EXPANSION_MAX, FILES_MAX
from tests.house.checkout import ROOT

RUN = ROOT / "tests/fixtures/runs/v1"
FILES = ("journal", "run.json")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A copy of a run directory, which a test may change."""
    shutil.copytree(RUN, tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def packed(run: Path, tmp_path: Path) -> Path:
    """The same run as an archive."""
    write_archive(run, tmp_path / "packed.zip")
    return tmp_path / "packed.zip"


def test_an_archive_reads_as_its_directory_does(run: Path, packed: Path) -> None:
    assert load_run(packed) == load_run(run)
    assert load_header(packed) == load_header(run)


def test_the_files_of_a_directory_and_an_archive_are_read_alike(run: Path, packed: Path) -> None:
    for place in (run, packed):
        with open_files(place) as files:
            assert files.names == FILES
            for name in FILES:
                content = (RUN / name).read_bytes()
                assert files.read(name) == b"".join(files.chunks(name)) == content
                assert files.size_bytes(name) == len(content)
            with pytest.raises(FileNotFoundError):
                files.read("report.html")


def test_the_same_run_gives_the_same_bytes_wherever_and_whenever_it_is_packed(run: Path, packed: Path) -> None:
    elsewhere = run.parent / "another name"
    shutil.copytree(run, elsewhere)
    os.utime(elsewhere / "journal", (0, 10**9))
    (elsewhere / "journal").chmod(0o600)
    for source in (elsewhere, packed):
        write_archive(source, run.parent / "again.zip")
        assert (run.parent / "again.zip").read_bytes() == packed.read_bytes()


def test_an_archive_unpacks_into_one_folder_that_is_named_after_the_run(run: Path, packed: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(run.parent / "out")
    folder = run.parent / "out" / f"iosonde-{load_header(run).run}"
    assert load_run(folder) == load_run(run)


def test_what_is_being_written_hidden_linked_or_deeper_stays_out(run: Path) -> None:
    (run / ".report.html.part").touch()
    (run / "tables").mkdir()
    (run / "elsewhere").symlink_to("/etc/passwd")
    assert write_archive(run, run.parent / "x.zip") == FILES
    with open_files(run.parent / "x.zip") as files:
        assert files.names == FILES


def test_a_run_that_was_broken_off_loads_from_an_archive_as_from_its_directory(run: Path) -> None:
    whole = (run / "journal").read_bytes()
    (run / "journal").write_bytes(whole[: len(whole) // 2])
    write_archive(run, run.parent / "x.zip")
    found = load_run(run.parent / "x.zip")
    assert not found.finished
    assert found == load_run(run)


def test_a_damaged_journal_is_named_from_an_archive_as_from_its_directory(run: Path) -> None:
    data = bytearray((run / "journal").read_bytes())
    data[len(data) // 2] ^= 1
    (run / "journal").write_bytes(data)
    write_archive(run, run.parent / "x.zip")
    found = load_run(run.parent / "x.zip")
    assert found.damage
    assert found == load_run(run)


def test_a_run_that_is_being_written_is_not_packed(run: Path) -> None:
    with (
        Journal(run / "journal", go_on=True),
        pytest.raises(RecordError, match="is being written by another iosonde process"),
    ):
        write_archive(run, run.parent / "x.zip")
    assert not (run.parent / "x.zip").exists()


def test_a_refusal_leaves_no_part_of_an_archive_behind(run: Path) -> None:
    (run / "zeros").write_bytes(bytes(4 << 20))
    with pytest.raises(RecordError, match="zeros, which expands more than 100-fold, to 4 MiB"):
        write_archive(run, run.parent / "x.zip")
    assert [path.name for path in run.parent.iterdir()] == ["run"]


def test_an_archive_that_a_person_made_of_the_folder_is_read_too(run: Path) -> None:
    place = shutil.make_archive(str(run.parent / "by hand"), "zip", run.parent, "run")
    assert load_run(Path(place)) == load_run(run)


def entry(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    return info


def rezip(path: Path, *more: tuple[zipfile.ZipInfo, bytes], compression: int = zipfile.ZIP_DEFLATED) -> None:
    """Writes an archive with the run and ``more`` entries."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name in FILES:
            archive.write(RUN / name, name)
        for info, content in more:
            archive.writestr(info, content, compression)


ZEROS = bytes(2 * EXPANSION_COUNTS_FROM_BYTES)

HOSTILE: dict[str, tuple[Callable[[Path], None], str]] = {
    "a way up": (
        lambda path: rezip(path, (entry("../x"), b"")),
        "it contains '../x', which is not in the top-level folder",
    ),
    "a folder that is a way up": (
        lambda path: rezip(path, (entry("../"), b"")),
        "it contains '../', which is not in the top-level folder",
    ),
    "an absolute path": (
        lambda path: rezip(path, (entry("/etc/x"), b"")),
        "it contains '/etc/x', which is not in the top-level folder",
    ),
    "a root": (
        lambda path: rezip(path, (entry("/x"), b"")),
        "it contains '/x', which is not in the top-level folder",
    ),
    "a path of another system": (
        lambda path: rezip(path, (entry("..\\x"), b"")),
        "which is not in the top-level folder",
    ),
    "a line break in a name": (
        lambda path: rezip(path, (entry("a\nb"), b"")),
        r"it contains 'a\\nb', which is not in the top-level folder",
    ),
    "a deep folder": (lambda path: rezip(path, (entry("a/b/x"), b"")), "which is not in the top-level folder"),
    "two folders": (lambda path: rezip(path, (entry("a/x"), b"")), "it contains files in several folders"),
    "a link": (
        lambda path: rezip(path, (entry("x", stat.S_IFLNK | 0o777), b"/etc/passwd")),
        "it contains x, which is not a regular file",
    ),
    "a device": (
        lambda path: rezip(path, (entry("x", stat.S_IFBLK | 0o644), b"")),
        "it contains x, which is not a regular file",
    ),
    "a pipe": (
        lambda path: rezip(path, (entry("x", stat.S_IFIFO | 0o644), b"")),
        "it contains x, which is not a regular file",
    ),
    "a bomb": (
        lambda path: rezip(path, (entry("x"), ZEROS)),
        "it contains x, which expands more than 100-fold, to 2 MiB",
    ),
    "many files": (
        lambda path: rezip(path, *((entry(str(each)), b"") for each in range(FILES_MAX))),
        "it contains more than 12 files",
    ),
    "another compression": (
        lambda path: rezip(path, (entry("x"), b"x"), compression=zipfile.ZIP_LZMA),
        "which is encrypted or compressed with an unsupported method",
    ),
}


def test_the_archive_that_the_hostile_ones_are_made_from_is_read(tmp_path: Path) -> None:
    rezip(tmp_path / "x.zip", (entry("x"), b"x"))
    assert load_run(tmp_path / "x.zip") == load_run(RUN)


@pytest.mark.parametrize("what", HOSTILE)
def test_a_hostile_archive_is_refused(tmp_path: Path, what: str) -> None:
    make, said = HOSTILE[what]
    make(tmp_path / "x.zip")
    for read in (load_run, load_header):
        with pytest.raises(RecordError, match=said) as refused:
            read(tmp_path / "x.zip")
        assert "\n" not in refused.value.message
        assert refused.value.hint


def test_a_name_that_comes_twice_is_refused(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"):
        rezip(tmp_path / "x.zip", (entry("run.json"), b"{}"))
    with pytest.raises(RecordError, match=r"it contains run\.json twice"):
        load_run(tmp_path / "x.zip")


def test_an_encrypted_file_is_refused(packed: Path) -> None:
    data = bytearray(packed.read_bytes())
    for magic, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(magic) + flags] |= 1
    packed.write_bytes(data)
    with pytest.raises(RecordError, match="which is encrypted or"):
        load_run(packed)


def test_a_list_of_a_million_files_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for each in range(70_000):
            archive.writestr(str(each), b"")
    began = time.monotonic()
    with pytest.raises(RecordError, match="more than 12 files"):
        load_run(tmp_path / "x.zip")
    assert time.monotonic() - began < 0.1


def test_a_false_size_gives_no_more_than_it_says(packed: Path) -> None:
    data = bytearray(packed.read_bytes())
    at = data.index(b"PK\x01\x02") + 24
    data[at : at + 4] = (1000).to_bytes(4, "little")
    packed.write_bytes(data)
    with pytest.raises(RecordError, match="is a damaged archive: Bad CRC-32"):
        load_run(packed)


def test_an_archive_cut_or_changed_anywhere_is_told_as_such(packed: Path) -> None:
    data = packed.read_bytes()
    for at in range(0, len(data), max(1, len(data) // 200)):
        packed.write_bytes(data[:at])
        with pytest.raises(RecordError):
            load_run(packed)
        packed.write_bytes(data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :])
        with suppress(RecordError):
            assert load_run(packed) == load_run(RUN), f"changed at {at}"


def test_a_real_journal_is_far_from_looking_like_a_bomb(packed: Path) -> None:
    with zipfile.ZipFile(packed) as archive:
        ratios = [each.file_size / each.compress_size for each in archive.infolist()]
    assert max(ratios) < EXPANSION_MAX / 4
