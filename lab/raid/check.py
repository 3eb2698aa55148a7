"""The check: one guest with drives, and whether each array is as it was, without what it held."""

import json
from pathlib import Path
from typing import Final

from iosonde.store import load_run
from iosonde.vocabulary import Outcome
from lab.guest import MIB, ONE_CPU, Guest, drive
from lab.interpreter import PYTHON
from lab.kernel import CHECKOUT, Kernel
from lab.purge.check import build_standin
from lab.raid.arrays import ARRAYS, DRIVES, REFUSALS

MODULES: Final = {"md_mod": "", "raid0": "", "raid1": "", "raid456": "", "raid10": ""}
SIZE_BYTES: Final = 32 * MIB


def raid(kernel: Kernel, folder: Path) -> list[str]:
    """Members are purged at the same time, and the array has its UUID, level, layout and size again."""
    words = [*ONE_CPU]
    for each in DRIVES:
        image = drive(folder / f"{each}.img", SIZE_BYTES)
        words += ["-drive", f"file={image},if=none,id={each},format=raw"]
        words += ["-device", f"nvme,serial={each},drive={each}"]
    build_standin()
    guest = Guest(kernel, folder, tuple(words), MODULES)
    guest.run(f"cd {CHECKOUT}\n{PYTHON} -m lab.raid.inside")
    seen = {each["name"]: each for each in map(json.loads, guest.text("seen.jsonl").splitlines())}
    wrong = [f"{name}: {each['wrong']}" for name, each in seen.items() if each["wrong"]]
    assert not wrong, "\n    ".join(wrong)
    assert len(seen) == len(ARRAYS) + len(REFUSALS) + 4, list(seen)
    run = load_run(folder / "shared/run")
    assert {each.outcome for each in run.cells} == {Outcome.FINISHED}
    assert [each.array is not None and each.array.path for each in run.header.purges] == ["/dev/md0"] * 3
    return [
        f"purged and created again as before: {'; '.join(each.name for each in ARRAYS)}",
        "a member that does not erase: the array stays stopped, and the hint creates it again as it was",
        "Ctrl-C while the members are formatted: the array is created as usual; after a kill, by the printed command",
        f"refused, with the data left: {'; '.join(each.name for each in REFUSALS)}",
        f"a run purges the members first, and measures {len(run.cells)} trials on the array",
    ]
