"""How often intervals hold where repeats truly differ, through the engine: campaigns on a drive that changes its speed.

The drive is a queue of four servers. Every 530 ms of its time, as long as a first repeat takes with its warm-up, it
does everything slower by another factor, drawn anew for each campaign. So repeats differ beyond what each shows within
itself, by a spread that is given in the error that a first repeat has by itself. The truth is a campaign of one long
repeat on a drive whose factors come from the same distribution.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
from scipy.stats import binomtest

from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.precision import FIGURES, figures_of, precision_of
from iosonde.records import RunRecord
from iosonde.units import SECOND_NS
from verify.campaigns import run_one_cell

RATIOS: Final = (0.0, 0.5, 1.0, 2.0, 4.0)
CAMPAIGNS: Final = 500
ERROR: Final = 0.01066
"""The standard error of the throughput of a first repeat by itself: four servers that are always busy complete a
Poisson process, of which 330 ms hold 8,800."""
ASKED: Final = 1.5
"""In such errors, for throughput and mean latency."""
SEGMENTS: Final = 64
SEGMENT_NS: Final = 530_000_000
"""As long as a first repeat with its warm-up: shorter ones would share a speed with their neighbours."""
BUDGET: Final = "33s"
SLOWER: Final = 1500.0
"""The middle of the factors, in thousandths: a drive only gets slower than its model."""
DEPTH: Final = 8
PROCESSES: Final = 2
CHANCE: Final = 0.05
TRUTH_SEEDS: Final = tuple(range(900_001, 900_021))
HEAD: Final = 'duration = "5s"\nwarmup = "1s"\n'

MODEL: Final = """
kind = "queueing"
title = "A queue that changes its speed"
about = "Four servers whose speed changes again and again."
leaves_out = ["All else."]
size_bytes = 16_777_216
servers = 4
service = "exponential"
service_ns = 100_000

[sources]
size_bytes = "Chosen."
servers = "Chosen."
service = "Chosen."
service_ns = "Chosen."
"""

FAULT: Final = """
[[faults]]
kind = "throttling"
from_ns = {begin}
until_ns = {end}
stretch_permille = {stretch}
"""


@dataclass(frozen=True)
class Told:
    """What a campaign ended with."""

    met: bool
    bounds: tuple[tuple[float, float] | None, ...]
    repeats: int
    device_s: float


@dataclass(frozen=True)
class Differing:
    """How often the intervals of one figure held, over the campaigns of one ratio."""

    ratio: float
    figure: str
    campaigns: int
    met: int
    intervals: int
    held: int
    repeats: float
    device_s: float

    @property
    def share(self) -> float:
        """The share of intervals that held."""
        return self.held / self.intervals if self.intervals else 0.0

    @property
    def holds(self) -> bool:
        """Whether the binomial interval does not exclude 95 %."""
        return self.intervals == self.campaigns and binomtest(self.held, self.intervals, 0.95).pvalue > CHANCE


def differing(campaigns: int = CAMPAIGNS, ratios: Sequence[float] = RATIOS) -> Iterator[Differing]:
    """Every ratio, figure by figure."""
    with ProcessPoolExecutor(PROCESSES) as pool:
        for ratio in ratios:
            truths = list(pool.map(_truth, [(ratio, seed) for seed in TRUTH_SEEDS]))
            truth = [float(np.mean(each)) for each in zip(*truths, strict=True)]
            told = list(pool.map(_campaign, [(ratio, seed) for seed in range(1, campaigns + 1)], chunksize=10))
            for place, figure in enumerate(FIGURES):
                known = [each.bounds[place] for each in told]
                held = [low <= truth[place] <= high for low, high in (each for each in known if each is not None)]
                yield Differing(
                    ratio=ratio,
                    figure=figure,
                    campaigns=campaigns,
                    met=sum(each.met for each in told),
                    intervals=len(held),
                    held=sum(held),
                    repeats=float(np.mean([each.repeats for each in told])),
                    device_s=float(np.mean([each.device_s for each in told])),
                )


def _campaign(job: tuple[float, int]) -> Told:
    ratio, seed = job
    aim = f'precision = "{100 * ERROR * ASKED:g}%"\nbudget = "{BUDGET}"\n'
    run = _measured(ratio, seed, HEAD + aim)
    cell, timing = estimate_run(run).cells[0], run.cells[0].timing
    first_ns = timing.warmup_ns + timing.measure_ns
    assert cell.subject is not None, "the model answers"
    known = figures_of(cell.subject)
    assert first_ns == SEGMENT_NS, "the drive changes its speed from repeat to repeat"
    return Told(
        met=precision_of(cell, 100 * ERROR * ASKED).met,
        bounds=tuple(None if each.low is None or each.high is None else (each.low, each.high) for each in known),
        repeats=len(run.cells),
        device_s=run.asked_ns / SECOND_NS,
    )


def _truth(job: tuple[float, int]) -> tuple[float, ...]:
    """A long repeat over all segments of a drive that no campaign has."""
    ratio, seed = job
    length_s = SEGMENTS * SEGMENT_NS // SECOND_NS
    run = _measured(ratio, seed, f'repeats = 1\nduration = "{length_s}s"\nwarmup = "0s"\n')
    cell = estimate_run(run).cells[0]
    assert cell.subject is not None, "the model answers"
    return tuple(each.value or 0.0 for each in figures_of(cell.subject))


def _measured(ratio: float, seed: int, head: str) -> RunRecord:
    with TemporaryDirectory() as folder:
        model = Path(folder) / "changing.toml"
        model.write_text(_model(ratio, seed), encoding="utf-8")
        return run_one_cell(f"sim:{model},seed={seed}", f"queue_depth = {DEPTH}", seed, head=head)


def _model(ratio: float, seed: int) -> str:
    """The factors are normal on logarithms, so that throughput and latency have the same spread."""
    drawn = np.random.default_rng([seed, 20_111]).normal(0, ratio * ERROR, SEGMENTS)
    faults = [
        FAULT.format(
            begin=place * SEGMENT_NS, end=(place + 1) * SEGMENT_NS, stretch=round(SLOWER * float(np.exp(each)))
        )
        for place, each in enumerate(drawn)
    ]
    return MODEL + "".join(faults)
