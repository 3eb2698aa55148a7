"""Schema versions: older runs are read, and runs of a newer version are refused and left unchanged."""

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from iosonde import open_run
from iosonde.campaign.verifying import verify_later
from iosonde.errors import NewerError, RecordError
from iosonde.machine.local_host import LocalHost
from iosonde.records import SCHEMA_VERSION, Outcome
from iosonde.store import Journal, RunDirectory, load_header, load_run, summarise_run, write_archive
from iosonde.store.cell_figures import CELL_KEYS
from iosonde.store.frame_stream import decode
from iosonde.store.frames import MAGIC, PREFIX, Frame, Kind, encode, prefix
from iosonde.store.header import checksum_of
from iosonde.store.upgrades import UPGRADES, FrameStep, Upgrade, Upgrader, upgraded_header
from iosonde.vocabulary import FailureKind
from tests.campaign_runs import rest_of, resume
from tests.commands import iosonde
from tests.forged import forge
from tests.house.checkout import ROOT
from tools.keep_version import RUNS, SCHEMAS, stored_schema

NEWEST = RUNS / f"v{SCHEMA_VERSION}-all-frames"
OLDEST = RUNS / "v1-all-frames"
KEPT = sorted(RUNS.glob("v*"))
UNKNOWN_KIND = 200
NOW = datetime(2026, 11, 22, tzinfo=UTC)


def content_of(path: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in sorted(path.iterdir())}


def frames_of(path: Path) -> list[tuple[int, bytes]]:
    return [
        (frame.kind, frame.payload) for frame in decode((path / "journal").read_bytes()) if isinstance(frame, Frame)
    ]


def write_frames(path: Path, frames: list[tuple[int, bytes]], version: int = SCHEMA_VERSION) -> None:
    # The kinds may be unknown to this version, as those of a newer version are.
    coded = b"".join(encode(kind, payload) for kind, payload in frames)  # type: ignore[arg-type]
    (path / "journal").write_bytes(prefix(version) + coded)


def add_to(kind: Kind, *path: str | int, name: str = "colour", value: object = "red") -> Callable[[Path], None]:
    """Adds a field to the first frame of a kind, in the object at this path in it."""

    def damage(run: Path) -> None:
        frames = frames_of(run)
        index = next(index for index, frame in enumerate(frames) if frame[0] == kind)
        payload = json.loads(frames[index][1])
        at = payload
        for step in path:
            at = at[step]
        at[name] = value
        frames[index] = (kind, json.dumps(payload, separators=(",", ":")).encode())
        write_frames(run, frames)

    return damage


def unknown_frame(place: float) -> Callable[[Path], None]:
    def damage(run: Path) -> None:
        frames = frames_of(run)
        frames.insert(round(len(frames) * place), (UNKNOWN_KIND, b'{"new":1}'))
        write_frames(run, frames)

    return damage


def unknown_frame_behind_a_damaged_stretch(run: Path) -> None:
    unknown_frame(1)(run)
    data = bytearray((run / "journal").read_bytes())
    data[PREFIX.size + 20] ^= 1
    (run / "journal").write_bytes(data)


def unknown_frame_before_a_torn_end(run: Path) -> None:
    unknown_frame(1)(run)
    with (run / "journal").open("ab") as file:
        file.write(encode(Kind.END, b'{"finished":true}')[:-3])


