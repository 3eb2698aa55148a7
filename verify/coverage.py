"""The coverage of intervals after the stopping rule has ended a campaign.

A campaign of one cell measures until throughput, mean latency and p99 have a precision of 2 % (5 % for open loops,
whose waiting times are correlated over a long time). Its intervals are then compared with the result of a run of
1,000 s from the same state. Each run has its own seed, for the drive and for the campaign, so that runs share only
the model.
"""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Final

from scipy.stats import binomtest

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.precision import FIGURES, figures_of, precision_of
from iosonde.figures import Figure
from iosonde.units import SECOND_NS
from verify.campaigns import run_one_cell

BUDGET: Final = "20m"
TRUTH: Final = "1000s"
COVERED_MIN: Final = 0.92
COVERED_MAX: Final = 0.98
TRUTH_SEEDS: Final = (900_001,)
PROCESSES: Final = 2


@dataclass(frozen=True)
class Case:
    """A workload on a model, and its number of runs."""

    model: str
    what: str
    keys: str
    runs: int
    precision_percent: float = 2.0


CASES: Final = (
    Case("mmc", "closed loop, queue depth 8", "queue_depth = 8", 150),
    Case("mm1", "closed loop, queue depth 2", "queue_depth = 2", 150),
    Case("mm1", "open loop, 60 % load", 'queue_depth = 4096\nrate = "6k"', 100, 5.0),
    Case("md1", "open loop, 70 % load", 'queue_depth = 4096\nrate = "7k"', 100, 5.0),
    Case("sata-dc", "random reads, depth 8", "queue_depth = 8", 60),
    Case("client-nvme", "random reads, depth 4", "queue_depth = 4", 60),
)


@dataclass(frozen=True)
class Told:
    """The results of a run: throughput, mean latency and p99, whether all met the precision, and the device time."""

    figures: tuple[Figure, ...]
    met: bool
    device_s: float


@dataclass(frozen=True)
class Covered:
    """How many intervals of one figure contain the true value, among the runs that met the precision."""

    case: Case
    figure: str
    truth: float
    runs: int
    met: int
    held: int
    error_median: float
    device_s_median: float

    @property
    def share(self) -> float:
        """The share of intervals that contain the true value."""
        return self.held / self.met if self.met else 0.0

    @property
    def holds(self) -> bool:
        """Whether the share is compatible with a coverage of 92 to 98 %, by two binomial tests."""
        if not self.met:
            return False
        few = binomtest(self.held, self.met, COVERED_MIN, alternative="less").pvalue
        many = binomtest(self.held, self.met, COVERED_MAX, alternative="greater").pvalue
        return float(min(few, many)) > 0.05 / 2


def coverage(cases: tuple[Case, ...] = CASES) -> Iterator[Covered]:
    """Every case, figure by figure."""
    for case in cases:
        truth = _truth(case)
        with ProcessPoolExecutor(PROCESSES) as pool:
            told = list(pool.map(partial(run_to_precision, case), range(1, case.runs + 1)))
        met = [each for each in told if each.met]
        for place, figure in enumerate(FIGURES):
            yield Covered(
                case=case,
                figure=figure,
                truth=truth[place],
                runs=len(told),
                met=len(met),
                held=sum(each.figures[place].holds(truth[place]) for each in met),
                error_median=median(abs(_value(each.figures[place]) / truth[place] - 1) for each in told),
                device_s_median=median(each.device_s for each in told),
            )


def run_to_precision(case: Case, seed: int) -> Told:
    """One run, which ends when it meets the precision, or when its budget is spent."""
    aim = f'precision = "{case.precision_percent:g}%"\nbudget = "{BUDGET}"\nduration = "10s"\nwarmup = "1s"\n'
    cell, spent_s = _measured(case, seed, aim)
    assert cell.subject is not None, "a model answers"
    return Told(figures_of(cell.subject), precision_of(cell, case.precision_percent).met, spent_s)


def _truth(case: Case) -> tuple[float, ...]:
    """The mean over long runs. No short run has one of their seeds."""
    found = []
    for seed in TRUTH_SEEDS:
        cell, _ = _measured(case, seed, f'repeats = 1\nduration = "{TRUTH}"\nwarmup = "1s"\n')
        assert cell.subject is not None, "a model answers"
        found.append([_value(each) for each in figures_of(cell.subject)])
    return tuple(sum(each) / len(each) for each in zip(*found, strict=True))


def _value(figure: Figure) -> float:
    assert figure.value is not None, "so many operations have a p99"
    return figure.value


def _measured(case: Case, seed: int, head: str) -> tuple[CellEstimate, float]:
    run = run_one_cell(f"sim:{case.model},seed={seed}", case.keys, seed, head=head)
    return estimate_run(run).cells[0], run.asked_ns / SECOND_NS
