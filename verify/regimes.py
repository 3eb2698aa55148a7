"""Regime changes: they must be found where a model switches, and not where nothing changes."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

from iosonde.analysis.regimes import Regime, regimes_of
from iosonde.records import CellRecord
from iosonde.units import MILLISECOND_NS, SECOND_NS
from verify.campaigns import run_one_cell

MEASURED_S: Final = 60
STATIONARY: Final = (("mm1", 2), ("mmc", 2), ("mmc", 8), ("md1", 4))
STATIONARY_RUNS: Final = 50
"""Per workload: 200 in all."""
FALSE_MAX: Final = 0.01
"""The limit in the description of the finding: at most one in a hundred stationary repeats is reported."""

SWITCH_RUNS: Final = 20
SWITCH_STEP_NS: Final = 2_170_000_000
COLLECTING: Final = "sata-dc"
SCALES: Final = (10, 14, 18, 22, 26, 30)
"""The drive is this many times smaller. Its spare area shrinks in proportion, so garbage collection starts sooner."""

COLLECTED_WITHIN_NS: Final = SECOND_NS // 10
"""The resolution of the search for the time at which the model starts to move data, by its own counters."""

OFF_NS_MAX: Final = 2 * SECOND_NS
PROCESSES: Final = 2
QUEUE: Final = """kind = "queueing"
title = "one that slows down"
about = "Four servers that become slower at a moment that is known."
size_bytes = 67_108_864
servers = 4
service = "exponential"
service_ns = 100_000

[[faults]]
kind = "throttling"
from_ns = {from_ns}
stretch_permille = {stretch_permille}
"""
FACTORS: Final = (1.2, 1.5, 3)


@dataclass(frozen=True)
class Looked:
    """The results of runs of one kind: how many have a detected change, and the errors of its time."""

    what: str
    runs: int
    changed: int
    off_ns_median: float | None
    off_ns_max: int | None
    holds: bool


def regimes() -> Iterator[Looked]:
    """Every kind of run."""
    with ProcessPoolExecutor(PROCESSES) as pool:
        jobs = [(model, depth, seed) for model, depth in STATIONARY for seed in range(1, STATIONARY_RUNS + 1)]
        changed = sum(len(found) > 1 for found in pool.map(measured_without_change, jobs))
        yield Looked("nothing changes", len(jobs), changed, None, None, changed <= FALSE_MAX * len(jobs))
        for factor in FACTORS:
            switches = [(factor, seed) for seed in range(1, SWITCH_RUNS + 1)]
            yield _looked(f"{factor:g} times slower at one point", list(pool.map(measured_switch, switches)))
        yield _looked(f"garbage collection starts (sim:{COLLECTING})", list(pool.map(measured_collection, SCALES)))


def _looked(what: str, found: list[tuple[int, list[Regime]]]) -> Looked:
    """For each run, compares the nearest detected change with the time of the switch."""
    offs = [min(abs(each.start_ns - at_ns) for each in regimes[1:]) for at_ns, regimes in found if len(regimes) > 1]
    return Looked(
        what=what,
        runs=len(found),
        changed=len(offs),
        off_ns_median=median(offs) if offs else None,
        off_ns_max=max(offs) if offs else None,
        holds=len(offs) == len(found) and max(offs) <= OFF_NS_MAX,
    )


def measured_without_change(job: tuple[str, int, int]) -> list[Regime]:
    """The regimes found on a model, at a queue depth, with a seed."""
    model, depth, seed = job
    return _measured(f"sim:{model},seed={seed}", depth, seed)[1]


def measured_switch(job: tuple[float, int]) -> tuple[int, list[Regime]]:
    """The time of the drive's switch, in ns from the start of the measurement, and the regimes found."""
    factor, seed = job
    # The step is chosen so that the switch is not at the edge of an interval.
    at_ns = 10 * SECOND_NS + seed * SWITCH_STEP_NS
    with TemporaryDirectory() as folder:
        file = Path(folder) / "slower.toml"
        file.write_text(QUEUE.format(from_ns=at_ns, stretch_permille=round(1000 * factor)), encoding="utf-8")
        began_ns, found = _measured(f"sim:{file},seed={seed}", 8, seed)
    return at_ns - began_ns, found


def measured_collection(scale: int) -> tuple[int, list[Regime]]:
    """The time at which garbage collection started, in ns from the start of the measurement, and the regimes found."""
    low_ns, high_ns = 0, MEASURED_S * SECOND_NS
    while high_ns - low_ns > COLLECTED_WITHIN_NS:
        middle_ns = (low_ns + high_ns) // 2
        if has_moved(written(scale, middle_ns)):
            high_ns = middle_ns
        else:
            low_ns = middle_ns
    return high_ns, list(regimes_of(written(scale, MEASURED_S * SECOND_NS)))


def written(scale: int, measure_ns: int) -> CellRecord:
    """The cell of a drive of this scale, filled and then written at random. A longer cell begins like a shorter one."""
    head, target = _one_repeat(f"{measure_ns // MILLISECOND_NS}ms"), f"sim:{COLLECTING},seed={scale},scale={scale}"
    return run_one_cell(target, "queue_depth = 8", seed=scale, head=head, read_percent=0).cells[0]


def has_moved(record: CellRecord) -> bool:
    """Whether the drive has moved data, by its own counters."""
    health = record.drives[0].health
    return (health.media_written_bytes or 0) > (health.host_written_bytes or 0)


def _measured(target: str, depth: int, seed: int) -> tuple[int, list[Regime]]:
    """The start of the measurement in virtual time, in ns, and the regimes of one long repeat."""
    head = _one_repeat(f"{MEASURED_S}s")
    run = run_one_cell(target, f"queue_depth = {depth}", seed, head=head, size="64MiB")
    record = run.cells[0]
    measured = [each for each in record.intervals if each.phase == "measure"]
    return measured[0].start_ns, list(regimes_of(record))


def _one_repeat(duration: str) -> str:
    return f'repeats = 1\nwarmup = "1s"\nduration = "{duration}"\n'
