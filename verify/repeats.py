"""The coverage of intervals if repeats differ: synthetic campaigns through the scheduler and the estimator.

Each campaign measures one cell. A repeat has a throughput, a mean latency and a share of operations beyond the true
p99. Each deviates from its true value by two errors: one that does not depend on the length of the repeat (between),
and one that decreases with it (within). The scheduler chooses lengths and stops as it does on a drive. Nothing else of
a drive is simulated, so the true values are known, and ten thousand campaigns take minutes.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from math import sqrt
from typing import Final

import numpy as np
from scipy.stats import binomtest, lognorm

from iosonde.analysis.cells import estimate_cell, was_looked_at
from iosonde.analysis.histogram import bucket_of, low_and_width
from iosonde.analysis.precision import FIGURES, figures_of, precision_of
from iosonde.campaign.adaptive import AdaptiveScheduler
from iosonde.plans import TargetInfo, campaign_plan, read_campaign, timed
from iosonde.records import (
    Aim,
    CellPlan,
    CellRecord,
    CellTurn,
    Histogram,
    Layout,
    Operation,
    OperationTotals,
    Outcome,
    Plan,
    WithinRepeat,
)
from iosonde.units import SECOND_NS

CASES: Final = ((0.0, 1.5), (0.5, 1.5), (1.0, 1.5), (2.0, 1.5), (4.0, 3.0))
"""The standard deviation between repeats, and the requested precision, both in units of ``ERROR``. These cases need
six to fifteen repeats."""
CAMPAIGNS: Final = 10_000
BUDGET_REPEATS: Final = 60
"""The budget, as a number of first repeats including their overhead."""
HELD_MIN, HELD_MAX = 0.94, 0.97
PROCESSES: Final = 2

ERROR: Final = 0.01
"""The relative standard error of a first repeat from within-repeat variation alone."""
TAIL_ERROR: Final = 0.09
"""The same for the share of operations beyond the p99. It moves the p99 by about twice ``ERROR``, which matches its
precision: that of a p99 may be twice as wide."""
RATE_PER_S: Final = 1e6
LATENCY_NS: Final = lognorm(s=0.5, scale=80_000)
TAIL_SHARE: Final = 0.01
FINE: Final = (0.95, 0.999)
"""Only latencies between these quantiles have their own buckets. All others are in the first or the last of these."""
BATCHES: Final = 30
CAMPAIGN: Final = """
name = "one"
duration = "16s"
warmup = "1s"
[[experiment]]
name = "one"
pattern = "random"
read = 100
block_size = "4KiB"
queue_depth = 8
"""
"""Its first repeats measure for a second, the length for which ``ERROR`` and ``TAIL_ERROR`` are given."""


@dataclass(frozen=True)
class Told:
    """The results of a campaign: whether it met the precision, which intervals contain the true value, and its cost."""

    met: bool
    held: tuple[bool, ...]
    repeats: int
    device_s: float


@dataclass(frozen=True)
class Kept:
    """How many intervals of one figure contain the true value, over the campaigns of one case."""

    ratio: float
    asked: float
    figure: str
    campaigns: int
    met: int
    held: int
    held_of_met: int
    repeats: float
    device_s: float

    @property
    def share(self) -> float:
        """The share of all intervals that contain the true value, whether or not the campaign met the precision."""
        return self.held / self.campaigns

    @property
    def holds(self) -> bool:
        """Whether the share is compatible with a coverage of 94 to 97 %, by two binomial tests."""
        few = binomtest(self.held, self.campaigns, HELD_MIN, alternative="less").pvalue
        many = binomtest(self.held, self.campaigns, HELD_MAX, alternative="greater").pvalue
        return float(min(few, many)) > 0.05 / 2


def kept(campaigns: int = CAMPAIGNS, cases: Sequence[tuple[float, float]] = CASES) -> Iterator[Kept]:
    """Every case, figure by figure."""
    with ProcessPoolExecutor(PROCESSES) as pool:
        for ratio, asked in cases:
            told = list(pool.map(_campaign, [(ratio, asked, seed) for seed in range(campaigns)], chunksize=100))
            for place, figure in enumerate(FIGURES):
                yield Kept(
                    ratio=ratio,
                    asked=asked,
                    figure=figure,
                    campaigns=campaigns,
                    met=sum(found.met for found in told),
                    held=sum(found.held[place] for found in told),
                    held_of_met=sum(found.held[place] for found in told if found.met),
                    repeats=float(np.mean([found.repeats for found in told])),
                    device_s=float(np.mean([found.device_s for found in told])),
                )


def _campaign(job: tuple[float, float, int]) -> Told:
    return campaign_of(*job)


def campaign_of(ratio: float, asked: float, seed: int) -> Told:
    """One campaign. ``ratio`` (the deviation between repeats) and ``asked`` (the precision) are in ``ERROR``."""
    plan, cell = _planned(asked)
    assert plan.aim is not None
    random = np.random.default_rng([seed, round(ratio * 10), round(asked * 10)])
    scheduler, records = AdaptiveScheduler(plan, plan.aim), list[CellRecord]()

    def measure(turn: CellTurn) -> None:
        record = _repeat(timed(cell, turn), turn, ratio, random)
        records.append(record)
        scheduler.take(turn, record)

    for turn in plan.turns:
        measure(turn)
    while (chosen := scheduler.next_turn()) is not None:
        measure(chosen)
    estimate = estimate_cell(cell, records, looked=was_looked_at(plan, records))
    subject = estimate.subject
    assert subject is not None
    truths = (RATE_PER_S, float(LATENCY_NS.mean()), float(LATENCY_NS.ppf(1 - TAIL_SHARE)))
    return Told(
        met=precision_of(estimate, plan.aim.precision_percent).met,
        held=tuple(figure.holds(truth) for figure, truth in zip(figures_of(subject), truths, strict=True)),
        repeats=len(records),
        device_s=sum(record.timing.lasts_ns for record in records) / SECOND_NS,
    )


@cache
def _planned(asked: float) -> tuple[Plan, CellPlan]:
    aim = Aim(precision_percent=100 * ERROR * asked, budget_ns=BUDGET_REPEATS * 1230 * 10**6)
    plan = campaign_plan(
        read_campaign(CAMPAIGN, "one"), TargetInfo(span_bytes=1 << 30, fill=False), quick=False, seed=1, aim=aim
    )
    return plan, plan.cells[0]


def _repeat(cell: CellPlan, turn: CellTurn, ratio: float, random: np.random.Generator) -> CellRecord:
    assert turn.timing is not None
    length_s = turn.timing.measure_ns / SECOND_NS
    shorter = sqrt(1.0 / length_s)
    between, within = random.normal(0, ratio, 3), random.normal(0, shorter, 3)
    told = np.sqrt(random.chisquare(BATCHES - 1, 3) / (BATCHES - 1)) * shorter
    off = between + within
    count = round(RATE_PER_S * length_s * (1 + ERROR * off[0]))
    totals = _totals(
        count, float(LATENCY_NS.mean()) * (1 + ERROR * off[1]), TAIL_SHARE * max(1 + TAIL_ERROR * off[2], 0)
    )
    own = WithinRepeat(
        throughput_error=ERROR * told[0],
        latency_error=ERROR * told[1],
        beyond_error=TAIL_SHARE * TAIL_ERROR * told[2],
        effective=2.0 * BATCHES,
        correlation=0.0,
        warm_up_ns=0,
        settled=True,
        geweke=float(random.normal()),
    )
    return CellRecord(
        cell=cell.cell,
        experiments=cell.experiments,
        repeat=turn.repeat,
        order=turn.order,
        seed=turn.seed,
        workload=cell.workload,
        timing=cell.timing,
        outcome=Outcome.FINISHED,
        failure=None,
        measured_ns=cell.timing.measure_ns,
        operations={Operation.READ: totals},
        warmup={},
        within=own,
    )


@cache
def _shape() -> tuple[tuple[int, ...], np.ndarray, np.ndarray]:
    """The buckets, and in each its share of the operations below the p99 and of those beyond it. Both sum to 1."""
    layout = Layout()
    edge_ns = float(LATENCY_NS.ppf(1 - TAIL_SHARE))
    first, last = (bucket_of(layout, int(LATENCY_NS.ppf(share))) for share in FINE)
    buckets = tuple(range(first, last + 1))
    bounds = np.array([low_and_width(layout, bucket) for bucket in buckets], dtype=np.float64)
    low, high = bounds[:, 0], bounds.sum(axis=1)
    low[0], high[-1] = 0.0, np.inf
    reached = LATENCY_NS.cdf
    below = reached(np.minimum(high, edge_ns)) - reached(np.minimum(low, edge_ns))
    beyond = reached(np.maximum(high, edge_ns)) - reached(np.maximum(low, edge_ns))
    return buckets, below / below.sum(), beyond / beyond.sum()


def _totals(count: int, mean_ns: float, tail_share: float) -> OperationTotals:
    buckets, below, beyond = _shape()
    reached = np.round(np.cumsum(count * ((1 - tail_share) * below + tail_share * beyond))).astype(np.int64)
    counts = np.diff(reached, prepend=0)
    filled = [(bucket, int(number)) for bucket, number in zip(buckets, counts, strict=True) if number]
    low_ns, _ = low_and_width(Layout(), filled[0][0])
    high_ns, width_ns = low_and_width(Layout(), filled[-1][0])
    whole = sum(number for _, number in filled)
    return OperationTotals(
        count=whole,
        bytes=whole * 4096,
        latency_ns_sum=round(whole * mean_ns),
        latency_ns_min=low_ns,
        latency_ns_max=high_ns + width_ns,
        latency=Histogram(
            layout=Layout(), bucket=tuple(each for each, _ in filled), count=tuple(each for _, each in filled)
        ),
    )
