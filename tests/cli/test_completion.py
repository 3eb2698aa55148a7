"""`iosonde completion`: TAB completes commands, options and values, in the shells themselves."""

import os
import pty
import select
import shlex
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from iosonde.plans.models import model_names
from tests.commands import iosonde

NEEDS_BASH = pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
DEADLINE_S = 30


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    ended = iosonde("completion", "show", "bash")
    assert (ended.returncode, ended.stderr) == (0, "")
    path = tmp_path_factory.mktemp("completion") / "iosonde.bash"
    path.write_text(ended.stdout)
    return path


def completed(script: Path, line: str) -> list[str]:
    """The completions that bash offers at the end of a line."""
    words = [*shlex.split(line), *([""] if line.endswith(" ") else [])]
    asked = (
        f"source {shlex.quote(str(script))}; COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; "
        '_iosonde; printf "%s\\n" "${COMPREPLY[@]}"'
    )
    ended = subprocess.run(
        ["bash", "--norc", "--noprofile", "-c", asked], capture_output=True, text=True, check=True, timeout=DEADLINE_S
    )
    assert ended.stderr == ""
    return ended.stdout.split()


@NEEDS_BASH
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("iosonde pro", ["probe"]),
        ("iosonde re", ["resume", "report"]),
        ("iosonde sim ", ["list", "show"]),
        ("iosonde completion install ", ["bash", "zsh", "fish"]),
        ("iosonde probe --queue", ["--queue-depth"]),
        ("iosonde probe /mnt --engine ps", ["psync"]),
        ("iosonde probe /mnt --engine = ps", ["psync"]),
        ("iosonde probe /mnt --poll ", ["interrupt", "iopoll", "sqpoll"]),
        ("iosonde run /mnt --for re", ["redis-aof"]),
        ("iosonde probe /mnt --poll =", ["interrupt", "iopoll", "sqpoll"]),
        ("iosonde list --sort d", ["duration"]),
        ("iosonde show --no", ["--no-pager"]),
        ("iosonde --ver", ["--version"]),
        ("iosonde probe ", []),
        ("iosonde run --profile ", ["lab", "reads", "data-sheet"]),
        ("iosonde check run --against intel-s", ["intel-s4500"]),
        ("iosonde report run --against kaf", ["kafka"]),
        ("iosonde run --profile ./", []),
        ("iosonde probe --pattern se", ["sequential"]),
        ("iosonde probe --duration ", []),
        ("iosonde sim show mmc", ["mmc"]),
        ("iosonde run sim :", list(model_names())),
        ("iosonde run sim : sa", ["sata-dc"]),
    ],
)
def test_bash_offers_what_may_follow(script: Path, line: str, offered: list[str]) -> None:
    assert completed(script, line) == offered


@NEEDS_BASH
def test_the_tabulator_completes_in_a_shell_that_somebody_types_in(script: Path, tmp_path: Path) -> None:
    here, there = pty.openpty()
    surroundings = {**os.environ, "TERM": "dumb", "PS1": "ready> ", "INPUTRC": "/dev/null"}
    with subprocess.Popen(
        ["bash", "--norc", "--noprofile", "-i"], stdin=there, stdout=there, stderr=there, cwd=tmp_path, env=surroundings
    ) as shell:
        os.close(there)
        typed = f"source {shlex.quote(str(script))}\niosonde() {{ echo SAID $*; }}\n"
        typed += "iosonde pro\t/mnt --engi\tpsy\t--seed 7\nexit\n"
        os.write(here, typed.encode())
        said, until = b"", time.monotonic() + DEADLINE_S
        # What the shell said last can still be unread when it has ended: the terminal says when there is no more.
        while time.monotonic() < until:
            if select.select([here], [], [], 0.1)[0]:
                try:
                    said += os.read(here, 1 << 16)
                except OSError:
                    break
        shell.kill()
    os.close(here)
    assert "SAID probe /mnt --engine psync --seed 7" in said.decode(errors="replace")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_script_is_one_that_its_shell_reads(tmp_path: Path, shell: str) -> None:
    text = iosonde("completion", "show", shell).stdout
    assert "Written by `iosonde completion`" in text
    assert "psync" in text
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(text)
    ended = subprocess.run([shell, "-n", tmp_path / "script"], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    ("shell", "place"),
    [
        ("bash", "data/bash-completion/completions/iosonde"),
        ("zsh", "data/zsh/site-functions/_iosonde"),
        ("fish", "config/fish/completions/iosonde.fish"),
    ],
)
def test_it_is_installed_where_the_shell_looks_and_nothing_else_changes(tmp_path: Path, shell: str, place: str) -> None:
    data, config = str(tmp_path / "data"), str(tmp_path / "config")
    for _ in range(2):
        ended = iosonde(
            *("completion", "install"),
            HOME=str(tmp_path),
            XDG_DATA_HOME=data,
            XDG_CONFIG_HOME=config,
            SHELL=f"/usr/bin/{shell}",
        )
        assert (ended.returncode, ended.stdout) == (0, "")
        assert f"written: {tmp_path / place}" in ended.stderr
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / place]


def test_a_file_of_the_users_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "bash-completion/completions/iosonde"
    path.parent.mkdir(parents=True)
    path.write_text("mine\n")
    words = ["completion", "install", "bash"]
    ended = iosonde(*words, XDG_DATA_HOME=str(tmp_path))
    assert (ended.returncode, path.read_text()) == (7, "mine\n")
    assert "use --force to replace it" in ended.stderr
    assert iosonde(*words, "--force", XDG_DATA_HOME=str(tmp_path)).returncode == 0
    assert "complete -o default" in path.read_text()


def test_a_shell_without_a_script_is_refused() -> None:
    ended = iosonde("completion", "show", SHELL="/bin/tcsh")
    assert ended.returncode == 2
    assert "completion is not available for tcsh" in ended.stderr
