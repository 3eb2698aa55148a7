"""Drives that are removed during a trial: one of one, two of three, and all three."""

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from iosonde.analysis.states import measured_repeats
from iosonde.records import Outcome
from iosonde.store import load_run
from iosonde.vocabulary import FailureKind
from lab.guest import FIND_DRIVE, IOSONDE, MIB, Guest, drive
from lab.kernel import Kernel

SETS: Final = {"one": ("one1",), "some": ("some1", "some2", "some3"), "all": ("all1", "all2", "all3")}
"""The drives of each run."""

REMOVED: Final = {"one": ("one1",), "some": ("some1", "some3"), "all": ("all1", "all2", "all3")}
"""Those that are removed while its second trial runs."""

# Two seconds, on a machine that emulates several others at a fraction of its speed.
WAIT_S_MAX: Final = 5.0
LIMIT_S: Final = 1800
SIZE_BYTES: Final = 64 * MIB
CAMPAIGN: Final = """
name = "removal"
repeats = 3
[[experiment]]
name = "removal"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = 4
targets = {targets}
warmup = "200ms"
duration = "8s"
"""


def removal(kernel: Kernel, folder: Path) -> list[str]:
    """The user reads within two seconds which drives are gone, and what finished before is kept."""
    with ThreadPoolExecutor() as pool:
        return list(pool.map(lambda name: _removed(kernel, folder / name, name), SETS))


def _removed(kernel: Kernel, folder: Path, name: str) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "removal.toml").write_text(CAMPAIGN.format(targets=len(SETS[name])))
    words = ["-smp", "2"]
    for each in SETS[name]:
        image = drive(folder / f"{each}.img", SIZE_BYTES)
        words += ["-drive", f"file={image},if=none,id={each},format=raw"]
        words += ["-device", f"nvme,serial=LAB-{each},drive={each}"]
    guest = Guest(kernel, folder, tuple(words), limit_s=LIMIT_S)
    guest.run(f"""
        {FIND_DRIVE}
        targets=; controllers=
        for each in {" ".join(SETS[name])}; do targets="$targets /dev/$(disk $each)"; done
        for each in {" ".join(REMOVED[name])}; do
            controllers="$controllers /sys/block/$(disk $each)/device/device/remove"
            echo /dev/$(disk $each) >> /lab/expected
        done
        {IOSONDE} run $targets --profile {folder}/removal.toml --out /tmp/run > /dev/null 2> /lab/said & run=$!
        until grep -q "^.1 of " /lab/said; do sleep 0.2; done
        sleep 1.5
        for each in $controllers; do echo 1 > $each & done
        for each in $controllers; do while [ -e $each ]; do sleep 0.01; done; done
        date +%s.%N > /lab/removed
        until grep -q " gone: " /lab/said || ! kill -0 $run 2> /dev/null; do sleep 0.02; done
        date +%s.%N > /lab/ended
        code=0; wait $run || code=$?; echo $code > /lab/exit-code
        cp /tmp/run/run.json /tmp/run/journal /lab/
    """)
    return _told(guest, name)


def _told(guest: Guest, name: str) -> str:
    """What was seen. Raises AssertionError if the user does not read which drives are gone."""
    said, code = guest.text("said"), int(guest.text("exit-code"))
    errors = [line for line in said.splitlines() if line.startswith("error: ")]
    hints = [line for line in said.splitlines() if line.startswith("hint: ")]
    assert (code, len(errors), len(hints)) == (3, 1, 1), said
    drives, named = guest.text("expected").split(), re.findall(r"/dev/\w+", errors[0].partition(" gone: ")[0])
    # The kernel removes one after another, which may take longer than the engine waits for further ones.
    assert named, said
    assert set(named) <= set(drives), said
    # From the moment at which the kernel has removed the last of them; the user may have read it before.
    wait_s = max(float(guest.text("ended")) - float(guest.text("removed")), 0)
    assert wait_s <= WAIT_S_MAX, wait_s
    _check_record(guest.folder / "shared")
    count = f"{len(drives)} of {len(SETS[name])} targets removed during a trial"
    return f"{count}: exit {code}, told after {wait_s:.1f} s of emulated time; {errors[0]}"


def _check_record(run: Path) -> None:
    """The first trial is kept, the second has failed and is in no result, and there is no third."""
    cells = load_run(run).cells
    first, second = cells
    assert (first.outcome, second.outcome) == (Outcome.FINISHED, Outcome.FAILED), (first, second)
    assert second.failure is not None
    assert second.failure.kind is FailureKind.GONE, second.failure
    assert second.measured_ns < first.measured_ns, second.measured_ns
    assert [cell.order for cell in measured_repeats(cells)] == [first.order]
