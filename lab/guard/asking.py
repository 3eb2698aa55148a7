"""Asks for a device: of an engine without a front, and of the front's guard with all other consents."""

import json
import mmap
import os
import subprocess
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from iosonde.machine.write_permit import CONSENTABLE, UnpermittedWriteError, permit_for
from iosonde.records import DeviceInspection
from iosonde.sources import find_engine
from lab.guard.drives import MIB
from tests.stories.devices_in_use import swap_pages

CHUNK_BYTES: Final = 4 * MIB


class Engine:
    """An engine without a front."""

    def __init__(self, command: Sequence[str | Path] | None = None) -> None:
        self._process = subprocess.Popen(
            command or [find_engine()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._number = 0
        self._line()

    def ask(self, **command: Any) -> dict[str, Any]:
        """The answer to a command."""
        self._number += 1
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"id": self._number, **command}) + "\n")
        self._process.stdin.flush()
        return self._line()

    def end(self) -> None:
        """Ends the engine."""
        self._process.kill()
        self._process.wait()

    def _line(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


def chunks(device: Path) -> Iterator[memoryview]:
    """All of a device, past the page cache: that of a disk does not see what was written through a partition.

    Each part is valid until the next one is read into its place: to copy it takes a guest ten times as long as to read.
    """
    os.sync()
    handle = os.open(device, os.O_RDONLY | os.O_DIRECT)
    try:
        buffer = memoryview(mmap.mmap(-1, CHUNK_BYTES))
        at = 0
        while length := os.preadv(handle, [buffer], at):
            yield buffer[:length]
            at += length
    finally:
        os.close(handle)


def checksum(device: Path, without: Sequence[range] = ()) -> int:
    """A checksum of all of a device, in which these bytes count as zeros."""
    found, at = 0, 0
    for chunk in chunks(device):
        for each in without:
            start, stop = max(each.start, at), min(each.stop, at + len(chunk))
            if start < stop:
                chunk[start - at : stop - at] = bytes(stop - start)
        found = zlib.crc32(chunk, found)
        at += len(chunk)
    return found


def claim_of(engine: Engine, path: Path) -> dict[str, Any]:
    """The claim of a front that consents to whatever it can."""
    identity = engine.ask(command="inspect", path=str(path))["inspection"]["identity"]
    return {
        "identity": identity["name"],
        "size_bytes": identity["size_bytes"],
        "diskseq": identity["diskseq"],
        "backing": identity.get("backing"),
        "consents": list(CONSENTABLE),
    }


def open_with(engine: Engine, path: Path, claim: dict[str, Any]) -> dict[str, Any]:
    """The engine's answer to a claim."""
    return engine.ask(command="open", kind="device", path=str(path), direct=True, claim=claim)


def refused(engine: Engine, path: Path, check: str, disk: Path) -> dict[str, Any]:
    """Whether the engine alone, and the front, refuse a device by this check, whatever else is consented to."""
    kernels = swap_pages(disk)
    before = checksum(disk, kernels)
    found = engine.ask(command="inspect", path=str(path))
    inspection = DeviceInspection.model_validate(found["inspection"])
    consents = tuple(each for each in CONSENTABLE if each != check)
    identity = inspection.identity
    claim = {"identity": "?", "size_bytes": 0, "diskseq": None, "consents": consents}
    if identity is not None:
        claim |= {"identity": identity.name, "size_bytes": identity.size_bytes, "diskseq": identity.diskseq}
    answer = engine.ask(command="open", kind="device", path=str(path), direct=True, claim=claim)
    if answer["type"] == "opened":
        engine.ask(command="close")
    try:
        permit_for(str(path), inspection, () if identity is None else (identity.name,), consents)
        front = ""
    except UnpermittedWriteError as error:
        front = error.message
    return {
        "engine": answer["type"] == "error" and answer["kind"] == "device_write" and f"({check})" in answer["message"],
        "front": f"(check {check})" in front,
        "unchanged": checksum(disk, kernels) == before,
        "told": answer.get("message", ""),
    }
