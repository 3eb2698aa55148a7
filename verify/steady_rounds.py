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
STATIONARY: Final = ("fixed", "mm1", "mmc")
"""Models without a state: they are steady from the first round on, so the first window of five is steady."""

STATIONARY_ROUND: Final = 5


@dataclass(frozen=True)
class Drive:
    """A model, and what its capacity and all times are divided by; a model without a state has no capacity."""

    model: str
    scale: int

    def __str__(self) -> str:
        return f"{self.model} 1:{self.scale}"

    @property
    def is_stationary(self) -> bool:
        """Whether it has no state."""
        return self.model in STATIONARY

    @property
    def target(self) -> str:
        """Its name as a target."""
        return f"sim:{self.model}" if self.is_stationary else f"sim:{self.model},scale={self.scale}"

    @property
    def time_scale(self) -> int | None:
        """What only times are divided by; None if they follow the capacity."""
        return self.scale if self.is_stationary else None


DRIVES: Final = (
    Drive("sata-dc", 300),
    Drive("enterprise-nvme", 1000),
    Drive("client-nvme", 300),
    Drive("client-nvme", 100),
    Drive("usb-stick", 30),
    Drive("usb-stick", 1),
    Drive("cloud-burst", 300),
    *(Drive(model, 300) for model in STATIONARY),
)
"""At these scales a test takes about a minute. Where its cells are too short, a larger scale is included as well."""


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
    """The round in which each seed of a drive is found steady in a test, and that of the mean of all seeds.

    None is not found within all rounds. ``stopped`` is the round in which the shipped procedure ended with the first
    seed. The figures are of one of the test's procedures.
    """

    drive: Drive
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
        is_first = not self.drive.is_stationary or self.of_mean == STATIONARY_ROUND
        return self.near == len(self.of_seeds) and stops_there and is_first


Variables = Sequence[NDArray[np.float64]]
"""The tracking variables of a run, with a value for each round."""

Tracked = dict[str, list[NDArray[np.float64]]]
"""For each procedure of a test, the values of its tracking variables in each round."""


def steady_rounds(
    tests: Sequence[str] = TESTS, drives: Sequence[Drive] = DRIVES, seeds: int = SEEDS
) -> Iterator[FoundRounds]:
    """Each test on each drive."""
    pairs = [(drive, test) for test in tests for drive in drives]
    jobs = [(drive, test, seed) for drive, test in pairs for seed in range(1, seeds + 1)]
    with ProcessPoolExecutor(PROCESSES) as pool:
        every = zip(jobs, pool.map(tracked_rounds, *zip(*jobs, strict=True)), strict=True)
        for (drive, test), group in groupby(every, key=lambda each: each[0][:2]):
            found = [values for _, values in group]
            ends = stopped_rounds(drive, test, seed=1)
            for procedure, end in ends.items():
                yield found_rounds(drive, procedure, [each[procedure] for each in found], end)


def found_rounds(drive: Drive, procedure: str, series: Sequence[Variables], stopped: int) -> FoundRounds:
    """The rounds of each seed and of the mean. ``series`` has the tracking variables of each seed."""
    mean = [np.mean(variable, axis=0) for variable in zip(*series, strict=True)]
    of_mean, of_seeds = _reached(mean), tuple(map(_reached, series))
    far = {each for each in of_seeds if each is not None and (of_mean is None or abs(each - of_mean) > 1)}
    # A seed that is found later was judged differently in the true round.
    rounds = sorted({each if of_mean is None else min(each, of_mean) for each in far})
    edges = tuple(_edge(each, mean, series) for each in rounds)
    return FoundRounds(drive, procedure, of_mean, of_seeds, stopped, edges)


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


def tracked_rounds(drive: Drive, test: str, seed: int) -> Tracked:
    """The values of ``ROUNDS`` rounds, whether they are steady or not."""
    text = shipped_text(PACKAGE, f"pts-{test}")
    heading = "[procedure.phase.steady]\n"
    assert heading in text, "the test has rounds"
    # A window of as many rounds as there may be ends with the last of them in any case.
    longer = text.replace(heading, f"{heading}window = {ROUNDS}\nrounds_max = {ROUNDS}\n")
    with TemporaryDirectory() as folder:
        file = Path(folder) / "longer.toml"
        file.write_text(longer, encoding="utf-8")
        return _tracked(drive, str(file), seed)


def stopped_rounds(drive: Drive, test: str, seed: int) -> dict[str, int]:
    """The last round of each procedure of a test, as it is shipped."""
    return {name: len(values[0]) for name, values in _tracked(drive, f"pts-{test}", seed).items()}


def _tracked(drive: Drive, profile: str, seed: int) -> Tracked:
    run = measured(profile_request([drive.target], profile, seed=seed, time_scale=drive.time_scale))
    found: Tracked = {}
    for each in procedures_of(run):
        phase = each.judged
        assert phase is not None, "the procedure has tracking variables"
        found[each.procedure.name] = [phase.series(one.cell, one.quantity) for one in phase.tracked]
    return found


def steady_rounds_row(each: FoundRounds) -> tuple[str, ...]:
    """A drive in a procedure."""
    counts = sorted(Counter(each.of_seeds).items(), key=lambda pair: pair[0] or ROUNDS + 1)
    return (
        each.procedure,
        str(each.drive),
        _round(each.of_mean),
        ", ".join(f"{_round(number)} ({count})" for number, count in counts),
        f"{each.near} of {len(each.of_seeds)}",
        f"{each.stopped}",
        "yes" if each.holds else "NO",
    )


def edge_sentences(found: Sequence[FoundRounds]) -> str:
    """Why rounds are found too far from the true one, in figures; empty if none is."""
    said = [
        f"{each.procedure} on {each.drive}, round {edge.round}: range {_three(edge.ranges)}, limit 20 %; best-fit line "
        f"{_three(edge.lines)}, limit 10 %."
        for each in found
        for edge in each.edges
    ]
    lead = "Rounds in which a limit lies among the figures of single seeds, so that they are found too far off:"
    return " ".join(["", lead, *said]) if said else ""


def _three(values: tuple[float, float, float]) -> str:
    """A figure of the mean, and those of single seeds."""
    return f"{values[0]:.1%} (seeds {values[1]:.1%} to {values[2]:.1%})"


def _round(number: int | None) -> str:
    return f"not within {ROUNDS}" if number is None else str(number)


def steady_rounds_page(found: Sequence[FoundRounds]) -> str:
    """All drives and tests."""
    return page(
        "Rounds until steady state",
        f"Tests of the SNIA PTS on simulated drives, {ROUNDS} rounds each with {SEEDS} seeds. The true round is the "
        "first at which the criterion holds for the means of all seeds. A test finds it if all seeds are steady at "
        f"most one round before or after it; models without a state ({', '.join(STATIONARY)}) must be steady in round "
        f"{STATIONARY_ROUND}. The shipped procedure must end in the round found for the same seed. Capacity and times "
        f"are divided by the number after the model. The shorter the cells, the fewer operations each "
        f"value is a mean of, and the more it differs among seeds: see the larger scales.{edge_sentences(found)}",
        ("procedure", "model", "true round", "rounds found (seeds)", "within one round", "procedure ended", "found"),
        map(steady_rounds_row, found),
    )
