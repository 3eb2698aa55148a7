"""The lab campaign with a requested precision, and with fixed times, on simulated drives.

Fixed times are five repeats of ten seconds per cell. The stopping rule has a budget of a fifth of that device time.
The results of both are compared with one long repeat of every cell. All three begin with an equally preconditioned
drive.
"""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from statistics import median
from typing import Final

from iosonde.analysis.cells import CellEstimate
from iosonde.analysis.experiments import estimate_run
from iosonde.analysis.precision import FIGURES, figures_of, precision_of
from iosonde.campaign import RunRequest, TargetRequest
from iosonde.machine.local_host import LocalHost
from iosonde.plans import CampaignTable, campaign_plan, load_profile
from iosonde.records import Aim, RunRecord
from iosonde.units import SECOND_NS
from iosonde.vocabulary import EngineChoice
from verify.campaigns import measured

MODELS: Final = ("mmc", "mm1", "md1", "sata-dc")
PRECISION_PERCENT: Final = 2.0
REPEATS: Final = 5
DURATION_S: Final = 10
SHARE_MAX: Final = 0.2
BEYOND_MAX: Final = 0.05
TRUTH_S: Final = 1000
SEED: Final = 1
TRUTH_SEED: Final = 900_001
PROCESSES: Final = 2


@dataclass(frozen=True)
class Known:
    """The results of a campaign: throughput, mean latency and p99 by cell, the cells with the precision, its time."""

    figures: Mapping[str, tuple[float | None, ...]]
    met: frozenset[str]
    device_s: float

    def errors(self, truth: "Known") -> dict[tuple[str, int], float]:
        """The relative error of each figure, by cell and position. Omits figures that either campaign lacks."""
        return {
            (cell, place): abs(value / expected - 1)
            for cell, values in self.figures.items()
            for place, (value, expected) in enumerate(zip(values, truth.figures[cell], strict=True))
            if value is not None and expected
        }


@dataclass(frozen=True)
class Spared:
    """Both campaigns on one model. ``met`` cells met the precision. Errors are medians over the figures that both have.

    ``beyond`` is the share of figures whose error exceeds the requested precision. ``met_fixed``, ``error_fixed`` and
    ``beyond_fixed`` are the same for fixed times.
    """

    model: str
    cells: int
    met: int
    met_fixed: int
    device_s: float
    fixed_s: float
    error: float
    error_fixed: float
    beyond: float
    beyond_fixed: float

    @property
    def share(self) -> float:
        """The device time as a share of that of fixed times."""
        return self.device_s / self.fixed_s

    @property
    def known(self) -> bool:
        """Whether all cells met the precision in a fifth of the time, and at most 5 % of the errors exceed it."""
        return self.met == self.cells and self.beyond <= BEYOND_MAX and self.share <= SHARE_MAX

    @property
    def no_larger(self) -> bool:
        """Whether the median error is no larger than that of fixed times."""
        return self.error <= self.error_fixed

    @property
    def holds(self) -> bool:
        """Whether a fifth of the time was enough in both respects."""
        return self.known and self.no_larger


def lab(models: tuple[str, ...] = MODELS) -> Iterator[Spared]:
    """Every model."""
    with ProcessPoolExecutor(PROCESSES) as pool:
        fixed = {model: pool.submit(fixed_times, model) for model in models}
        # The last model is the slowest and takes half of the time, so it starts first.
        truths = {model: pool.submit(truth_of, model) for model in reversed(models)}
        known = {model: pool.submit(until_known, model, SHARE_MAX * fixed[model].result().device_s) for model in models}
        for model in models:
            yield compared(model, truths[model].result(), fixed[model].result(), known[model].result())


def compared(model: str, truth: Known, fixed: Known, known: Known) -> Spared:
    """Compares both campaigns with the true values."""
    errors, errors_fixed = known.errors(truth), fixed.errors(truth)
    both = sorted(errors.keys() & errors_fixed.keys())
    return Spared(
        model=model,
        cells=len(known.figures),
        met=len(known.met),
        met_fixed=len(fixed.met),
        device_s=known.device_s,
        fixed_s=fixed.device_s,
        error=median(errors[each] for each in both),
        error_fixed=median(errors_fixed[each] for each in both),
        beyond=_beyond([errors[each] for each in both]),
        beyond_fixed=_beyond([errors_fixed[each] for each in both]),
    )


def _beyond(errors: Sequence[float]) -> float:
    return sum(each > PRECISION_PERCENT / 100 for each in errors) / len(errors)


def truth_of(model: str) -> Known:
    """One long repeat of every cell."""
    return _told(_measured(model, TRUTH_SEED, _fixed(1, TRUTH_S)))


def fixed_times(model: str) -> Known:
    """Five repeats of ten seconds of every cell."""
    return _told(_measured(model, SEED, _fixed(REPEATS, DURATION_S)))


def until_known(model: str, budget_s: float) -> Known:
    """Every cell until it meets the precision, within a budget."""
    aim = Aim(precision_percent=PRECISION_PERCENT, budget_ns=round(budget_s * SECOND_NS))
    return _told(_measured(model, SEED, load_profile("lab"), aim))


def _fixed(repeats: int, duration_s: int) -> CampaignTable:
    times = {"repeats": repeats, "duration": duration_s * SECOND_NS}
    return load_profile("lab").model_copy(update=times)


def _measured(model: str, seed: int, campaign: CampaignTable, aim: Aim | None = None) -> RunRecord:
    target = TargetRequest(
        (f"sim:{model},seed={seed}",), None, overwrite=False, buffered=False, writes=True, quick=False
    )
    request = RunRequest(
        host=LocalHost(),
        target=target,
        engine=EngineChoice.AUTO,
        plan=lambda ground: campaign_plan(campaign, ground, quick=False, seed=seed, aim=aim),
    )
    return measured(request)


def _told(run: RunRecord) -> Known:
    cells = estimate_run(run).cells
    return Known(
        figures={cell.cell: _figures(cell) for cell in cells},
        met=frozenset(cell.cell for cell in cells if precision_of(cell, PRECISION_PERCENT).met),
        device_s=run.asked_ns / SECOND_NS,
    )


def _figures(cell: CellEstimate) -> tuple[float | None, ...]:
    subject = cell.subject
    if subject is None:
        return (None,) * len(FIGURES)
    return tuple(each.value for each in figures_of(subject))
