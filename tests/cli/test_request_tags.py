"""A plan says if cells keep more operations in flight than a queue of the device takes."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from iosonde.campaign import preflight
from iosonde.cli.target_text import tag_lines
from iosonde.machine.local_host import LocalHost
from iosonde.records import DeviceFacts
from tests.campaign.test_slow_targets import device as device_facts
from verify.campaigns import profile_request

CAMPAIGN = """name = "deep"
[[experiment]]
name = "deep"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = [8, 16]
jobs = [1, 4]
duration = "1s"
"""


class OneDrive(LocalHost):
    """A host whose only drive takes so many requests in one queue."""

    def __init__(self, tags: int | None) -> None:
        super().__init__()
        self._tags = tags

    def device(self, path: str) -> DeviceFacts | None:  # noqa: ARG002 - each path is on it
        return device_facts("sdx", rotational=False).model_copy(update={"queue_tags": self._tags})


def lines(folder: Path, names: tuple[str, ...], tags: int | None) -> list[str]:
    profile = folder / "deep.toml"
    profile.write_text(CAMPAIGN, encoding="utf-8")
    request = profile_request([str(folder / name) for name in names], profile, seed=1, size="16MiB")
    ahead = preflight(request, datetime(2026, 11, 27, tzinfo=UTC))
    return tag_lines(replace(ahead, host=OneDrive(tags)))


@pytest.mark.parametrize(
    ("tags", "told"),
    [
        (32, ["32 requests in one queue: 1 cell has"]),
        (31, ["31 requests in one queue: 2 cells have"]),
        (64, []),
        (None, []),
    ],
)
def test_cells_deeper_than_the_queue_are_counted(tags: int | None, told: list[str], tmp_path: Path) -> None:
    rest = "up to 64 operations in flight, and the others may wait in the kernel"
    assert lines(tmp_path, ("one.data",), tags) == [f"tags      sdx takes {each} {rest}" for each in told]


def test_the_operations_of_all_targets_on_one_drive_count(tmp_path: Path) -> None:
    (line,) = lines(tmp_path, ("one.data", "two.data"), 64)
    assert "1 cell has up to 128 operations in flight" in line
