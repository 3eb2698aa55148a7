"""The check: one guest with devices of known time, and whether what was measured on them can be."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from lab.guest import Guest
from lab.interpreter import PYTHON
from lab.kernel import Kernel
from lab.known_time.cells import FLOOR
from lab.known_time.judge import complaints
from lab.known_time.seen import Pair, load
from lab.known_time.table import late, page

CHECKOUT: Final = Path(__file__).parents[2]
CPUS: Final = 2
# The emulated TSC is that of the host, the same for both CPUs; the kernel would take HPET, whose steps are 10 ns long
# and each look at which ends in the emulator.
CLOCK: Final = "clocksource=tsc tsc=reliable"
PAGE: Final = "known-time.md"


def known_time(kernel: Kernel, folder: Path) -> list[str]:
    """Devices that take a known time: no latency is shorter, and what iosonde says is what fio and the kernel say."""
    guest = Guest(kernel, folder, ("-smp", str(CPUS)), {"null_blk": "nr_devices=0"}, CLOCK)
    guest.run(f"cd {CHECKOUT}\n{PYTHON} -m lab.known_time.inside")
    pairs = load(folder / "shared/seen.jsonl")
    (folder / PAGE).write_text(page(pairs, kernel.version, CPUS))
    wrong = complaints(pairs)
    assert not wrong, "\n    ".join([f"{len(wrong)} that can't be, of which {folder / PAGE} has the figures", *wrong])
    return _told(pairs)


def _told(pairs: Sequence[Pair]) -> list[str]:
    timed = [seen for pair in pairs if pair.cell.device != FLOOR for seen in pair.iosonde]
    over_us = min(seen.min_ns - seen.cell.device.set_ns for seen in timed) / 1000
    ratios = [pair.p50_ratio for pair in pairs if pair.cell.judged]
    means = [seen.mean_ns / seen.kernel_mean_ns for seen in timed]
    return [
        f"{sum(seen.count for seen in timed):,} reads from devices of known latency: none is shorter than the set time",
        f"the shortest is {over_us:.1f} µs above the set time",
        f"p50 relative to fio's, in {len(ratios)} cells: {min(ratios):.2f} to {max(ratios):.2f}",
        f"means relative to the kernel's: {min(means):.2f} to {max(means):.2f}",
        *(f"kernel only, {line}" for line in late(pairs)),
        f"results: {PAGE}",
    ]
