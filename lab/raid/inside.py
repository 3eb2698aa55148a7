"""Inside the guest: creates arrays, purges their members, and leaves a line for each."""

import json
import signal
import subprocess
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from iosonde.machine.md_array import read_md_array, read_md_sync
from iosonde.records import MdArray
from lab.forked import Ended, command, forked, load_modules, run_command
from lab.guard.asking import chunks
from lab.guard.drives import by_serial
from lab.purge.asking import standing_in
from lab.raid.arrays import ARRAY, ARRAYS, DRIVES, PLAIN, REFUSALS, Form, Refusal
from tests.stories.loop_devices import done

SEEN: Final = Path("/lab/seen.jsonl")
MARK: Final = b"a sector of before" + bytes(494)
MIB: Final = 1 << 20
CREATE: Final = f"mdadm --create {ARRAY} --run --level=1"
FORMAT_S: Final = 6
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


def made(form: Form) -> MdArray:
    """An array, created and synchronised, with data that a purge has to remove."""
    members = [by_serial(each) for each in DRIVES[: form.members]]
    for each in members:
        subprocess.run(["wipefs", "-qa", each], check=True)
        subprocess.run(["mdadm", "--zero-superblock", each], capture_output=True, check=False)
    done("mdadm", "--create", ARRAY, "--run", *form.words, f"--raid-devices={form.members}", *members)
    synchronise()
    subprocess.run(["wipefs", "-qa", ARRAY], check=True)
    with Path(ARRAY).open("r+b", buffering=0) as file:
        for at in range(4 * MIB, 24 * MIB, MIB):
            file.seek(at)
            file.write(MARK)
    subprocess.run(["sync"], check=True)
    found = read_md_array(ARRAY)
    assert found is not None
    return found


def synchronise() -> None:
    """Waits for the initial resync of the array."""
    while not read_md_sync(ARRAY).is_done:
        time.sleep(0.2)


def destroying(array: MdArray, members: int) -> tuple[str, ...]:
    """The options that name the array and the first members."""
    return tuple(word for each in (array.uuid, *DRIVES[:members]) for word in ("--destroy", each))


def purge(array: MdArray, members: int) -> Ended:
    """Purges the array, with so many of its members named."""
    return run_command("prepare", ARRAY, "--purge", "format", *destroying(array, members))


def stopped() -> None:
    """No array is left."""
    if Path(ARRAY).exists():
        subprocess.run(["mdadm", "--stop", ARRAY], capture_output=True, check=False)


def held(path: Path) -> bool:
    """Whether a device still holds what was written to the array."""
    return any(MARK in bytes(chunk) for chunk in chunks(path))


def purged(form: Form) -> dict[str, Any]:
    """What differs after the purge of an array."""
    before = made(form)
    members = [by_serial(each) for each in DRIVES[: form.members]]
    assert any(map(held, members)), "no member has the data"
    ended = purge(before, form.members)
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
        ended = purge(before, way.named)
    wrong = "" if ended.returncode == 3 and way.says in ended.stderr else f"{ended.returncode}: {ended.stderr[-600:]}"
    wrong += "" if held(Path(ARRAY)) else "the data is gone"
    return {"wrong": wrong, "told": ended.stderr}


def lied_to() -> dict[str, Any]:
    """A member that does not erase: the array stays stopped, and each command tells how it is created again."""
    before = made(PLAIN)
    with standing_in("lie=1"):
        ended = purge(before, PLAIN.members)
    wrong = "" if ended.returncode == 11 and CREATE in ended.stderr else f"{ended.returncode}: {ended.stderr[-900:]}"
    return {"wrong": wrong + created_by_hint(before), "told": ended.stderr}


def created_by_hint(before: MdArray) -> str:
    """What differs after the array was created by the command that the next purge of it prints."""
    again = run_command("prepare", ARRAY)
    says = all(each in again.stderr for each in (CREATE, "its members may still have data"))
    wrong = "" if again.returncode == 3 and says else f"{again.returncode}: {again.stderr[-900:]}"
    command_line = next(line for line in again.stderr.splitlines() if CREATE in line).partition("create it again: ")[2]
    done(*command_line.split())
    synchronise()
    after = read_md_array(ARRAY)
    return wrong + ("" if after == before else f"{after}, was {before}")


def signalled(number: signal.Signals) -> dict[str, Any]:
    """A signal while the members are formatted.

    After Ctrl-C, the formats complete and the array is created as usual. After a kill, its members may still have
    data. The next purge of the array says so, and prints the command that creates it.
    """
    before = made(PLAIN)
    members = [by_serial(each) for each in DRIVES[: PLAIN.members]]
    words = ("prepare", ARRAY, "--purge", "format", *destroying(before, PLAIN.members))
    with standing_in(f"format_s={FORMAT_S}"), forked(lambda: command(*words)) as process:
        while "purging" not in process.ended().stderr and process.code() is None:
            time.sleep(0.05)
        # The drives have the format commands soon after this message, and take FORMAT_S to complete them.
        time.sleep(FORMAT_S / 2)
        process.send(number)
        code = process.wait()
    ended = process.ended()
    if number is signal.SIGINT:
        is_right = code == 128 + signal.SIGINT and read_md_array(ARRAY) == before and not any(map(held, members))
        wrong = "" if is_right else f"exit {code}: {ended.stderr[-900:]}; {read_md_array(ARRAY)}"
    else:
        # The drives complete the format commands that were already sent.
        time.sleep(FORMAT_S)
        wrong = ("" if code == -number else f"exit {code}: {ended.stderr[-900:]}") + created_by_hint(before)
    return {"wrong": wrong, "told": ended.stderr}


def measured() -> dict[str, Any]:
    """A run that purges the array first."""
    before = made(ARRAYS[2])
    profile = Path("/lab/writes.toml")
    profile.write_text(CAMPAIGN, encoding="utf-8")
    words = ("run", ARRAY, "--profile", profile, "--no-report", "--out", "/lab/run")
    ended = run_command(*words, *destroying(before, ARRAYS[2].members))
    return {"wrong": "" if ended.returncode == 0 else f"exit {ended.returncode}: {ended.stderr[-900:]}", "told": ""}


def main() -> None:
    """Tries all of them."""
    load_modules()
    attempts: dict[str, Callable[[], dict[str, Any]]] = {
        **{form.name: partial(purged, form) for form in ARRAYS},
        **{way.name: partial(refused, way) for way in REFUSALS},
        "a member that does not erase": lied_to,
        "Ctrl-C": partial(signalled, signal.SIGINT),
        "a kill": partial(signalled, signal.SIGKILL),
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
