"""The coverage of intervals if repeats differ, through the engine: campaigns on a drive that changes its speed.

The drive is a queue of four servers. Every 530 ms of virtual time (a first repeat with its warm-up) it becomes slower
by another random factor. Each campaign has its own factors. Repeats therefore vary more than their within-repeat
variation shows. The ratio is the standard deviation between repeats, divided by the standard error of a first repeat.
The true value is the mean over campaigns of one long repeat, on drives with factors from the same distribution.
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
"""The relative standard error of a first repeat's throughput from within-repeat variation alone: the completions of
four busy servers are a Poisson process, with 8,800 in 330 ms at the median factor."""
ASKED: Final = 1.5
"""The requested precision of throughput and mean latency, in units of ``ERROR``."""
SEGMENTS: Final = 64
SEGMENT_NS: Final = 530_000_000
"""The length of a first repeat with its warm-up. If segments were longer, adjacent repeats would share a factor."""
BUDGET: Final = "33s"
SLOWER: Final = 1500.0
"""The median factor, in thousandths. It is above 1,000, because a drive can only become slower than its model."""
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
    """The results of a campaign. ``bounds`` are the ends of the interval of each figure; None if there is none."""

    met: bool
    bounds: tuple[tuple[float, float] | None, ...]
    repeats: int
    device_s: float


@dataclass(frozen=True)
class Differing:
    """How many intervals of one figure contain the true value, over the campaigns of one ratio."""

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
        """The share of intervals that contain the true value."""
        return self.held / self.intervals if self.intervals else 0.0

    @property
    def holds(self) -> bool:
        """Whether every campaign has an interval, and a binomial test does not reject a coverage of 95 %."""
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
    """The results of one long repeat over all segments of a drive. No campaign has the same drive."""
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
    """The drive's model. Its factors are log-normal, so that throughput and latency vary by the same share."""
    drawn = np.random.default_rng([seed, 20_111]).normal(0, ratio * ERROR, SEGMENTS)
    faults = [
        FAULT.format(
            begin=place * SEGMENT_NS, end=(place + 1) * SEGMENT_NS, stretch=round(SLOWER * float(np.exp(each)))
        )
        for place, each in enumerate(drawn)
    ]
    return MODEL + "".join(faults)
