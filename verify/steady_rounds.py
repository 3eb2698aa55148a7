"""The round in which procedures find steady state, against the round in which the mean of many drives reaches it."""

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iosonde.analysis.procedures import procedures_of
from iosonde.analysis.series.steady import SNIA, judge_steadiness, window_figures
from iosonde.plans.procedure_files import PACKAGE
from iosonde.plans.shipped_files import shipped_text
from verify.campaigns import measured, profile_request
from verify.tables import page

SEEDS: Final = 30
ROUNDS: Final = 20
PROCESSES: Final = 2
TESTS: Final = ("iops", "lat", "tp")
SCALES: Final = {"sata-dc": 300, "enterprise-nvme": 1000, "client-nvme": 300, "usb-stick": 30, "cloud-burst": 300}
"""The models whose capacity can be scaled, with their scale."""

STATIONARY: Final = ("fixed", "mm1", "mmc")
"""Models without a state: they are steady from the first round on, so the first window of five is steady."""

TIME_SCALE: Final = 300
"""Divides the times of models that have no capacity to scale."""

STATIONARY_ROUND: Final = 5


@dataclass(frozen=True)
class Edge:
    """A round in which the criterion holds for some seeds, but not for the mean of all seeds, or the reverse.

    ``ranges`` and ``lines`` are the range and the change of the best-fit line of the least steady tracking variable, as
    shares of its mean: of the mean of all seeds, then the minimum and maximum of the seeds.
    """

    round: int
    ranges: tuple[float, float, float]
    lines: tuple[float, float, float]


@dataclass(frozen=True)
class FoundRounds:
    """The round in which each seed of a model is found steady in a test, and that of the mean of all seeds.

    None is not found within all rounds. ``stopped`` is the round in which the shipped procedure ended with the first
    seed. The figures are of one of the test's procedures.
    """

    model: str
    procedure: str
    of_mean: int | None
    of_seeds: tuple[int | None, ...]
    stopped: int
    edges: tuple[Edge, ...] = ()

    @property
    def near(self) -> int:
        """The number of seeds that are found steady within one round of the true one."""
        return sum(
            each == self.of_mean or (each is not None and self.of_mean is not None and abs(each - self.of_mean) <= 1)
            for each in self.of_seeds
        )

    @property
    def holds(self) -> bool:
        """Whether all seeds are, the procedure ends as they are judged, and a model without a state at round 5."""
        stops_there = self.stopped == (self.of_seeds[0] or self.stopped)
        is_first = self.model not in STATIONARY or self.of_mean == STATIONARY_ROUND
        return self.near == len(self.of_seeds) and stops_there and is_first


Variables = Sequence[NDArray[np.float64]]
"""The tracking variables of a run, with a value for each round."""

Tracked = dict[str, list[NDArray[np.float64]]]
"""For each procedure of a test, the values of its tracking variables in each round."""


def steady_rounds(
    tests: Sequence[str] = TESTS, models: Sequence[str] = (*SCALES, *STATIONARY), seeds: int = SEEDS
) -> Iterator[FoundRounds]:
    """Each test on each model."""
    pairs = [(model, test) for test in tests for model in models]
    jobs = [(model, test, seed) for model, test in pairs for seed in range(1, seeds + 1)]
    with ProcessPoolExecutor(PROCESSES) as pool:
        every = zip(jobs, pool.map(tracked_rounds, *zip(*jobs, strict=True)), strict=True)
        for (model, test), group in groupby(every, key=lambda each: each[0][:2]):
            found = [values for _, values in group]
            ends = stopped_rounds(model, test, seed=1)
            for procedure, end in ends.items():
                yield found_rounds(model, procedure, [each[procedure] for each in found], end)


def found_rounds(model: str, procedure: str, series: Sequence[Variables], stopped: int) -> FoundRounds:
    """The rounds of each seed and of the mean. ``series`` has the tracking variables of each seed."""
    mean = [np.mean(variable, axis=0) for variable in zip(*series, strict=True)]
    of_mean, of_seeds = _reached(mean), tuple(map(_reached, series))
    far = {each for each in of_seeds if each is not None and (of_mean is None or abs(each - of_mean) > 1)}
    # A seed that is found later was judged differently in the true round.
    rounds = sorted({each if of_mean is None else min(each, of_mean) for each in far})
    edges = tuple(_edge(each, mean, series) for each in rounds)
    return FoundRounds(model, procedure, of_mean, of_seeds, stopped, edges)


