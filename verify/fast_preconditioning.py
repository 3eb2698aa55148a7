"""Fast preconditioning against long: the state of simulated drives with garbage collection after each."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from random import Random
from statistics import fmean
from tempfile import TemporaryDirectory
from typing import Final

from iosonde.plans.models import load_model
from iosonde.records import Histogram, Operation
from iosonde.units import SECOND_NS
from verify.campaigns import run_profile
from verify.random_drives import KIB, MIB, MS, US, Parameters, model_text
from verify.simulated import SimulatedDrive, Times

FIGURES: Final = ("IOPS", "write amplification", "p99")
WITHIN: Final = 0.03
"""The largest difference at which two states count as the same."""

CAPACITIES: Final = 5
"""Random writes of each long form, after its first writes."""

LONG: Final = ("once", "independent", "permutation")
"""The first writes of the long forms, by name: every block in order, twice the capacity in order, and every block in
random order."""

SEEDS: Final = (1, 2, 3)
WRONG_BY: Final = 0.3
SHIPPED: Final = ("sata-dc", "enterprise-nvme", "usb-stick", "client-nvme")
RANDOM_DRIVES: Final = 6
SEED: Final = 310_000
PROCESSES: Final = 2
CAMPAIGN: Final = """name = "state"
repeats = {repeats}
order = "listed"
{precondition}

