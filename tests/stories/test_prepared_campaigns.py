"""A campaign purges its devices first, and a preparation can precondition them: both are in the record."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.commands import command, iosonde
from tests.stories.loop_devices import attached, need_root
from tests.stories.standin_drive import built, standing_in
from tests.stories.test_guard import consent_words, inspected

MIB = 1 << 20
SIZE_BYTES = 64 * MIB
CAMPAIGN = """
name = "purged"
repeats = 1
warmup = "50ms"
duration = "500ms"
purge = "{method}"
{keys}

[[experiment]]
name = "mixed"
pattern = "random"
read = [0, 100]
block_size = "4KiB"
queue_depth = 4
"""


@pytest.fixture(autouse=True)
def _with_root() -> None:
    need_root("losetup")


@pytest.fixture
def backing(tmp_path: Path) -> Path:
    path = tmp_path / "image"
    path.write_bytes(b"old data" * (SIZE_BYTES // 8))
    return path


@pytest.fixture
def anyway(backing: Path) -> list[str]:
    with attached(backing) as free:
        return consent_words({each["check"] for each in inspected(free)["refusals"]})


def campaign(folder: Path, method: str = "discard", keys: str = "") -> Path:
    file = folder / "purged.toml"
    file.write_text(CAMPAIGN.format(method=method, keys=keys), encoding="utf-8")
    return file


def run(folder: Path, *words: object, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    preloaded = {"LD_PRELOAD": "", "STANDIN": "", **(environment or {})}
    return iosonde(
        *words,
        folder=folder,
        COLUMNS="250",
        XDG_STATE_HOME=str(folder / "state"),
        LD_PRELOAD=preloaded["LD_PRELOAD"],
        STANDIN=preloaded["STANDIN"],
    )


def page(directory: Path) -> str:
    """The report as Markdown."""
    file = directory.parent / "report.md"
    shown = run(directory.parent, "report", directory, "--markdown", file)
    assert shown.returncode == 0, shown.stderr
    return file.read_text(encoding="utf-8")


def test_a_campaign_purges_its_device_before_it_preconditions_and_measures(backing: Path, anyway: list[str]) -> None:
    folder = backing.parent
    with attached(backing) as device:
        words = ("run", device, "--profile", campaign(folder), "--destroy", backing, *anyway, "--out", "run")
        ended = run(folder, *words, "--no-report")
    assert ended.returncode == 0, ended.stderr
    assert "purge     discard of each whole device, verified by reading back" in ended.stderr
    header = json.loads((folder / "run/run.json").read_text(encoding="utf-8"))
    (purge,) = header["purges"]
    assert (purge["outcome"], purge["purge"]["method"]) == ("purged", "discard")
    assert header["plan"]["purge"] == "discard"
    assert len(header["plan"]["preparation"]) == 1
    assert "preconditioned by this run" in page(folder / "run")


def test_without_preconditioning_the_device_is_measured_fresh_out_of_the_box(backing: Path, anyway: list[str]) -> None:
    folder, file = backing.parent, campaign(backing.parent, keys='precondition = "none"')
    with attached(backing) as device:
        words = ("run", "--no-report", device, "--profile", file, "--destroy", backing, *anyway, "--out", "run")
        ended = run(folder, *words)
    assert ended.returncode == 0, ended.stderr
    header = json.loads((folder / "run/run.json").read_text(encoding="utf-8"))
    assert (header["plan"]["preparation"], header["target"]["written"]) == ([], "purged")
    text = page(folder / "run")
    assert "fresh out of the box: purged, and not preconditioned" in text
    assert "reads-after-purge" in text


def test_a_purge_that_is_not_verified_ends_the_run_before_it_measures(
    backing: Path, anyway: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder, file = backing.parent, campaign(backing.parent, method="format")
    library = built(tmp_path_factory.mktemp("library"))
    with attached(backing) as device:
        words = ("run", device, "--profile", file, "--destroy", backing, *anyway, "--out", "run")
        ended = run(folder, *words, environment=standing_in(library, "fna=0 lie=1"))
    assert ended.returncode == 11, ended.stderr
    assert "was not purged" in ended.stderr
    assert not (folder / "run").exists()


def test_a_purge_of_a_file_is_refused(tmp_path: Path) -> None:
    ended = run(tmp_path, "run", tmp_path, "--profile", campaign(tmp_path), "--size", "16MiB")
    assert ended.returncode == 2
    assert "purge = discard applies to block devices" in ended.stderr


def test_no_preconditioning_needs_a_purge(tmp_path: Path) -> None:
    file = campaign(tmp_path, keys='precondition = "none"')
    file.write_text(file.read_text(encoding="utf-8").replace('purge = "discard"', ""), encoding="utf-8")
    ended = run(tmp_path, "plan", tmp_path, "--profile", file)
    assert (ended.returncode, "precondition = none needs a purge" in ended.stderr) == (2, True)


def test_a_preparation_purges_and_preconditions_and_says_so(backing: Path, anyway: list[str]) -> None:
    folder = backing.parent
    with attached(backing) as device:
        words = ("prepare", device, "--purge", "discard", "--precondition", "independent", "--destroy", backing)
        ended = run(folder, *words, *anyway, "--out", "run")
    assert ended.returncode == 0, ended.stderr
    assert "Purged by discard" in ended.stdout
    assert "preconditioned with sequential 128 KiB writes, 128 MiB" in ended.stdout
    header = json.loads((folder / "run/run.json").read_text(encoding="utf-8"))
    assert (header["plan"]["cells"], len(header["purges"])) == ([], 1)
    assert b"old data" not in backing.read_bytes()


def test_an_interrupted_preparation_is_resumed(backing: Path, anyway: list[str]) -> None:
    folder = backing.parent
    with attached(backing) as device:
        words = ("prepare", device, "--precondition", "independent", "--precondition-capacities", "100")
        process = subprocess.Popen(
            [*command(), *map(str, (*words, "--destroy", backing, *anyway, "--out", folder / "run"))],
            cwd=folder,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stderr is not None
        while "preconditioning: writing" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=60)[1]
        assert process.returncode == 130, rest
        resumed = run(folder, "resume", "--no-report", "run", "--destroy", backing, *anyway)
    assert resumed.returncode == 0, resumed.stderr
    assert "Preconditioned with sequential 128 KiB writes" in resumed.stdout
    assert "is not complete" not in resumed.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--slc-cache", "1GiB"), "--slc-cache needs --precondition"),
        (("--precondition", "once", "--slc-cache", "1GiB"), "--slc-cache needs --precondition fast-random"),
        (("--precondition", "random", "--precondition-capacities", "0"), "--precondition-capacities 0"),
        (("--precondition", "random", "--precondition-block-size", "3k"), "--precondition-block-size 3k"),
        (("--precondition", "fast-random", "--over-provisioning", "9000%"), "--over-provisioning 9000%"),
        (("--precondition", "none"), "--precondition none writes nothing"),
        (("--precondition", "once"), "would destroy the contents of"),
    ],
)
def test_a_preparation_that_is_mistyped_changes_nothing(backing: Path, words: tuple[str, ...], said: str) -> None:
    before = backing.read_bytes()
    with attached(backing) as device:
        ended = run(backing.parent, "prepare", device, *words)
    assert (ended.returncode in {2, 3}, said in ended.stderr) == (True, True), ended.stderr
    assert backing.read_bytes() == before
