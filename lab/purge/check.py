"""The check: one guest with emulated drives, and whether each purge had the outcome that it must have."""

import json
import subprocess
import threading
from pathlib import Path
from typing import Any, Final

from lab.guest import Guest
from lab.interpreter import PYTHON
from lab.kernel import CHECKOUT, Kernel
from lab.purge.asking import LIBRARY
from lab.purge.attempts import ATTEMPTS, Attempt
from lab.purge.drives import hardware

MODULES: Final = {"loop": "max_part=8", "scsi_debug": "dev_size_mb=36", "sd_mod": "", "sg": "", "dm_mod": ""}
SOURCE: Final = Path(__file__).parent / "standin.c"


def purge(kernel: Kernel, folder: Path) -> list[str]:
    """Each purge has its outcome, nothing else is destroyed, and the exclusive handle survives it."""
    build_standin()
    guest = Guest(kernel, folder, hardware(folder), MODULES)
    guest.run(f"cd {CHECKOUT}\n{PYTHON} -m lab.purge.inside")
    seen = {each["name"]: each for each in map(json.loads, guest.text("seen.jsonl").splitlines())}
    (folder / "purge.md").write_text(_page(seen, kernel.version))
    wrong = [f"{each.name}: {seen.get(each.name)}" for each in ATTEMPTS if not _holds(each, seen.get(each.name, {}))]
    assert not wrong, "\n    ".join(wrong)
    outcomes = [each.outcome for each in ATTEMPTS]
    doubtful = f"{outcomes.count('not-purged')} are not purged, {outcomes.count('not-verified')} not verified"
    return [
        f"{outcomes.count('purged')} purges are verified, {outcomes.count('refused')} are refused",
        f"{doubtful}: drives that lie, fail, ignore it, return old data, or are removed",
        "no other namespace changes, and no other process can take a device until it was read back",
        "results: purge.md",
    ]


def build_standin() -> None:
    """Builds the stand-in. Two checks may do so at the same time."""
    LIBRARY.parent.mkdir(parents=True, exist_ok=True)
    part = LIBRARY.with_suffix(f".{threading.get_ident()}")
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", part, SOURCE, "-ldl"], check=True)
    part.replace(LIBRARY)


def _holds(attempt: Attempt, seen: dict[str, Any]) -> bool:
    return (
        seen.get("outcome") == attempt.outcome
        and attempt.says in seen["told"]
        and seen["unchanged"] is not False
        and (attempt.outcome == "refused" or seen["kept"])
    )


def _page(seen: dict[str, dict[str, Any]], version: str) -> str:
    lines = [
        "# Purges, on emulated drives",
        "",
        (
            f"`make lab CHECKS=purge`, Debian's kernel {version}, QEMU's NVMe drives and scsi_debug. QEMU supports "
            "Format NVM; it supports neither Sanitize nor the cryptographic erase. Where a row names a stand-in, "
            "`lab/purge/standin.c` answers these commands for the emulated drive, and erases it or does not."
        ),
        "",
        (
            "*Places*: those that held a sentinel or data before. *Read back*: what they hold afterwards. *Unchanged*: "
            "checksums of all other namespaces, or of everything if refused. *Handle*: no other process could take the "
            "device exclusively until it was read back, and the handle leads to the same device."
        ),
        "",
        "| Purge | Outcome | Places | Survivors | Read back | Unchanged | Handle |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    lines += [_row(each, seen.get(each.name, {})) for each in ATTEMPTS]
    return "\n".join(lines) + "\n"


def _row(attempt: Attempt, seen: dict[str, Any]) -> str:
    settings = seen.get("settings", "")
    name = attempt.name if not settings or "stand-in" in attempt.name else f"{attempt.name}, stand-in"
    wrong = "" if _holds(attempt, seen) else f" **(expected: {attempt.outcome})**"
    unchanged = {True: "yes", False: "**no**", None: ""}[seen.get("unchanged")]
    if "read" not in seen:
        return f"| {name} | {seen.get('outcome')}{wrong} | | | | {unchanged} | |"
    other = seen["read"] - seen["zeros"] - seen["ones"]
    content = [
        text for count, text in ((seen["zeros"], "zeros"), (seen["ones"], "ones"), (other, "other data")) if count
    ]
    handle = "kept" if seen["kept"] and not seen["changed"] else "lost"
    figures = f"{seen['places']} | {seen['survivors']} | {', '.join(content)}"
    return f"| {name} | {seen['outcome']}{wrong} | {figures} | {unchanged} | {handle} |"