[[experiment]]
name = "next capacity"
pattern = "random"
read = 0
block_size = "4KiB"
queue_depth = 32
amount = "{mib}MiB"
"""


@dataclass(frozen=True)
class Drive:
    """A drive: its name, its target, its model, its size, and its over-provisioning.

    ``slc_cache`` is the size of a cache that the drive empties only while idle, empty without one.
    """

    name: str
    target: str
    parameters: Parameters
    mib: int
    over_provisioning: float
    slc_cache: str = ""


@dataclass(frozen=True)
class State:
    """What a drive does over the next capacity of random writes: ``FIGURES``; and the capacities written before."""

    figures: tuple[float, ...]
    written: float


@dataclass(frozen=True)
class Prepared:
    """A drive after fast preconditioning and after each long form, one state for each seed.

    ``assumed`` is the assumed over-provisioning.
    """

    drive: Drive
    assumed: float
    fast: tuple[State, ...]
    long: Mapping[str, tuple[State, ...]]

    def difference(self, figure: int, form: str) -> float:
        """The difference of a figure from that after a long form, of the means over all seeds."""
        return _mean(self.fast, figure) / _mean(self.long[form], figure) - 1

    def differences(self, figure: int) -> tuple[float, ...]:
        """The differences of a figure from that after each long form."""
        return tuple(self.difference(figure, form) for form in LONG)

    def largest_of_a_seed(self, figure: int) -> float:
        """The largest difference of a figure for a single seed, from any long form."""
        pairs = [pair for form in LONG for pair in zip(self.fast, self.long[form], strict=True)]
        return max((fast.figures[figure] / long.figures[figure] - 1 for fast, long in pairs), key=abs)

    def long_range(self, figure: int) -> tuple[float, float]:
        """The smallest and the largest value of a figure after the long forms, over all seeds."""
        values = [each.figures[figure] for states in self.long.values() for each in states]
        return min(values), max(values)

    def is_same(self, figure: int) -> bool:
        """Whether a figure is that of all long forms; for p99, that of one of them, because they differ themselves."""
        judge = any if FIGURES[figure] == "p99" else all
        return judge(abs(each) <= WITHIN for each in self.differences(figure))

    @property
    def holds(self) -> bool:
        """Whether all figures are the same."""
        return all(map(self.is_same, range(len(FIGURES))))


def _mean(states: Sequence[State], figure: int) -> float:
    return fmean(each.figures[figure] for each in states)


def prepared(drives: int = RANDOM_DRIVES, seeds: Sequence[int] = SEEDS) -> Iterator[Prepared]:
    """Every shipped drive with garbage collection, then random drives, with the right assumption and wrong ones."""
    with TemporaryDirectory() as folder, ProcessPoolExecutor(PROCESSES) as pool:
        asked = [*map(shipped_drive, SHIPPED), *(random_drive(SEED + number, folder) for number in range(drives))]
        jobs = [(drive, seed) for drive in asked for seed in seeds]
        found = zip(jobs, pool.map(states_of, *zip(*jobs, strict=True)), strict=True)
        for drive, group in groupby(found, key=lambda each: each[0][0]):
            states = [each for _, each in group]
            long = {form: tuple(each[form] for each in states) for form in LONG}
            for assumed in assumptions(drive):
                yield Prepared(drive, assumed, tuple(each[assumed] for each in states), long)


def shipped_drive(name: str) -> Drive:
    """A shipped model at its own scale."""
    model = load_model(name).parameters
    scale, spare = model["capacity_scale"], model["media"]["over_provisioning_permille"] / 1000
    cache = f"{model['slc']['size_bytes'] // scale}B" if model.get("slc") else ""
    return Drive(f"sim:{name}", f"sim:{name}", model, model["capacity_bytes"] // scale // MIB, spare, cache)


def random_drive(seed: int, folder: str) -> Drive:
    """A drive with random parameters, as a model file in a folder."""
    parameters = random_parameters(seed)
    file = Path(folder) / f"drive-{seed}.toml"
    file.write_text(model_text(parameters), encoding="utf-8")
    media, mib = parameters["media"], parameters["capacity_bytes"] // MIB
    dies = media["channels"] * media["dies_per_channel"]
    unit = media["page_bytes"] * media["planes_per_die"] // KIB
    name = f"random {seed}: {dies} dies, {media['pages_per_block']} pages per block, {unit} KiB program unit"
    model = {key: value for key, value in parameters.items() if key not in {"title", "about"}}
    return Drive(name, f"sim:{file}", model, mib, media["over_provisioning_permille"] / 1000)


def random_parameters(seed: int) -> Parameters:
    """The parameters of a drive whose random writes cause garbage collection."""
    random = Random(seed)
    return {
        "kind": "ssd",
        "title": "random drive",
        "about": "A drive with garbage collection and random parameters.",
        "capacity_bytes": random.randint(1024, 2048) * MIB,
        "capacity_scale": 1,
        "link": {"bytes_per_s": 10**9, "command_ns": random.randint(100, 3000), "duplex": "full"},
        "controller": {"cores": 8, "command_ns": random.randint(5 * US, 20 * US)},
        "buffer": {"size_bytes": random.choice([4, 8, 16, 32]) * MIB, "power_loss_protection": True},
        "media": {
            "channels": random.choice([1, 2, 4, 8]),
            "dies_per_channel": random.choice([1, 2, 4]),
            "planes_per_die": random.choice([1, 2, 4]),
            "page_bytes": random.choice([4, 8, 16]) * KIB,
            "pages_per_block": random.choice([64, 128, 256, 384, 512, 1024]),
            "channel_bytes_per_s": random.randint(200, 1200) * 10**6,
            "read_ns": random.randint(40 * US, 100 * US),
            "read_sigma_permille": random.randint(0, 200),
            "read_slow_ppm": random.randint(0, 1000),
            "read_slow_factor": random.randint(2, 10),
            "program_ns": random.randint(300 * US, 1500 * US),
            "erase_ns": random.randint(2 * MS, 8 * MS),
            "over_provisioning_permille": random.randint(50, 300),
            "rated_erases": 1000,
        },
    }


def assumptions(drive: Drive) -> tuple[float, ...]:
    """The over-provisioning of the drive, then too low, too high, and the default."""
    right = drive.over_provisioning
    return (right, *(round(right * (1 + sign * WRONG_BY), 3) for sign in (-1, 1)), 0.15)


def states_of(drive: Drive, seed: int) -> Mapping[str | float, State]:
    """The states of a drive after each long form by its name, and after the fast form by the assumption."""
    found: dict[str | float, State] = {
        "once": state_after(drive, f'precondition = "random"\nprecondition_capacities = {CAPACITIES}', seed),
        "independent": state_after(drive, 'precondition = "independent"', seed, skipped=CAPACITIES),
        "permutation": state_without_order(drive, seed),
    }
    for assumed in assumptions(drive):
        keys = f'precondition = "fast-random"\nover_provisioning = "{100 * assumed:.1f}%"'
        if drive.slc_cache:
            keys = f'{keys}\nslc_cache = "{drive.slc_cache}"'
        found[assumed] = state_after(drive, keys, seed)
    return found


def state_after(drive: Drive, keys: str, seed: int, *, skipped: int = 0) -> State:
    """The state of a fresh drive after a form of preconditioning, and after ``skipped`` capacities of random writes."""
    text = CAMPAIGN.format(precondition=keys, repeats=skipped + 1, mib=drive.mib)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "state.toml"
        file.write_text(text, encoding="utf-8")
        run = run_profile(f"{drive.target},seed={seed}", str(file), seed, size=f"{drive.mib}MiB")
    last, before = run.cells[-1], [*run.preparation, *run.cells][-2]
    totals = last.operations[Operation.WRITE]
    assert isinstance(totals.latency, Histogram)
    latency = Times()
    latency.add(totals.latency_ns_sum, {"bucket": totals.latency.bucket, "count": totals.latency.count})
    written = sum(each.operations[Operation.WRITE].bytes for each in (*run.preparation, *run.cells[:-1]))
    healths = [each.drives[0].health.model_dump() for each in (before, last)]
    return State(_figures(latency, last.measured_ns, *healths), written / (drive.mib * MIB))


def state_without_order(drive: Drive, seed: int) -> State:
    """The state of a fresh drive after every block was written in random order, and then random writes."""
    span_bytes = drive.mib * MIB
    job = {"read_percent": 0, "queue_depth": 32, "span_bytes": span_bytes}
    with SimulatedDrive(drive.parameters, seed) as opened:
        opened.run(**job, pattern="permutation", amount_bytes=span_bytes, seed=1)
        before = opened.run(**job, amount_bytes=CAPACITIES * span_bytes, seed=2)
        last = opened.run(**job, amount_bytes=span_bytes, seed=3)
    healths = [each.drives[0]["health"] for each in (before, last)]
    return State(_figures(last.service, last.measured_ns, *healths), 1 + CAPACITIES)


def _figures(
    latency: Times, measured_ns: int, before: Mapping[str, int], after: Mapping[str, int]
) -> tuple[float, ...]:
    media, host = (after[key] - before[key] for key in ("media_written_bytes", "host_written_bytes"))
    return latency.count * SECOND_NS / measured_ns, media / host, latency.quantile_ns(0.99)
