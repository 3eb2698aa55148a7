"""``iosonde probe`` on the null engine, on a new file and on an existing file."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands import iosonde

SHORT = ["--duration", "50ms", "--warmup", "10ms"]


def probe(*words: object) -> dict[str, Any]:
    ended = iosonde("probe", *words, *SHORT, "--json")
    assert ended.returncode == 0, ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


def test_nothing_is_measured_in_process_by_a_release_engine() -> None:
    found = probe("null:", "--queue-depth", "32", "--seed", "7")
    assert found["run"]["header"]["hello"]["build_profile"] == "release"
    cell = found["run"]["cells"][0]
    assert (cell["engine"]["engine"], cell["seed"], cell["outcome"]) == ("null", 7, "finished")
    assert cell["operations"]["read"]["count"] > 10_000


@pytest.mark.parametrize("engine", ["auto", "psync"])
def test_a_file_is_made_filled_measured_and_removed(tmp_path: Path, engine: str) -> None:
    words = [tmp_path, "--size", "16MiB", "--buffered", "--read", "70", "--queue-depth", "4", "--engine", engine]
    found = probe(*words)
    cell = found["run"]["cells"][0]
    assert set(cell["operations"]) == {"read", "write"}
    assert found["run"]["preparation"][0]["operations"]["write"]["bytes"] == 16 << 20
    assert {finding["id"] for finding in found["findings"]} >= {"buffered-io", "span-fits-cache"}
    assert list(tmp_path.iterdir()) == []


def test_a_new_file_is_made_where_it_was_named_and_removed(tmp_path: Path) -> None:
    found = probe(tmp_path / "here.data", "--size", "16MiB", "--buffered")
    assert found["run"]["header"]["target"]["path"] == str(tmp_path / "here.data")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_there_is_only_read_and_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "data"
    content = bytes(range(256)) * (16 << 12)
    path.write_bytes(content)
    found = probe(path, "--buffered")
    assert found["run"]["preparation"] == []
    assert found["run"]["header"]["target"]["written"] == "data"
    assert "content-unknown" in {finding["id"] for finding in found["findings"]}
    assert path.read_bytes() == content


def test_blocks_that_were_never_written_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "sparse"
    with path.open("wb") as file:
        file.truncate(32 << 20)
    ended = iosonde("probe", path, "--buffered", *SHORT)
    assert ended.returncode == 3
    assert "were never written" in ended.stderr
    assert "hint: use --overwrite" in ended.stderr


def test_overwrite_gives_up_what_a_file_holds_but_not_the_file(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"x" * (16 << 20))
    found = probe(path, "--buffered", "--overwrite", "--read", "0")
    assert found["run"]["header"]["target"]["written"] == "filled"
    assert path.stat().st_size == 16 << 20
    assert path.read_bytes()[:4096] != b"x" * 4096


def test_a_commit_is_reported_apart_from_its_write_and_its_flush(tmp_path: Path) -> None:
    found = probe(tmp_path, "--size", "16MiB", "--buffered", "--read", "0", "--sync", "fdatasync")
    operations = found["run"]["cells"][0]["operations"]
    assert set(operations) == {"write", "flush", "commit"}
    assert operations["commit"]["count"] == operations["flush"]["count"]


def test_the_figures_are_printed_for_people(tmp_path: Path) -> None:
    ended = iosonde("probe", tmp_path, "--size", "16MiB", "--buffered", *SHORT)
    assert ended.returncode == 0, ended.stderr
    for word in ("operations/s", "MB/s", "latency mean", "p99", "queue depth", "buffered-io"):
        assert word in ended.stdout
    assert max(len(line) for line in ended.stdout.splitlines()) <= 100


def test_the_same_seed_is_recorded_and_a_fresh_one_is_drawn_otherwise() -> None:
    seeds = {probe("null:")["run"]["cells"][0]["seed"] for _ in range(2)}
    assert len(seeds) == 2