NEWER: dict[str, tuple[Callable[[Path], None], str]] = {
    "a header of the next version": (
        lambda run: forge(run, lambda header: header.update(schema_version=SCHEMA_VERSION + 1)),
        f"schema {SCHEMA_VERSION + 1}; this version supports up to {SCHEMA_VERSION}",
    ),
    "a header of a version far away": (
        lambda run: forge(run, lambda header: header.update(schema_version=10**12)),
        "schema 1000000000000",
    ),
    "a journal of the next version": (
        lambda run: write_frames(run, frames_of(run), SCHEMA_VERSION + 1),
        f"schema {SCHEMA_VERSION + 1}",
    ),
    "a field of the header": (lambda run: forge(run, lambda header: header.update(colour=1)), "field colour"),
    "a field of the plan": (
        lambda run: forge(run, lambda header: header["plan"]["cells"][0]["streams"][0]["workload"].update(colour=1)),
        "field plan.cells.0.streams.0.workload.colour",
    ),
    "a value of the header": (
        lambda run: forge(run, lambda header: header.update(engine="quantum")),
        "value 'quantum' in engine",
    ),
    "a pattern": (
        lambda run: forge(
            run, lambda header: header["plan"]["cells"][0]["streams"][0]["workload"].update(pattern="spiral")
        ),
        "value 'spiral' in plan.cells.0.streams.0.workload.pattern",
    ),
    "a field of a cell": (add_to(Kind.CELL), "field colour"),
    "a field deep in a cell": (add_to(Kind.CELL, "slowest", 0), "field slowest.0.colour"),
    "a value of a cell": (add_to(Kind.CELL, name="outcome", value="melted"), "value 'melted' in outcome"),
    "a kind of failure": (
        add_to(Kind.CELL, name="failure", value={"kind": "melted", "message": "the drive melted"}),
        "value 'melted' in failure.kind",
    ),
    "a field of an interval": (add_to(Kind.INTERVAL, "interval"), "field interval.colour"),
    "a field beside an interval": (add_to(Kind.INTERVAL), "field colour"),
    "a field of the fill": (add_to(Kind.PREPARATION), "field colour"),
    "a field of a turn": (add_to(Kind.TURN), "field colour"),
    "a field of a session": (add_to(Kind.SESSION, "host"), "field host.colour"),
    "a field of a later pass": (add_to(Kind.LATER_PASS, "targets", 0), "field targets.0.colour"),
    "a field of the end": (add_to(Kind.END), "field colour"),
    "a frame at the end": (unknown_frame(1), f"a frame of kind {UNKNOWN_KIND}"),
    "a frame in the middle": (unknown_frame(0.5), f"a frame of kind {UNKNOWN_KIND}"),
    "a frame at the start": (unknown_frame(0), f"a frame of kind {UNKNOWN_KIND}"),
    "a frame behind a damaged stretch": (unknown_frame_behind_a_damaged_stretch, f"a frame of kind {UNKNOWN_KIND}"),
    "a frame before a torn end": (unknown_frame_before_a_torn_end, f"a frame of kind {UNKNOWN_KIND}"),
}


@pytest.fixture(params=NEWER)
def newer(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, str]:
    """A run as a newer version might have written it, and what its error message names."""
    path = tmp_path / "run"
    shutil.copytree(NEWEST, path)
    change, said = NEWER[request.param]
    change(path)
    return path, said


def test_everything_that_reads_a_run_refuses_a_newer_one_in_words_and_leaves_it_as_it_is(
    newer: tuple[Path, str],
) -> None:
    path, said = newer
    before = content_of(path)
    readers: dict[str, Callable[[], object]] = {
        "show, report, check": lambda: load_run(path),
        "open_run": lambda: open_run(path),
        "list": lambda: summarise_run(path, lambda plan: plan.cells),
        "list of other cells": lambda: summarise_run(path, lambda _: ()),
        "export": lambda: write_archive(path, path.parent / "run.zip"),
        "resume": lambda: rest_of(path),
        "verify": lambda: verify_later(path, LocalHost(), (), lambda _target, _bytes: None, NOW),
    }
    for name, read in readers.items():
        with pytest.raises(NewerError) as caught:
            read()
        assert "was written by a newer iosonde" in caught.value.message, name
        assert said in caught.value.message, name
        assert caught.value.hint == "upgrade iosonde to read this run", name
        assert content_of(path) == before, name
    assert not (path.parent / "run.zip").exists()


