"""Targets of the form sim:MODEL, and which ones are refused before anything is opened."""

from pathlib import Path

import pytest

from iosonde.campaign import TargetRequest
from iosonde.campaign.engines import check_choice
from iosonde.campaign.simulated import simulated_drive, write_bytes_per_s
from iosonde.campaign.target_resolution import resolve_targets
from iosonde.errors import IosondeError, UsageError
from iosonde.machine.local_host import LocalHost
from iosonde.sources import ExistingFile, NewFile, NullTarget, OpenRequest, SimulatedDrive, Target
from iosonde.sources.engine.source import EngineSource
from iosonde.vocabulary import EngineChoice


def request(*words: str, size_bytes: int | None = None, buffered: bool = False) -> TargetRequest:
    return TargetRequest(
        words, size_bytes=size_bytes, overwrite=False, buffered=buffered, writes=True, quick=False, seed=7
    )


def test_a_word_names_a_model_and_a_seed_and_gives_the_whole_drive() -> None:
    drive, size_bytes = simulated_drive("sim:mmc,seed=42", run_seed=1, number=0)
    assert (drive.model, drive.title, drive.seed, drive.scale) == ("mmc", "M/M/4 queue", 42, 1)
    assert drive.table["kind"] == "queueing"
    assert drive.table["servers"] == 4
    assert size_bytes == 1 << 30
    assert SimulatedDrive(span_bytes=size_bytes, drive=drive).name == "sim:mmc,seed=42"


def test_without_a_seed_it_comes_from_the_runs_and_each_drive_has_its_own() -> None:
    first, again, second = (simulated_drive("sim:mmc", 7, number)[0].seed for number in (0, 0, 1))
    assert first == again
    assert first != second
    assert first != simulated_drive("sim:mmc", 8, 0)[0].seed


def test_a_drive_is_as_large_as_its_model_and_size_uses_less_of_it() -> None:
    assert resolve_targets(LocalHost(), request("sim:mm1"), "run")[0].span_bytes == 1 << 30
    assert resolve_targets(LocalHost(), request("sim:mm1", size_bytes=64 << 20), "run")[0].span_bytes == 64 << 20


def test_several_simulated_drives_are_fine() -> None:
    targets = resolve_targets(LocalHost(), request("sim:mm1", "sim:mm1", "sim:mmc"), "run")
    assert all(isinstance(target, SimulatedDrive) for target in targets)
    assert len({target.name for target in targets}) == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("sim:",), "sim: does not specify a model"),
        (("sim:mm2",), "unknown model 'mm2'"),
        (("sim:mm1,sed=3",), "sim:mm1,sed=3: unknown option sed"),
        (("sim:mm1,seed=x",), "sim:mm1,seed=x: seed is not a whole number"),
        (("sim:mm1,seed=-1",), "sim:mm1,seed=-1: seed is not a whole number"),
        (("sim:mm1,seed=1,seed=2",), "sim:mm1,seed=1,seed=2 repeats an option"),
        (("sim:mm1,seed=9007199254740992",), "seed is not a whole number from 0 to 9007199254740991"),
        (("sim:mm1,scale=16",), "a queueing model cannot be scaled"),
        (("sim:./no.toml",), r"\./no\.toml does not exist"),
        (("sim:mm1", "."), r"sim:mm1 and \. cannot be measured together"),
        ((".", "sim:mm1"), r"sim:mm1 and \. cannot be measured together"),
        (("sim:mm1", "null:"), "null: cannot be combined with other targets"),
    ],
)
def test_a_word_that_makes_no_sense_is_refused_with_a_hint(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message) as told:
        resolve_targets(LocalHost(), request(*words), "run")
    assert told.value.hint


@pytest.mark.parametrize("name", ["sata-dc", "enterprise-nvme", "client-nvme", "usb-stick"])
def test_the_largest_scale_is_the_one_that_the_engine_accepts(name: str) -> None:
    with pytest.raises(UsageError, match="the largest scale is") as told:
        simulated_drive(f"sim:{name},scale=100000", 1, 0)
    most = int(told.value.message.rpartition(" ")[2])
    drive, size_bytes = simulated_drive(f"sim:{name},scale={most}", 1, 0)
    beyond = drive.model_copy(update={"table": {**drive.table, "capacity_scale": most + 1}})
    with pytest.raises(UsageError):
        simulated_drive(f"sim:{name},scale={most + 1}", 1, 0)

    source = EngineSource()
    try:
        source.open(OpenRequest(SimulatedDrive(span_bytes=size_bytes, drive=drive), write=True, direct=True))
        with pytest.raises(IosondeError, match="blocks for data, but needs 64"):
            source.open(OpenRequest(SimulatedDrive(span_bytes=size_bytes, drive=beyond), write=True, direct=True))
    finally:
        source.end()


def test_a_page_cache_and_more_than_there_is_are_refused() -> None:
    with pytest.raises(UsageError, match="--buffered uses the page cache"):
        resolve_targets(LocalHost(), request("sim:mm1", buffered=True), "run")
    with pytest.raises(UsageError, match="--size 2 GiB exceeds the size of sim:mm1"):
        resolve_targets(LocalHost(), request("sim:mm1", size_bytes=2 << 30), "run")


def test_a_file_whose_name_looks_like_a_model_is_named_by_its_path(tmp_path: Path) -> None:
    target = resolve_targets(LocalHost(), request(f"{tmp_path}/sim:mm1.data", size_bytes=16 << 20), "run")[0]
    assert isinstance(target, NewFile)


@pytest.mark.parametrize("choice", [EngineChoice.IO_URING, EngineChoice.PSYNC])
def test_an_engine_that_does_io_is_refused_for_a_simulated_drive(choice: EngineChoice) -> None:
    with pytest.raises(UsageError, match="cannot measure a simulated drive") as told:
        check_choice(choice, resolve_targets(LocalHost(), request("sim:mmc"), "run")[0])
    assert told.value.hint.startswith("omit --engine")


@pytest.mark.parametrize(
    "target", [NullTarget(span_bytes=1 << 30), ExistingFile(path=Path("/srv/file"), span_bytes=1 << 30)]
)
def test_the_simulation_measures_simulated_drives_only(target: Target) -> None:
    with pytest.raises(UsageError):
        check_choice(EngineChoice.SIMULATION, target)


@pytest.mark.parametrize(
    ("model", "bytes_per_s"),
    [
        ("usb-stick", 16_384_000),  # Two dies of one plane program 16 KiB in 2 ms.
        ("sata-dc", 560_000_000),  # The link is narrower than the media.
        ("cloud-burst", 134_217_728),  # A fill is too short to empty the bucket, so that only the limit of bytes holds.
        ("mmc", 41_943_040_000),  # Four servers, 1 MiB each in 100 us.
    ],
)
def test_a_plan_counts_with_the_rate_at_which_the_model_takes_a_stream_of_writes(model: str, bytes_per_s: int) -> None:
    drive, _ = simulated_drive(f"sim:{model}", 1, 0)
    assert write_bytes_per_s(drive) == bytes_per_s
