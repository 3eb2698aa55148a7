"""Values, files and surroundings beyond every bound: one line and exit 2, or the code of their class; no traceback."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.commands import command, few_cells, iosonde
from tests.hostile.harness import assert_refused, environment, wait_for

NOT_UTF8 = b"odd\xff\xfename"


@pytest.mark.parametrize(
    "words",
    [
        ("--burst", "0", "--think-time", "1s"),
        ("--flush-every", "0"),
        ("--flush-every", "-1"),
        ("--flush-every", "1" * 5000),
        ("--size", "99999999TiB"),
        ("--size", "1e400MiB"),
        ("--size", "-16MiB"),
        ("--size", "nan"),
        ("--offset", "99999999999999999999TiB"),
        ("--queue-depth", "1" * 5000),
        ("--queue-depth", "0"),
        ("--jobs", "0"),
        ("--jobs", "9" * 40),
        ("--rate", "1e999"),
        ("--rate", "0"),
        ("--duration", "9" * 400 + "s"),
        ("--duration", "0s"),
        ("--duration", "\N{ARABIC-INDIC DIGIT FIVE}s"),
        ("--seed", "-1"),
        ("--seed", "9" * 5000),
        ("--read", "101"),
        ("--block-size", "0"),
        ("--block-size", "99999999TiB"),
        ("--block-size", ",".join(["4KiB:1"] * 3000)),
        ("--think-time", "9" * 400 + "s"),
        ("--span", "0B"),
        ("--size", "9" * 400 + "GiB"),
        ("--size", "0." + "0" * 5000 + "1GiB"),
        ("--offset", "9" * 400 + "GiB"),
        ("--rate", "9" * 5000),
        ("--think-time", "9" * 5000 + "s"),
        ("--pattern", "runs:" + "9" * 5000),
        ("--pattern", "strided:" + "9" * 400 + "GiB"),
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_a_value_beyond_its_bounds_is_refused(tmp_path: Path, words: tuple[str, ...]) -> None:
    assert_refused(iosonde("probe", tmp_path, *words, folder=tmp_path), 2, 3)
    assert list(tmp_path.iterdir()) == []


NESTED = "x = " + "[" * 5000 + "]" * 5000
DEEP_TABLES = "".join(f"[{'.'.join(['a'] * depth)}]\n" for depth in (900, 901))
MANY_PARTS = f"a{'.a' * 50_000} = 1"
MANY_TABLES = "x = " + "{a = " * 150 + "1" + "}" * 150
LONG_HEXADECIMAL = f"repeats = 0x{'f' * 5000}"
LONG_NUMBER = f"repeats = {'9' * 5000}"
MANY_CELLS = """
[[experiment]]
name = "many"
pattern = "random"
read = [{reads}]
block_size = "4KiB"
queue_depth = [{depths}]
""".format(reads=", ".join(map(str, range(101))), depths=", ".join(map(str, range(1, 1025))))


TOO_MUCH = {
    "nested": NESTED,
    "deep tables": DEEP_TABLES,
    "long number": LONG_NUMBER,
    "many parts": MANY_PARTS,
    "many tables": MANY_TABLES,
    "hexadecimal": LONG_HEXADECIMAL,
    "a million cells": MANY_CELLS * 10,
    "NUL": "\x00",
    "marks": "\ufeff" * 9,
    "no TOML": "=" * 1000,
    "infinite": "repeats = 1e400",
}


@pytest.mark.parametrize("text", TOO_MUCH.values(), ids=TOO_MUCH)
@pytest.mark.parametrize("file", ["profile", "model", "expectations"])
def test_a_file_that_is_too_much_is_refused(finished: Path, file: str, text: str) -> None:
    path = finished.parent / "odd.toml"
    path.write_text(text, encoding="utf-8")
    words = {
        "profile": ("plan", "sim:mm1", "--profile", path),
        "model": ("plan", f"sim:{path}"),
        "expectations": ("check", "run", "--against", path),
    }[file]
    assert_refused(iosonde(*words, folder=finished.parent), 2, 6)


def test_a_plan_has_a_stated_most(tmp_path: Path) -> None:
    path = few_cells(tmp_path)
    path.write_text(path.read_text(encoding="utf-8").replace("repeats = 2", "repeats = 1000000"), encoding="utf-8")
    result = iosonde("plan", "sim:mm1", "--profile", path, folder=tmp_path)
    assert_refused(result, 2)
    assert "1 to 1000" in result.stderr


def _bytes_command(*words: bytes, folder: Path) -> subprocess.CompletedProcess[bytes]:
    start = [word.encode() for word in command()]
    return subprocess.run(
        [*start, *words], cwd=folder, capture_output=True, check=False, env=environment(), timeout=120
    )


@pytest.mark.parametrize(
    "words",
    [
        (b"plan", NOT_UTF8),
        (b"probe", NOT_UTF8, b"--size", b"16MiB", b"--duration", b"100ms", b"--buffered"),
        (b"show", NOT_UTF8),
        (b"list", NOT_UTF8),
        (b"report", b"run", b"--html", NOT_UTF8),
        (b"export", b"run", b"--out", NOT_UTF8 + b".zip"),
        (b"run", b"sim:mm1", b"--profile", b"few.toml", b"--out", NOT_UTF8),
        (b"check", b"run", b"--against", NOT_UTF8),
    ],
    ids=lambda words: words[0].decode(),
)
def test_a_name_that_is_not_utf_8_costs_no_traceback(finished: Path, words: tuple[bytes, ...]) -> None:
    few_cells(finished.parent)
    (finished.parent / "place").mkdir()
    if words[0] == b"probe":
        (finished.parent / os.fsdecode(NOT_UTF8)).mkdir()
    result = _bytes_command(*words, folder=finished.parent)
    assert b"Traceback" not in result.stderr, result.stderr
    assert result.returncode in {0, 2, 3, 6, 7}, result.stderr


@pytest.mark.parametrize(
    "words", [("list",), ("plan", "."), ("run", "sim:mm1"), ("show", "run"), ("--version",)], ids=str
)
def test_a_working_directory_that_is_gone_is_told(tmp_path: Path, words: tuple[str, ...]) -> None:
    place = tmp_path / "gone"
    place.mkdir()
    result = subprocess.run(
        ["/bin/sh", "-c", 'cd "$1" && rmdir "$1" && shift && exec "$@"', "sh", place, *command(*words)],
        capture_output=True,
        text=True,
        check=False,
        env=environment(PYTHONPATH=os.pathsep.join(sys.path)),
    )
    assert "Traceback" not in result.stderr, result.stderr
    assert result.returncode in {0, 2, 3, 6, 7}, result.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
@pytest.mark.parametrize("words", [("show", "run"), ("report", "run"), ("list", "."), ("plan", "sim:mm1")], ids=str)
def test_a_stdout_that_lacks_a_sign_is_written_without_it(
    finished: Path, words: tuple[str, ...], encoding: str
) -> None:
    environ = environment(PYTHONIOENCODING=f"{encoding}:strict")
    plain = subprocess.run(command(*words), cwd=finished.parent, capture_output=True, check=False, env=environ)
    assert plain.returncode == 0, plain.stderr
    assert b"Traceback" not in plain.stderr
    assert plain.stdout.strip()


@pytest.mark.parametrize("columns", ["0", "-1", "1", "7", "100000000", "9" * 400, "x", ""])
@pytest.mark.parametrize("words", [("show", "run"), ("list", ".")], ids=lambda words: words[0])
def test_a_terminal_of_any_width_gets_the_figures(finished: Path, words: tuple[str, ...], columns: str) -> None:
    result = iosonde(*words, folder=finished.parent, COLUMNS=columns)
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip()


@pytest.mark.parametrize(
    ("limit", "value"),
    [(resource.RLIMIT_NPROC, 1), (resource.RLIMIT_NOFILE, 12), (resource.RLIMIT_AS, 250_000 << 10)],
    ids=["processes", "open files", "address space"],
)
@pytest.mark.parametrize("words", [("report", "run"), ("show", "run"), ("report", "run", "--pdf", "x.pdf")], ids=str)
def test_a_limit_of_the_system_is_told_and_never_waited_for(
    finished: Path, words: tuple[str, ...], limit: int, value: int
) -> None:
    def confine() -> None:
        resource.setrlimit(limit, (value, value))

    result = subprocess.run(
        command(*words),
        cwd=finished.parent,
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
        timeout=60,
        preexec_fn=confine,
    )
    assert "Traceback" not in result.stderr, result.stderr
    assert result.returncode in {0, 4, 6, 7}, (result.returncode, result.stderr)
    if result.returncode:
        assert "hint: " in result.stderr


@contextmanager
def group_of_processes(most: int) -> Iterator[Path]:
    """A control group of so many processes and threads; what joins it writes its number to the file."""
    controller = Path("/sys/fs/cgroup/pids")
    above = controller if controller.is_dir() else Path("/sys/fs/cgroup")
    if os.geteuid() != 0:
        pytest.skip("only root may make control groups")
    group = above / f"iosonde-test-{os.getpid()}"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made here: {error.strerror}")
    try:
        if not (group / "pids.max").exists():
            pytest.skip("control groups of this host do not count processes")
        (group / "pids.max").write_text(str(most), encoding="ascii")
        yield group / "cgroup.procs"
    finally:
        wait_for(lambda: not (group / "cgroup.procs").read_text("ascii"), "all that a command has started has ended")
        group.rmdir()


@pytest.mark.parametrize("most", [1, 2, 4, 8])
@pytest.mark.parametrize(
    "words",
    [
        ("probe", "place", "--size", "16MiB", "--duration", "100ms", "--buffered"),
        ("run", "place", "--size", "16MiB", "--profile", "few.toml", "--buffered", "--out", "new"),
        ("report", "run"),
        ("report", "run", "--pdf", "x.pdf"),
        ("show", "run"),
    ],
    ids=lambda words: " ".join(words)[:20],
)
def test_a_group_that_may_have_no_more_processes_ends_a_command_with_a_hint(
    finished: Path, words: tuple[str, ...], most: int
) -> None:
    few_cells(finished.parent)
    (finished.parent / "place").mkdir()
    with group_of_processes(most) as members:
        result = subprocess.run(
            ["/bin/sh", "-c", 'echo $$ > "$1" && shift && exec "$@"', "sh", members, *command(*words)],
            cwd=finished.parent,
            capture_output=True,
            text=True,
            check=False,
            env=environment(),
            timeout=120,
        )
    assert "Traceback" not in result.stderr, result.stderr
    assert "panicked" not in result.stderr, result.stderr
    assert result.returncode in {0, 4, 7}, (result.returncode, result.stderr)
    if result.returncode:
        assert_refused(result, 4, 7)
    assert list((finished.parent / "place").iterdir()) == []


def test_a_campaign_of_too_many_cells_is_refused_before_they_are_made(tmp_path: Path) -> None:
    path = few_cells(tmp_path)
    path.write_text('name = "many"\nwarmup = "0s"\nduration = "80ms"\n' + MANY_CELLS, encoding="utf-8")
    result = iosonde("plan", "sim:mm1", "--profile", path, folder=tmp_path)
    assert_refused(result, 2)
    assert "the maximum is 10,000" in result.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    "words", [("plan", "sim:mm1", "--cells", "--json"), ("probe", "sim:mm1", "--duration", "100ms", "--json")], ids=str
)
def test_output_that_does_not_fit_is_never_taken_for_whole(
    finished: Path, words: tuple[str, ...], unbuffered: str
) -> None:
    result = subprocess.run(
        ["/bin/sh", "-c", 'ulimit -f 1 && exec "$@" > out', "sh", *command(*words)],
        cwd=finished.parent,
        capture_output=True,
        text=True,
        check=False,
        env=environment(PYTHONUNBUFFERED=unbuffered),
    )
    assert_refused(result, 7)


def test_a_pipe_that_does_not_block_gets_all_of_the_output(finished: Path) -> None:
    words = command("plan", "sim:mm1", "--cells", "--json", "--seed", "1")
    whole = subprocess.run(words, capture_output=True, check=True, env=environment()).stdout
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    process = subprocess.Popen(words, stdout=writer, cwd=finished.parent, env=environment(PYTHONUNBUFFERED="1"))
    os.close(writer)
    time.sleep(2)
    with os.fdopen(reader, "rb") as pipe:
        assert pipe.read() == whole
    assert process.wait() == 0


def test_a_stdout_that_is_only_open_for_reading_is_told(finished: Path) -> None:
    with Path(os.devnull).open("rb") as null:
        result = subprocess.run(
            command("show", "run"), cwd=finished.parent, stdout=null, stderr=subprocess.PIPE, text=True, check=False
        )
    assert_refused(result, 7)


@pytest.mark.parametrize("words", [("show", "run"), ("list", "."), ("resume", "run")], ids=lambda words: words[0])
def test_a_journal_that_is_mostly_a_hole_is_refused_at_once(finished: Path, words: tuple[str, ...]) -> None:
    os.truncate(finished / "journal", 4 << 30)
    result = iosonde(*words, folder=finished.parent)
    assert "it is a sparse file" in result.stdout + result.stderr
    assert "Traceback" not in result.stderr


def test_a_name_that_is_not_utf_8_is_listed_as_json(finished: Path) -> None:
    finished.rename(finished.parent / os.fsdecode(NOT_UTF8))
    result = iosonde("list", ".", "--json", folder=finished.parent)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)[0]["state"] == "finished"