@pytest.mark.parametrize("place", [0, 0.5, 1])
def test_a_frame_that_a_newer_version_wrote_since_the_run_was_read_is_never_cut(tmp_path: Path, place: float) -> None:
    path = tmp_path / "run"
    shutil.copytree(NEWEST, path)
    unknown_frame(place)(path)
    with (path / "journal").open("ab") as file:
        file.write(b"torn")
    before = content_of(path)
    with pytest.raises(NewerError):
        Journal(path / "journal", go_on=True)
    assert content_of(path) == before


COMMANDS = {
    "show": ("show", "run"),
    "report": ("report", "run", "--json", "all.json"),
    "resume": ("resume", "run"),
    "verify": ("verify", "run"),
    "export": ("export", "run", "--as", "archive", "--out", "run.zip"),
    "check": ("check", "run", "--against", "expected.toml"),
}


@pytest.mark.parametrize("change", ["a header of the next version", "a field of a cell", "a frame at the end"])
def test_each_command_tells_a_newer_run_in_two_lines_and_writes_nothing(change: str, tmp_path: Path) -> None:
    shutil.copytree(NEWEST, tmp_path / "run")
    NEWER[change][0](tmp_path / "run")
    (tmp_path / "expected.toml").write_text((ROOT / "examples/expectations/seed-000.toml").read_text(encoding="utf-8"))
    before = content_of(tmp_path / "run")
    for name, words in COMMANDS.items():
        ended = iosonde(*words, folder=tmp_path)
        assert ended.returncode == NewerError.exit_code, name
        lines = ended.stderr.splitlines()
        assert len(lines) == 2, name
        assert lines[0].startswith("error: run was written by a newer iosonde"), name
        assert lines[1] == "hint: upgrade iosonde to read this run", name
        assert content_of(tmp_path / "run") == before, name
    listed = json.loads(iosonde("list", "--json", folder=tmp_path).stdout)
    assert [(run["state"], run["reason"].startswith("was written by a newer iosonde")) for run in listed] == [
        ("newer", True)
    ]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["expected.toml", "run"]


@pytest.mark.parametrize("version", [0, -1, "1", "two", 1.0, 1.5, True, None, [1], {"a": 1}], ids=repr)
def test_what_is_no_version_is_refused_as_such(version: object, tmp_path: Path) -> None:
    shutil.copytree(NEWEST, tmp_path / "run")
    forge(tmp_path / "run", lambda header: header.update(schema_version=version))
    for read in (load_run, load_header):
        with pytest.raises(RecordError) as caught:
            read(tmp_path / "run")
        assert "or iosonde did not write it" in caught.value.message
        assert not isinstance(caught.value, NewerError)


def test_a_header_without_a_version_is_refused_as_such(tmp_path: Path) -> None:
    shutil.copytree(NEWEST, tmp_path / "run")
    forge(tmp_path / "run", lambda header: header.pop("schema_version"))
    with pytest.raises(RecordError, match="has no schema version: it was modified, or iosonde did not write it"):
        load_run(tmp_path / "run")


def test_a_version_that_stands_in_a_header_twice_counts_where_it_stands_last(tmp_path: Path) -> None:
    shutil.copytree(NEWEST, tmp_path / "run")
    header = load_header(tmp_path / "run").model_dump_json(exclude={"schema_version"})
    rest = f'{header[1:-1]}, "schema_version": {SCHEMA_VERSION + 1}}}'
    checksum = checksum_of(SCHEMA_VERSION, rest)
    text = f'{{\n "schema_version": {SCHEMA_VERSION},\n "checksum": "{checksum}",{rest}'
    (tmp_path / "run/run.json").write_text(text, encoding="utf-8")
    with pytest.raises(NewerError):
        load_run(tmp_path / "run")


def test_a_journal_of_version_0_is_refused(tmp_path: Path) -> None:
    shutil.copytree(NEWEST, tmp_path / "run")
    write_frames(tmp_path / "run", frames_of(tmp_path / "run"), 0)
    with pytest.raises(RecordError, match="has the invalid schema version 0"):
        load_run(tmp_path / "run")
    with pytest.raises(RecordError, match="or iosonde did not write it"):
        summarise_run(tmp_path / "run", lambda plan: plan.cells)


