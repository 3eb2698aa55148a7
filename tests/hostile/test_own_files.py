"""The journal and the account of a run: nothing is added to a file that is not the run's own."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.commands import iosonde
from tests.hostile.harness import Victim, assert_refused, broken_off, victim


@pytest.fixture(scope="session")
def verified_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A killed run that keeps an account of what it writes."""
    return broken_off(tmp_path_factory.mktemp("verified"), verify=True)


@pytest.fixture
def verified(verified_once: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of it."""
    yield Path(shutil.copytree(verified_once, tmp_path / "run"))
    assert len(list((verified_once.parent / "place").iterdir())) == 1, "the file of the run must stay"


def link(path: Path, aim: Victim) -> None:
    path.symlink_to(aim.path)


def hard_link(path: Path, aim: Victim) -> None:
    path.hardlink_to(aim.path)


def second_name(path: Path, aim: Victim) -> None:
    shutil.copy(path.with_name(f"{path.name}.was"), path)
    aim.path.with_name("second").hardlink_to(path)


def pipe(path: Path, aim: Victim) -> None:
    del aim
    os.mkfifo(path)


def folder(path: Path, aim: Victim) -> None:
    del aim
    path.mkdir()


def endless_device(path: Path, aim: Victim) -> None:
    del aim
    path.symlink_to("/dev/zero")


Trap = Callable[[Path, Victim], None]
TRAPS: list[Trap] = [link, hard_link, second_name, pipe, folder, endless_device]


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.__name__)
@pytest.mark.parametrize("name", ["journal", "account/target-1"])
@pytest.mark.parametrize("reader", ["resume", "verify"])
def test_nothing_is_written_through_another_name(verified: Path, reader: str, name: str, trap: Trap) -> None:
    path = verified / name
    content = path.read_bytes()
    theirs = victim(verified.parent / "theirs/precious", content)
    path.rename(path.with_name(f"{path.name}.was"))
    trap(path, theirs)
    result = iosonde(reader, "run", folder=verified.parent)
    reads_only = reader == "verify" and name != "journal" and trap in {hard_link, second_name}
    if not reads_only:
        assert_refused(result, 6, 7)
    theirs.assert_untouched()


@pytest.mark.parametrize("reader", ["resume", "verify"])
def test_the_folder_of_the_account_is_no_link(verified: Path, reader: str) -> None:
    theirs = victim(verified.parent / "theirs/target-1", (verified / "account/target-1").read_bytes())
    shutil.rmtree(verified / "account")
    (verified / "account").symlink_to(theirs.path.parent)
    assert_refused(iosonde(reader, "run", folder=verified.parent), 6)
    theirs.assert_untouched()


@pytest.mark.parametrize("damage", ["empty", "short", "other words", "no rights"])
def test_a_damaged_account_is_told_and_the_run_can_go_on_without_it(verified: Path, damage: str) -> None:
    account = verified / "account/target-1"
    match damage:
        case "empty":
            account.write_bytes(b"\0" * 4096)
        case "short":
            os.truncate(account, 4096)
        case "other words":
            account.write_bytes(b"x" * account.stat().st_size)
        case _:
            if os.geteuid() == 0:
                pytest.skip("root may read everything")
            account.chmod(0)
    result = iosonde("resume", "run", folder=verified.parent)
    assert_refused(result, 6)
    assert "account/target-1" in result.stderr


def test_a_journal_of_another_user_is_not_added_to(verified: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file to somebody else")
    os.chown(verified / "journal", 12345, 12345)
    before = (verified / "journal").read_bytes()
    assert_refused(iosonde("resume", "run", folder=verified.parent), 6, 7)
    assert (verified / "journal").read_bytes() == before
