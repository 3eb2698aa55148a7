"""What the five kinds of targets have in common."""

from pathlib import Path

import pytest

from iosonde.plans.models import load_model
from iosonde.records import SimulationFacts
from iosonde.sources import BlockDevice, ExistingFile, NewFile, NullTarget, SimulatedDrive, Target

SPAN_BYTES = 16 << 20
MODEL = load_model("mm1")
DRIVE = SimulationFacts(model="mm1", title=MODEL.title, table=MODEL.parameters, seed=7)
NEW = NewFile(path=Path("new"), span_bytes=SPAN_BYTES)
FILE = ExistingFile(path=Path("file"), span_bytes=SPAN_BYTES)
DEVICE = BlockDevice(path=Path("/dev/sdz"), named=Path("/dev/disk/by-id/z"), span_bytes=SPAN_BYTES)
SIMULATED = SimulatedDrive(drive=DRIVE, span_bytes=SPAN_BYTES)
NULL = NullTarget(span_bytes=SPAN_BYTES)


@pytest.mark.parametrize("target", [NEW, SIMULATED])
def test_what_is_new_is_always_filled(target: Target) -> None:
    assert target.must_be_filled(writes=False)
    assert target.must_be_filled(writes=True)


@pytest.mark.parametrize("target", [FILE, DEVICE])
def test_what_is_there_is_filled_only_where_the_run_writes(target: Target) -> None:
    assert not target.must_be_filled(writes=False)
    assert target.must_be_filled(writes=True)


def test_what_keeps_nothing_is_never_filled() -> None:
    assert not NULL.must_be_filled(writes=True)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (NEW, "new"),
        (FILE, "file"),
        (DEVICE, "/dev/disk/by-id/z"),
        (SIMULATED, "sim:mm1,seed=7"),
        (NULL, "null:"),
    ],
)
def test_a_target_is_called_what_the_user_called_it(target: Target, name: str) -> None:
    assert target.name == name
