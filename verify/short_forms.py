"""Short (PTS-like) forms of standard procedures against the full ones: every reported figure, on simulated drives.

python -m verify.short_forms [--test TEST] [--model MODEL] [--seeds N] [--scale N] [--processes N]

Results are kept by test, model and scale, because a whole comparison takes hours.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from statistics import median
from typing import Final

from iosonde.analysis.procedures import ProcedureRounds, ReportedCell, procedures_of
from iosonde.analysis.procedures.reported import LEVELS, level_name
from iosonde.charts.procedures.styles import mix_name
from iosonde.records import RunRecord, Workload
from iosonde.vocabulary import PhaseRole
from verify.campaigns import measured, profile_request
from verify.kept import RESULTS
from verify.tables import page

WITHIN: Final = 0.03
"""The largest difference of a figure of a short form."""

TIME_SHARE_MAX: Final = 0.1
"""A short form should take at most this part of the device time."""

SEEDS: Final = 20
SCALE: Final = 32
"""The capacity and the times are divided by it. The queue of the largest blocks still fills within a warm-up."""

PROCESSES: Final = 2
SCALED: Final = ("sata-dc", "enterprise-nvme", "client-nvme", "usb-stick", "cloud-burst")
"""The models with a capacity, which is scaled with the times. Others take their real times if no scale is given."""

UNSCALED: Final = ("disk-7200", "fixed", "md1", "mm1", "mmc")
TESTS: Final = ("iops", "tp", "lat", "cbw", "dirth")
KINDS: Final = ("IOPS", "mean latency", *map(level_name, LEVELS), "maximum")
ROLES: Final = (PhaseRole.ROUNDS, PhaseRole.HISTOGRAM, PhaseRole.OPERATING_POINTS)
KEPT: Final = RESULTS / "short-forms.json"
PAGE: Final = RESULTS / "short-forms.md"
Figures = Mapping[tuple[str, ...], float]
"""Values of the report by what they are of: such as 35/65, 8 KiB, 4 x 32, IOPS."""

LEAD: Final = (
    "The short forms of the tests (pts-like-…) against the full ones (pts-…) on simulated drives that are fresh out of "
    "the box. For each kind of figure: the median over all cells of the difference from the full form, the largest "
    f"with its cell, and how many cells differ by more than {WITHIN:.0%}. Differences are between medians over seeds. "
    "Figures that a form does not have, because of too few operations, are not compared. Below a scale of 1:1, "
    "capacity (if the model has one) and times are divided by the scale, but a queue of 128 operations of 1 MiB takes "
    "as long to fill as on the whole drive."
)


@dataclass(frozen=True)
class Form:
    """What one run of a form reports, and how long it keeps the drive busy."""

    figures: Figures
    device_ns: int


@dataclass(frozen=True)
class Differing:
    """How the figures of one kind differ: ``cells`` are those that both forms have, ``beyond`` those out of limits."""

    cells: int
    beyond: int
    median: float
    largest: float
    largest_of: str


@dataclass(frozen=True)
class Compared:
    """A test on a model: its short form against its full form."""

    test: str
    model: str
    scale: int
    seeds: int
    time_share: float
    kinds: Mapping[str, Differing]

    @property
    def key(self) -> tuple[int, str, int]:
        """The order on the page."""
        return (TESTS.index(self.test), self.model, self.scale)

    @property
    def missed(self) -> list[str]:
        """What is not within the limits."""
        missed = [kind for kind, each in self.kinds.items() if each.beyond]
        return [*missed, "device time"] if self.time_share > TIME_SHARE_MAX else missed


def compared(test: str, model: str, *, seeds: int, scale: int, processes: int = PROCESSES) -> Compared:
    """Runs both forms of a test with each seed."""
    jobs = [(model, test, form, seed, scale) for form in ("pts", "pts-like") for seed in range(1, seeds + 1)]
    with ProcessPoolExecutor(processes) as pool:
        forms = list(pool.map(form_of, *zip(*jobs, strict=True)))
    return differences(test, model, forms[:seeds], forms[seeds:], scale=scale)


def form_of(model: str, test: str, form: str, seed: int, scale: int) -> Form:
    """Runs one form of a test."""
    has_capacity = model in SCALED
    target = f"sim:{model},scale={scale}" if has_capacity else f"sim:{model}"
    time_scale = None if has_capacity or scale == 1 else scale
    run = measured(profile_request([target], f"{form}-{test}", seed=seed, time_scale=time_scale))
    figures: dict[tuple[str, ...], float] = {}
    for each in procedures_of(run):
        figures |= _figures(each)
    return Form(figures, device_ns(run))


def device_ns(run: RunRecord) -> int:
    """The time from the first trial to the last one, with preconditioning, on the clock of the drive."""
    first, last = run.cells[0].clock_start, run.cells[-1].clock_end
    assert first is not None, "a simulated drive has a clock"
    assert last is not None, "a simulated drive has a clock"
    return last.engine_ns - first.engine_ns


def differences(test: str, model: str, full: Sequence[Form], short: Sequence[Form], *, scale: int) -> Compared:
    """Compares the medians over the seeds of each figure that all runs have."""
    keys = [key for key in full[0].figures if all(key in each.figures for each in (*full, *short))]
    kinds = {}
    for kind in KINDS:
        found = {
            key: _median(short, key) / _median(full, key) - 1 for key in keys if key[-1] == kind and _median(full, key)
        }
        if found:
            worst = max(found, key=lambda key: abs(found[key]))
            beyond = sum(abs(each) > WITHIN for each in found.values())
            kinds[kind] = Differing(len(found), beyond, median(found.values()), found[worst], " ".join(worst[:-1]))
    share = median(each.device_ns for each in short) / median(each.device_ns for each in full)
    return Compared(test, model, scale, len(full), share, kinds)


def _median(forms: Sequence[Form], key: tuple[str, ...]) -> float:
    return median(each.figures[key] for each in forms)


def _figures(rounds: ProcedureRounds) -> Figures:
    found: dict[tuple[str, ...], float] = {}
    for role in ROLES:
        phase = rounds.of(role)
        for cell in () if phase is None else phase.reported:
            found |= {(*_place(role, cell.workload), kind): value for kind, value in _values(cell).items()}
    return found


def _place(role: PhaseRole, workload: Workload) -> tuple[str, ...]:
    jobs, depth = workload.jobs, workload.queue_depth
    return (role.value.replace("_", " "), mix_name(workload), workload.size_text, f"{jobs} x {depth}")


def _values(cell: ReportedCell) -> dict[str, float]:
    """The figures of a cell that are known. Throughput is IOPS times the block size."""
    every = (cell.iops, cell.latency_ns_mean, *cell.levels_ns, cell.latency_ns_max)
    return {kind: value for kind, value in zip(KINDS, every, strict=True) if value is not None}


def row_of(each: Compared) -> tuple[str, ...]:
    """A test on a model."""
    missed = each.missed
    return (
        each.test,
        f"{each.model} 1:{each.scale}" if each.model in SCALED or each.scale != 1 else each.model,
        str(each.seeds),
        f"{each.time_share:.3f}",
        *(_differing(each.kinds.get(kind)) for kind in KINDS),
        f"NO: {', '.join(missed)}" if missed else "yes",
    )


def _differing(each: Differing | None) -> str:
    if each is None:
        return "-"
    return f"{each.median:+.1%}; {each.largest:+.1%} {each.largest_of}; {each.beyond} of {each.cells}"


def page_of(found: Sequence[Compared]) -> str:
    """All comparisons that are kept."""
    heads = ("test", "model", "seeds", "device time, short / full", *KINDS, "within the limits")
    return page("Short forms of standard procedures", LEAD, heads, map(row_of, found))


def kept() -> list[Compared]:
    """The stored comparisons."""
    stored = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else []
    return [
        Compared(**{**each, "kinds": {kind: Differing(**values) for kind, values in each["kinds"].items()}})
        for each in stored
    ]


def keep(found: Compared) -> None:
    """Stores a comparison in the place of an older one, and writes the page."""
    every = {each.key: each for each in [*kept(), found]}
    ordered = [every[key] for key in sorted(every)]
    KEPT.write_text(json.dumps([asdict(each) for each in ordered], indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page_of(ordered), encoding="utf-8")


def main() -> int:
    """Compares each test on each model, and keeps the results. Returns 1 if a figure is out of limits."""
    parser = argparse.ArgumentParser(prog="python -m verify.short_forms", description=__doc__)
    parser.add_argument("--test", choices=TESTS, help="of the tests only this one")
    parser.add_argument("--model", choices=(*SCALED, *UNSCALED), help="of the models only this one")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument(
        "--scale", type=int, help=f"divides capacity and times (default: {SCALE}, 1 without a capacity)"
    )
    parser.add_argument("--processes", type=int, default=PROCESSES, help="runs at the same time")
    asked = parser.parse_args()
    met = True
    for test, model in _pairs(asked.test, asked.model):
        scale = asked.scale or (SCALE if model in SCALED else 1)
        found = compared(test, model, seeds=asked.seeds, scale=scale, processes=asked.processes)
        keep(found)
        print(" | ".join(row_of(found)), flush=True)
        met = met and not found.missed
    return 0 if met else 1


def _pairs(test: str | None, model: str | None) -> Iterator[tuple[str, str]]:
    for each in (test,) if test else TESTS:
        yield from ((each, name) for name in ((model,) if model else (*SCALED, *UNSCALED)))


if __name__ == "__main__":
    sys.exit(main())
