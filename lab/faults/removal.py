"""Drives that are removed during a trial: one of one, two of three, and all three."""

import itertools
import re
from pathlib import Path
from typing import Final

from iosonde.analysis.states import measured_repeats
from iosonde.records import Outcome
from iosonde.store import load_run
from iosonde.vocabulary import FailureKind
from lab.guest import FIND_DRIVE, MIB, ONE_CPU, PRELOAD, PRELOADED, Guest, drive
from lab.kernel import Kernel
from lab.power_cuts.judge import unpacked

SETS: Final = {"one": ("one1",), "some": ("some1", "some2", "some3"), "all": ("all1", "all2", "all3")}
"""The drives of each run."""

REMOVED: Final = {"one": ("one1",), "some": ("some1", "some3"), "all": ("all1", "all2", "all3")}
"""Those that are removed while its second trial runs."""

WAIT_S_MAX: Final = 2.0
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
duration = "5s"
"""


def removal(kernel: Kernel, folder: Path) -> list[str]:
    """The user reads within two seconds which drives are gone, and what finished before is kept."""
    folder.mkdir(parents=True, exist_ok=True)
    words = [*ONE_CPU]
    for each in itertools.chain(*SETS.values()):
        image = drive(folder / f"{each}.img", SIZE_BYTES)
        words += ["-drive", f"file={image},if=none,id={each},format=raw"]
        words += ["-device", f"nvme,serial=LAB-{each},drive={each}"]
    for name, drives in SETS.items():
        (folder / f"{name}.toml").write_text(CAMPAIGN.format(targets=len(drives)))
    guest = Guest(kernel, folder, tuple(words))
    guest.run(f"{PRELOAD}\n{FIND_DRIVE}\n" + "".join(_script(folder, name) for name in SETS))
    return [_told(guest, name) for name in SETS]


def _script(folder: Path, name: str) -> str:
    """A run, and the removal of drives during its second trial."""
    return f"""
        targets=; controllers=
        for each in {" ".join(SETS[name])}; do targets="$targets /dev/$(disk $each)"; done
        for each in {" ".join(REMOVED[name])}; do
            controllers="$controllers /sys/block/$(disk $each)/device/device/remove"
            echo /dev/$(disk $each) >> /lab/{name}.expected
        done
        {PRELOADED} run $targets --no-report --profile {folder}/{name}.toml --out /tmp/{name} \\
            > /dev/null 2> /lab/{name}.said & run=$!
        until grep -q "^.1 of " /lab/{name}.said; do sleep 0.2; done
        sleep 1.5
        for each in $controllers; do echo 1 > $each & done
        for each in $controllers; do while [ -e $each ]; do sleep 0.01; done; done
        date +%s.%N > /lab/{name}.removed
        until grep -q " gone: " /lab/{name}.said || ! kill -0 $run 2> /dev/null; do sleep 0.02; done
        date +%s.%N > /lab/{name}.ended
        code=0; wait $run || code=$?; echo $code > /lab/{name}.code
        tar -cf /lab/{name}.tar -C /tmp/{name} run.json journal
    """


def _told(guest: Guest, name: str) -> str:
    """What was seen. Raises AssertionError if the user does not read which drives are gone."""
    said, code = guest.text(f"{name}.said"), int(guest.text(f"{name}.code"))
    errors = [line for line in said.splitlines() if line.startswith("error: ")]
    hints = [line for line in said.splitlines() if line.startswith("hint: ")]
    assert (code, len(errors), len(hints)) == (3, 1, 1), said
    drives, named = guest.text(f"{name}.expected").split(), re.findall(r"/dev/\w+", errors[0].partition(" gone: ")[0])
    # The kernel removes one after another, which may take longer than the engine waits for further ones.
    assert named, said
    assert set(named) <= set(drives), said
    # From the moment at which the kernel has removed the last of them; the user may have read it before.
    wait_s = max(float(guest.text(f"{name}.ended")) - float(guest.text(f"{name}.removed")), 0)
    assert wait_s <= WAIT_S_MAX, wait_s
    record = unpacked(guest.folder / f"shared/{name}.tar", guest.folder / f"left-{name}")
    assert record is not None
    _check_record(record)
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
