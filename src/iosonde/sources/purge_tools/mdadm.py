"""Stops an md array, and creates it again as it was, by mdadm."""

import re
import sys
from typing import Final

from iosonde.errors import TargetError
from iosonde.records import MdArray
from iosonde.sources.purge_tools.running import ToolRunner

KIB: Final = 1024
LEVELS: Final = ("raid0", "raid1", "raid5", "raid6", "raid10")
"""The levels that are created again."""
PARITY: Final = {
    0: "left-asymmetric",
    1: "right-asymmetric",
    2: "left-symmetric",
    3: "right-symmetric",
    4: "parity-first",
    5: "parity-last",
}
"""The kernel's numbers of the layouts of raid5 and raid6 (drivers/md/raid5.h), and mdadm's names."""
ZONES: Final = {1: "original", 2: "alternate"}
"""The kernel's numbers of the layouts of raid0 with members of several sizes, and mdadm's names."""


def why_not(array: MdArray) -> str:
    """Why an array cannot be created again as it is; empty if it can."""
    spares = [each.path for each in array.members if each.slot is None]
    reasons = (
        (array.level not in LEVELS, f"its level is {array.level}, and only {', '.join(LEVELS)} can be created again"),
        (
            not array.metadata.startswith("1.") and array.metadata != "0.90",
            f"its metadata is {array.metadata or 'unknown'}, which another program manages",
        ),
        (array.disks == 1, "it has one member only"),
        (re.fullmatch(r"md\d+", array.path.rpartition("/")[2]) is None, f"its device is called {array.path}"),
        (array.degraded or len(array.in_place) != array.disks, "it is degraded"),
        (bool(spares), f"it has spares ({', '.join(spares)})"),
        (array.reshape != "none", "it is being reshaped"),
        (array.bitmap == "file", "its bitmap is in a file"),
        (
            any(each.state not in {"in_sync", "spare", "journal"} for each in array.members),
            f"its members have special states ({', '.join(sorted({each.state for each in array.members}))})",
        ),
        (
            array.metadata.startswith("1.") and len({each.offset_bytes for each in array.in_place}) > 1,
            "the data begins at different places of its members",
        ),
        (array.policy in {"ppl", "journal"}, f"it has a {array.policy}"),
        (any("journal" in each.state for each in array.members), "it has a journal device"),
        (array.level in {"raid5", "raid6"} and array.layout not in PARITY, f"its layout is {array.layout}"),
        (array.level == "raid10" and not _mirrors(array.layout), f"its layout is {array.layout:#x}"),
    )
    return next((reason for holds, reason in reasons if holds), "")


def create_words(array: MdArray) -> tuple[str, ...]:
    """The command that creates an array as it was, which begins with the name of the program."""
    words = ["mdadm", "--create", array.path, "--run", f"--level={array.level.removeprefix('raid')}"]
    words += [f"--raid-devices={array.disks}", f"--metadata={array.metadata}"]
    if array.level != "raid1" and array.chunk_bytes:
        words.append(f"--chunk={array.chunk_bytes // KIB}K")
    if array.level in {"raid5", "raid6"}:
        words.append(f"--layout={PARITY[array.layout]}")
    if array.level == "raid0" and array.layout in ZONES and array.metadata.startswith("1."):
        words.append(f"--layout={ZONES[array.layout]}")
    if array.level == "raid10":
        words.append(f"--layout={_mirrors(array.layout)}")
    if array.level != "raid0":
        # Of a striped array without redundancy, each member gives what it has.
        words.append(f"--size={array.component_bytes // KIB}")
        words.append(f"--bitmap={'none' if array.bitmap == 'none' else 'internal'}")
    offsets = {each.offset_bytes for each in array.in_place}
    # With the superblock at the end, as in 0.90 and 1.0, the data begins with the member, and mdadm accepts no place.
    if len(offsets) == 1 and (offset := offsets.pop()):
        words.append(f"--data-offset={offset // KIB}K")
    if array.uuid:
        words.append(f"--uuid={_uuid(array)}")
    if array.name and array.metadata.startswith("1."):
        host, _, own = array.name.rpartition(":")
        words += [f"--homehost={host or 'any'}", f"--name={own}"]
    return (*words, *(each.path for each in array.in_place))


def array_name(runner: ToolRunner, array: MdArray) -> str:
    """The array's name in the superblock, as ``HOST:NAME`` or ``NAME``; empty if it has none. Raises TargetError."""
    ended = runner.run("mdadm", "--detail", "--export", array.path)
    if ended.code:
        raise TargetError(f"mdadm does not describe {array.path}: {ended.last_line}", "run `mdadm --detail` on it")
    named = (line.partition("=") for line in ended.output.splitlines())
    return next((value for key, _, value in named if key == "MD_NAME"), "")


def assemble_array(runner: ToolRunner, array: MdArray) -> None:
    """Assembles an array that was stopped and not changed. Raises TargetError with the command."""
    words = ("mdadm", "--assemble", array.path, *(each.path for each in array.in_place))
    ended = runner.run(*words)
    if ended.code:
        raise TargetError(
            f"{array.path} was stopped, and could not be assembled again: {ended.last_line}",
            f"nothing was purged; assemble it with: {' '.join(words)}",
        )


def stop_array(runner: ToolRunner, array: MdArray) -> None:
    """Stops an array. Raises TargetError."""
    ended = runner.run("mdadm", "--stop", array.path)
    if ended.code:
        raise TargetError(f"{array.path} could not be stopped: {ended.last_line}", "stop what uses it, then run again")


def create_array(runner: ToolRunner, array: MdArray) -> None:
    """Creates an array as it was. Raises TargetError with the command."""
    words = create_words(array)
    ended = runner.run(*words)
    if ended.code:
        raise TargetError(
            f"{array.path} could not be created again: {ended.last_line}", f"create it with: {' '.join(words)}"
        )


def _uuid(array: MdArray) -> str:
    """The UUID as mdadm expects it: for 0.90 metadata as four words of this host, which sysfs shows as bytes."""
    if array.metadata != "0.90" or sys.byteorder == "big":
        return array.uuid
    content = bytes.fromhex(array.uuid.replace("-", ""))
    return ":".join(content[at : at + 4][::-1].hex() for at in range(0, len(content), 4))


def _mirrors(layout: int) -> str:
    """A layout of raid10 as mdadm calls it; empty if it has both near copies (lowest byte) and far ones (the next)."""
    near, far, rest = layout & 0xFF, layout >> 8 & 0xFF, layout >> 16
    if far == 1 and near > 1 and not rest:
        return f"n{near}"
    if near == 1 and far > 1 and rest in {0, 1}:
        return f"{'o' if rest else 'f'}{far}"
    return ""
