"""Inside the guest: creates arrays, purges their members, and leaves a line for each."""

import json
import subprocess
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from iosonde.machine.md_array import read_md_array, read_md_sync
from iosonde.records import MdArray
from lab.forked import Ended, command, forked, load_modules
from lab.guard.asking import chunks
from lab.guard.drives import by_serial
from lab.purge.asking import standing_in
from lab.raid.arrays import ARRAY, ARRAYS, DRIVES, PLAIN, REFUSALS, Form, Refusal
from tests.stories.loop_devices import done

SEEN: Final = Path("/lab/seen.jsonl")
MARK: Final = b"a sector of before" + bytes(494)
MIB: Final = 1 << 20
CAMPAIGN: Final = """
name = "writes"
repeats = 2
purge = "format"
[[experiment]]
name = "writes"
pattern = "random"
read = 0
block_size = "4KiB"
queue_depth = [1, 8]
warmup = "0s"
duration = "500ms"
"""


def iosonde(*words: str | Path) -> Ended:
    """A command, to its end."""
    with forked(lambda: command(*words)) as process:
        process.wait()
    return process.ended()


def made(form: Form) -> MdArray:
    """An array, created and synchronised, with data that a purge has to remove."""
    members = [by_serial(each) for each in DRIVES[: form.members]]
    for each in members:
        subprocess.run(["wipefs", "-qa", each], check=True)
        subprocess.run(["mdadm", "--zero-superblock", each], capture_output=True, check=False)
    done("mdadm", "--create", ARRAY, "--run", *form.words, f"--raid-devices={form.members}", *members)
    while not read_md_sync(ARRAY).is_done:
        time.sleep(0.2)
    subprocess.run(["wipefs", "-qa", ARRAY], check=True)
    with Path(ARRAY).open("r+b", buffering=0) as file:
        for at in range(4 * MIB, 24 * MIB, MIB):
            file.seek(at)
            file.write(MARK)
    subprocess.run(["sync"], check=True)
    found = read_md_array(ARRAY)
    assert found is not None
    return found


def stopped() -> None:
    """No array is left."""
    if Path(ARRAY).exists():
        subprocess.run(["mdadm", "--stop", ARRAY], capture_output=True, check=False)


def held(path: Path) -> bool:
    """Whether a device still holds what was written to the array."""
    return any(MARK in chunk for chunk in chunks(path))


def purged(form: Form) -> dict[str, Any]:
    """What differs after the purge of an array."""
    before = made(form)
    members = [by_serial(each) for each in DRIVES[: form.members]]
    assert any(map(held, members)), "no member has the data"
    names = [word for each in (before.uuid, *DRIVES[: form.members]) for word in ("--destroy", each)]
    ended = iosonde("prepare", ARRAY, "--purge", "format", *names)
    after = read_md_array(ARRAY)
    named = done("mdadm", "--detail", "--export", ARRAY)
    wrong = "" if ended.returncode == 0 else f"exit {ended.returncode}: {ended.stderr[-600:]}"
    wrong += "" if after == before else f"{after}, was {before}"
    wrong += "" if not form.name.endswith("named") or "MD_NAME=other:scratch" in named else named
    wrong += "" if not any(map(held, members)) else "a member still has the data"
    wrong += "" if read_md_sync(ARRAY).is_done else "it is not synchronised"
    return {"wrong": wrong, "told": ended.stdout}


def refused(way: Refusal) -> dict[str, Any]:
    """What differs after a purge that must be refused."""
    before = made(way.form)
    members = [by_serial(each) for each in DRIVES[: way.form.members]]
    with way.use(ARRAY, members):
        named = (before.uuid, *DRIVES[: way.named])
        names = [word for each in named for word in ("--destroy", each)]
        ended = iosonde("prepare", ARRAY, "--purge", "format", *names)
    wrong = "" if ended.returncode == 3 and way.says in ended.stderr else f"{ended.returncode}: {ended.stderr[-600:]}"
    wrong += "" if held(Path(ARRAY)) else "the data is gone"
    return {"wrong": wrong, "told": ended.stderr}


def lied_to() -> dict[str, Any]:
    """A member that does not erase: the array stays stopped, and each command tells how it is created again."""
    before = made(PLAIN)
    members = DRIVES[: PLAIN.members]
    names = [word for each in (before.uuid, *members) for word in ("--destroy", each)]
    with standing_in("lie=1"):
        ended = iosonde("prepare", ARRAY, "--purge", "format", *names)
    again = iosonde("prepare", ARRAY)
    create = f"mdadm --create {ARRAY} --run --level=1"
    wrong = "" if ended.returncode == 11 and create in ended.stderr else f"{ended.returncode}: {ended.stderr[-900:]}"
    wrong += "" if again.returncode == 3 and create in again.stderr else f"{again.returncode}: {again.stderr[-900:]}"
    command = next(line for line in again.stderr.splitlines() if create in line).partition("create it again: ")[2]
    done(*command.split())
    while not read_md_sync(ARRAY).is_done:
        time.sleep(0.2)
    after = read_md_array(ARRAY)
    return {"wrong": wrong + ("" if after == before else f"{after}, was {before}"), "told": ended.stderr}


def measured() -> dict[str, Any]:
    """A run that purges the array first."""
    before = made(ARRAYS[2])
    members = DRIVES[: ARRAYS[2].members]
    names = [word for each in (before.uuid, *members) for word in ("--destroy", each)]
    profile = Path("/lab/writes.toml")
    profile.write_text(CAMPAIGN, encoding="utf-8")
    words = ("run", ARRAY, "--profile", profile, "--no-report", "--out", "/lab/run")
    ended = iosonde(*words, *names)
    return {"wrong": "" if ended.returncode == 0 else f"exit {ended.returncode}: {ended.stderr[-900:]}", "told": ""}


def main() -> None:
    """Tries all of them."""
    load_modules()
    attempts: dict[str, Callable[[], dict[str, Any]]] = {
        **{form.name: partial(purged, form) for form in ARRAYS},
        **{way.name: partial(refused, way) for way in REFUSALS},
        "a member that does not erase": lied_to,
        "a run that purges first": measured,
    }
    with SEEN.open("w", encoding="utf-8") as seen:
        for name, attempt in attempts.items():
            began = time.monotonic()
            try:
                found = attempt()
            except Exception:  # noqa: BLE001 - the others are tried all the same
                found = {"wrong": traceback.format_exc()[-1500:], "told": ""}
            stopped()
            seen.write(json.dumps({"name": name, "s": round(time.monotonic() - began, 1), **found}) + "\n")
            seen.flush()


if __name__ == "__main__":
    main()
