"""Output that cannot be written: a full device, a closed pipe, a closed stream."""

import signal
import subprocess

import pytest

from iosonde.cli.signals import Ending
from tests.commands import command
from tests.house.checkout import ROOT

FIXTURE = ROOT / "tests/fixtures/runs/v1"
COMMANDS = {"help": ("--help",), "list": ("list", FIXTURE), "json": ("list", FIXTURE, "--json")}


def shell(redirected: str, *words: object) -> subprocess.CompletedProcess[str]:
    """Runs iosonde with its streams as a shell would redirect them."""
    started = ["sh", "-c", f'exec "$@" {redirected}', "sh", *command(*words)]
    return subprocess.run(started, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_output_that_finds_no_room_is_an_error_with_a_way_out(words: tuple[object, ...]) -> None:
    ended = shell(">/dev/full", *words)
    assert ended.returncode == 7, ended.stderr
    assert ended.stderr.splitlines() == [
        "error: cannot write: No space left on device",
        "hint: free some space, or write to another file system",
    ]


@pytest.mark.parametrize(
    ("number", "word"),
    [(signal.SIGINT, "interrupted"), (signal.SIGTERM, "terminated"), (signal.SIGHUP, "hung up")],
)
def test_each_signal_that_ends_a_command_has_its_word(number: signal.Signals, word: str) -> None:
    ending = Ending()
    with pytest.raises(KeyboardInterrupt):
        ending(number, None)
    assert (ending.word, ending.code) == (word, 128 + number)


def test_a_reader_who_has_seen_enough_is_no_error() -> None:
    with subprocess.Popen(command("list", FIXTURE), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert (process.stderr.read(), process.wait(60)) == (b"", 0)


@pytest.mark.parametrize("stream", [0, 1, 2])
def test_a_closed_stream_is_as_good_as_one_that_nobody_reads(stream: int) -> None:
    ended = shell(f"{stream}>&-", "list", FIXTURE)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ("finished" in ended.stdout) is (stream != 1)


def test_an_error_has_its_exit_code_where_nothing_takes_its_words() -> None:
    assert shell("2>/dev/full", "nonsense").returncode == 2