def _edge(last: int, mean: Variables, series: Sequence[Variables]) -> Edge:
    """The figures of the window that ends with a round."""
    windows = [[window_figures(each[last - SNIA.window : last]) for each in one] for one in (mean, *series)]
    ranges = [max(each.range_share for each in one) for one in windows]
    lines = [max(each.excursion_share for each in one) for one in windows]
    return Edge(last, _with_limits(ranges), _with_limits(lines))


def _with_limits(values: Sequence[float]) -> tuple[float, float, float]:
    """The value of the mean, which comes first, and the minimum and maximum of the seeds."""
    return values[0], min(values[1:]), max(values[1:])


def _reached(variables: Variables) -> int | None:
    named = {str(number): values for number, values in enumerate(variables)}
    return judge_steadiness(named, SNIA).reached


def tracked_rounds(model: str, test: str, seed: int) -> Tracked:
    """The values of ``ROUNDS`` rounds, whether they are steady or not."""
    text = shipped_text(PACKAGE, f"pts-{test}")
    heading = "[procedure.phase.steady]\n"
    assert heading in text, "the test has rounds"
    # A window of as many rounds as there may be ends with the last of them in any case.
    longer = text.replace(heading, f"{heading}window = {ROUNDS}\nrounds_max = {ROUNDS}\n")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "longer.toml"
        file.write_text(longer, encoding="utf-8")
        return _tracked(model, str(file), seed)


def stopped_rounds(model: str, test: str, seed: int) -> dict[str, int]:
    """The last round of each procedure of a test, as it is shipped."""
    return {name: len(values[0]) for name, values in _tracked(model, f"pts-{test}", seed).items()}


def _tracked(model: str, profile: str, seed: int) -> Tracked:
    target = f"sim:{model},scale={SCALES[model]}" if model in SCALES else f"sim:{model}"
    scale = None if model in SCALES else TIME_SCALE
    run = measured(profile_request([target], profile, seed=seed, time_scale=scale))
    found: Tracked = {}
    for each in procedures_of(run):
        phase = each.judged
        assert phase is not None, "the procedure has tracking variables"
        found[each.procedure.name] = [phase.series(one.cell, one.quantity) for one in phase.tracked]
    return found


def steady_rounds_row(each: FoundRounds) -> tuple[str, ...]:
    """A model in a procedure."""
    counts = sorted(Counter(each.of_seeds).items(), key=lambda pair: pair[0] or ROUNDS + 1)
    return (
        each.procedure,
        f"{each.model} 1:{SCALES.get(each.model, TIME_SCALE)}",
        _round(each.of_mean),
        ", ".join(f"{_round(number)} ({count})" for number, count in counts),
        f"{each.near} of {len(each.of_seeds)}",
        f"{each.stopped}",
        "yes" if each.holds else "NO",
    )


def edge_sentences(found: Sequence[FoundRounds]) -> str:
    """Why rounds are found too far from the true one, in figures; empty if none is."""
    said = [
        f"{each.procedure} on {each.model}, round {edge.round}: range {_three(edge.ranges)}, limit 20 %; best-fit line "
        f"{_three(edge.lines)}, limit 10 %."
        for each in found
        for edge in each.edges
    ]
    lead = "Rounds in which a limit lies among the figures of single seeds, so that they are found too far off:"
    return " ".join(["", lead, *said]) if said else ""


def _apart(found: Sequence[FoundRounds]) -> str:
    """Why the mean of all seeds is no measure of some models."""
    if all(each.holds for each in found if each.model == "client-nvme"):
        return ""
    return (
        " On client-nvme, the SLC cache of each drive is full in some rounds and empty in others, at its own times. "
        "The mean of all seeds averages that out, and says nothing about a single drive."
    )


def _three(values: tuple[float, float, float]) -> str:
    """A figure of the mean, and those of single seeds."""
    return f"{values[0]:.1%} (seeds {values[1]:.1%} to {values[2]:.1%})"


def _round(number: int | None) -> str:
    return f"not within {ROUNDS}" if number is None else str(number)


def steady_rounds_page(found: Sequence[FoundRounds]) -> str:
    """All models and tests."""
    return page(
        "Rounds until steady state",
        f"Tests of the SNIA PTS on simulated drives, {ROUNDS} rounds each with {SEEDS} seeds. The true round is the "
        "first at which the criterion holds for the means of all seeds. A test finds it if all seeds are steady at "
        f"most one round before or after it; models without a state ({', '.join(STATIONARY)}) must be steady in round "
        f"{STATIONARY_ROUND}. The shipped procedure must end in the round found for the same seed. Capacity and times "
        f"are divided by the number after the model.{edge_sentences(found)}{_apart(found)}",
        ("procedure", "model", "true round", "rounds found (seeds)", "within one round", "procedure ended", "found"),
        map(steady_rounds_row, found),
    )
