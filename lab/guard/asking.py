"""Requests write access to a device: from an engine without a front end, and from the front end's guard."""

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
        """Sends a command and returns the answer."""
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
    """Reads a whole device with O_DIRECT: the page cache of a disk does not have what was written through a partition.

    All chunks share one buffer, so each is valid until the next read. In a guest, a copy takes ten times as long as the
    read.
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
    """The CRC-32 of a whole device, with these ranges of bytes read as zeros."""
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
    """The claim of a front end that gives every consent there is."""
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
    """Whether the engine alone and the front end refuse a device because of this check, given all other consents."""
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