def test_a_flipped_bit_in_a_name_is_damage_and_no_newer_version(tmp_path: Path) -> None:
    shutil.copytree(NEWEST, tmp_path / "run")
    data = (tmp_path / "run/journal").read_bytes()
    before, name, behind = data.rpartition(b'"outcome"')
    (tmp_path / "run/journal").write_bytes(before + name.replace(b"e", b"d") + behind)
    assert "checksum" in (load_run(tmp_path / "run").damage or "")
    # A summary checks no checksums until it finds something unknown.
    with pytest.raises(RecordError, match="is damaged") as caught:
        summarise_run(tmp_path / "run", lambda plan: plan.cells)
    assert not isinstance(caught.value, NewerError)


def test_there_is_a_run_of_each_schema_version() -> None:
    assert {f"v{version}-all-frames" for version in range(1, SCHEMA_VERSION + 1)} <= {path.name for path in KEPT}, (
        "python -m tools.keep_version keeps one"
    )


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_runs_of_every_schema_version_load_whole(path: Path) -> None:
    run = load_run(path)
    assert run.finished
    assert run.damage is None
    assert len(run.cells) == len(run.turns)
    assert all(cell.operations and cell.intervals for cell in run.cells)
    assert run.header.schema_version == SCHEMA_VERSION
    assert summarise_run(path, lambda plan: plan.cells).measured == len(run.cells)


def test_an_older_word_for_cells_of_fio_in_which_nothing_completed_is_known(tmp_path: Path) -> None:
    shutil.copytree(RUNS / "v2-all-frames", tmp_path / "run")
    failure = {"kind": "nothing", "message": "no read completed within the measurement time"}
    add_to(Kind.CELL, name="failure", value=failure)(tmp_path / "run")
    write_frames(tmp_path / "run", frames_of(tmp_path / "run"), version=2)
    kinds = {cell.failure.kind for cell in load_run(tmp_path / "run").cells if cell.failure is not None}
    assert kinds == {FailureKind.NOTHING}


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION + 1))
def test_the_run_of_a_version_has_frames_of_every_kind(version: int) -> None:
    path = RUNS / f"v{version}-all-frames"
    schema = SCHEMAS / f"v{version}.json"
    # There is no stored schema of version 1, which had the variation within a repeat in the frame of its cell.
    kept = json.loads(schema.read_text(encoding="utf-8"))["kinds"].values() if schema.exists() else None
    assert {kind for kind, _ in frames_of(path)} == (
        set(Kind) - {Kind.WITHIN, Kind.PROCEDURE_START} if kept is None else set(kept)
    )
    assert json.loads((path / "run.json").read_text(encoding="utf-8"))["schema_version"] == version
    assert (path / "journal").read_bytes().startswith(MAGIC + version.to_bytes(4, "little"))
    run = load_run(path)
    assert run.superseded[0].outcome is Outcome.CUT
    assert run.sessions
    assert run.later_passes
    assert run.turns_chosen


def test_fields_that_are_stored_change_with_the_schema_version_only() -> None:
    kept = json.loads((SCHEMAS / f"v{SCHEMA_VERSION}.json").read_text(encoding="utf-8"))
    changed = sorted(set(flat(kept)) ^ set(flat(stored_schema())))
    assert not changed, (
        f"what is stored changed, and version {SCHEMA_VERSION} is what tests/fixtures/schemas/v{SCHEMA_VERSION}.json "
        "says: raise SCHEMA_VERSION, add an upgrade, then python -m tools.keep_version "
        f"(docs/decisions/0023-refuse-runs-of-a-newer-version.md). Changed: {changed}"
    )


def flat(schema: object, at: str = "") -> list[str]:
    """Each value of a schema, preceded by its path."""
    if isinstance(schema, dict):
        return [each for key, value in schema.items() for each in flat(value, f"{at}/{key}")]
    if isinstance(schema, list):
        return [each for value in schema for each in flat(value, f"{at}/-")]
    return [f"{at} = {schema!r}"]


