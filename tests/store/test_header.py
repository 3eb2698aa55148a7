"""run.json has a checksum, and is refused if the checksum does not match."""

import json
import re
import shutil
from pathlib import Path

import pytest

from iosonde.errors import NewerError, RecordError
from iosonde.records import SCHEMA_VERSION
from iosonde.store import load_header, load_run, summarise_run
from iosonde.store.header import header_text
from tests.forged import forge, forged_text

RUNS = Path(__file__).parents[1] / "fixtures/runs"
NEWEST = RUNS / f"v{SCHEMA_VERSION}-all-frames"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return Path(shutil.copytree(NEWEST, tmp_path / "run"))


def test_what_is_written_is_read_back(run: Path) -> None:
    header = load_header(run)
    text = header_text(header)
    assert json.loads(text)["schema_version"] == SCHEMA_VERSION
    (run / "run.json").write_text(text, encoding="utf-8")
    assert load_header(run) == header


def test_each_flipped_bit_is_found(run: Path) -> None:
    data = (run / "run.json").read_bytes()
    # Every byte of the version and the checksum, and a sample of the other bytes.
    for at in (*range(80), *range(80, len(data) - 2, 97)):
        (run / "run.json").write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(RecordError):
            load_header(run)


def test_a_header_that_was_edited_is_refused_with_the_reason(run: Path) -> None:
    text = (run / "run.json").read_text(encoding="utf-8")
    (run / "run.json").write_text(text.replace("/srv/data", "/etc/passwd", 1), encoding="utf-8")
    for read in (load_run, load_header, lambda path: summarise_run(path, lambda plan: plan.cells)):
        with pytest.raises(RecordError, match=r"run\.json is damaged: its checksum does not match"):
            read(run)


def test_a_header_without_its_checksum_is_refused(run: Path) -> None:
    text = (run / "run.json").read_text(encoding="utf-8")
    (run / "run.json").write_text(re.sub(r' "checksum": "[0-9a-f]+",\n', "", text), encoding="utf-8")
    with pytest.raises(RecordError, match="the checksum after the schema version is missing"):
        load_header(run)


def test_the_version_cannot_be_lowered_to_do_without(run: Path) -> None:
    text = (run / "run.json").read_text(encoding="utf-8")
    lowered = text.replace(f'"schema_version": {SCHEMA_VERSION}', '"schema_version": 2', 1)
    (run / "run.json").write_text(lowered, encoding="utf-8")
    with pytest.raises(RecordError):
        load_header(run)


def test_a_newer_header_is_told_as_newer_whatever_its_checksum_is(run: Path) -> None:
    forge(run, lambda header: header.update(schema_version=SCHEMA_VERSION + 1))
    with pytest.raises(NewerError):
        load_header(run)


@pytest.mark.parametrize("version", [-1, 0, None, "3", 2.5, True])
def test_what_is_no_version_is_refused(run: Path, version: object) -> None:
    header = json.loads((run / "run.json").read_text(encoding="utf-8"))
    header.pop("checksum")
    header["schema_version"] = version
    (run / "run.json").write_text(forged_text(header), encoding="utf-8")
    with pytest.raises(RecordError):
        load_header(run)


def test_older_headers_had_no_checksum_and_are_read() -> None:
    for version in range(1, 3):
        assert load_header(RUNS / f"v{version}-all-frames").schema_version == SCHEMA_VERSION