def test_an_older_run_was_all_on_one_host() -> None:
    run = load_run(RUNS / "v4-all-frames")
    assert run.header.hosts == (run.header.host,)
    assert [session.hosts for session in run.sessions] == [(session.host,) for session in run.sessions]
    assert {target.host for target in run.targets} == {cell.host for cell in run.cells} == {0}


def test_there_is_an_upgrade_from_each_version_to_the_next() -> None:
    assert sorted(UPGRADES) == list(range(1, SCHEMA_VERSION))


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_an_upgrade_leaves_alone_what_is_newer_already(path: Path) -> None:
    for version in UPGRADES:
        upgrader = Upgrader(version)
        for kind, payload in frames_of(NEWEST):
            assert json.loads(upgrader.payload(Kind(kind), payload)) == json.loads(payload)
        for kind, payload in frames_of(path):
            once = upgrader.payload(Kind(kind), payload)
            assert upgrader.payload(Kind(kind), once) == once


def test_upgrades_are_made_one_after_the_other_on_headers_and_frames() -> None:
    def named(old: str, new: str) -> Callable[[dict[str, Any]], None]:
        def rename(found: dict[str, Any]) -> None:
            if old in found:
                found[new] = found.pop(old)

        return rename

    def step(old: str, new: str) -> FrameStep:
        return FrameStep(named(old, new), frozenset({old, new}))

    upgrades = {
        1: Upgrade(header=named("a", "b"), frames={Kind.CELL: step("x", "y")}),
        2: Upgrade(),
        3: Upgrade(header=named("b", "c"), frames={Kind.CELL: step("y", "z"), Kind.END: step("f", "g")}),
    }
    assert upgraded_header({"schema_version": 1, "a": 5}, 4, upgrades) == {"schema_version": 4, "c": 5}
    assert upgraded_header({"schema_version": 3, "b": 5}, 4, upgrades) == {"schema_version": 4, "c": 5}
    upgrader = Upgrader(1, 4, upgrades)
    assert upgrader.payload(Kind.CELL, b'{"x":1}') == b'{"z":1}'
    assert upgrader.payload(Kind.CELL, b'{"z":1}') == b'{"z":1}'
    assert upgrader.payload(Kind.END, b'{"f":true}') == b'{"g":true}'
    untouched = b'{ "x": 1 }'
    assert upgrader.payload(Kind.PREPARATION, untouched) is untouched
    assert not Upgrader(2, 3, upgrades).changes(Kind.CELL, {"x", "y"})
    assert upgrader.changes(Kind.CELL, {"x"})
    assert not upgrader.changes(Kind.CELL, {"w"})


@pytest.mark.parametrize("version", range(1, SCHEMA_VERSION))
def test_a_listing_reads_the_cells_of_an_older_run_as_they_were_written(version: int) -> None:
    # Upgrading each cell would take several times as long as the rest of the summary.
    assert not Upgrader(version).changes(Kind.CELL, CELL_KEYS)


def test_an_older_run_becomes_one_of_this_version_when_something_is_added_and_not_before(tmp_path: Path) -> None:
    path = tmp_path / "run"
    shutil.copytree(OLDEST, path)
    before, was = content_of(path), load_run(path)
    with RunDirectory(path).reopen_journal():
        pass
    assert content_of(path) == before
    with RunDirectory(path).reopen_journal() as journal:
        journal.session(was.sessions[0])
    header = json.loads((path / "run.json").read_text(encoding="utf-8"))
    assert header["schema_version"] == SCHEMA_VERSION
    assert (path / "journal").read_bytes().startswith(before["journal"])
    now = load_run(path)
    assert (now.header, now.cells, now.turns) == (was.header, was.cells, was.turns)
    assert now.sessions == (*was.sessions, was.sessions[0])


def test_a_finished_run_is_not_touched_by_a_resumption(tmp_path: Path) -> None:
    shutil.copytree(OLDEST, tmp_path / "run")
    before = content_of(tmp_path / "run")
    resume(tmp_path / "run", now=NOW)
    assert content_of(tmp_path / "run") == before
