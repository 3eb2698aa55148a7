"""Short (PTS-like) forms of standard procedures against the full ones: every reported figure, on simulated drives.

python -m verify.short_forms [--test TEST] [--model MODEL] [--seeds N] [--scale N] [--processes N]
    [--store FOLDER]

Results are kept by test, model and scale, because a whole comparison takes hours. With --store, the figures of each
run are kept too, and an interrupted comparison continues where it was. Runs of another version do not belong there.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final

from verify.forms import DISKS, KINDS, SCALED, UNSCALED, Form, Job, form_of
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
TESTS: Final = ("iops", "tp", "lat", "cbw", "dirth")
KEPT: Final = RESULTS / "short-forms.json"
PAGE: Final = RESULTS / "short-forms.md"
LEAD: Final = (
    "The short forms of the tests (pts-like-…) against the full ones (pts-…) on simulated drives that are fresh out of "
    "the box. For each kind of figure: the median over all cells of the difference from the full form, the largest "
    f"with its cell, and how many cells differ by more than {WITHIN:.0%}. Differences are between medians over seeds. "
    "Figures that a form does not have, because of too few operations, are not compared. Below a scale of 1:1, "
    "capacity (of the disk: the part that is measured) and times are divided by the scale, but a queue of 128 "
    "operations of 1 MiB takes as long to fill as on the whole drive."
)


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


def compared(  # noqa: PLR0913 - all but two are by name
    test: str, model: str, *, seeds: int, scale: int, processes: int = PROCESSES, store: Path | None = None
) -> Compared:
    """Runs both forms of a test with each seed."""
    jobs = [Job(model, test, form, seed, scale) for form in ("pts", "pts-like") for seed in range(1, seeds + 1)]
    with ProcessPoolExecutor(processes) as pool:
        forms = list(pool.map(partial(form_of, store=store), jobs))
    return differences(test, model, forms[:seeds], forms[seeds:], scale=scale)


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
    parser.add_argument("--model", choices=(*SCALED, *DISKS, *UNSCALED), help="of the models only this one")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument(
        "--scale", type=int, help=f"divides capacity and times (default: {SCALE}, 1 without a capacity)"
    )
    parser.add_argument("--processes", type=int, default=PROCESSES, help="runs at the same time")
    parser.add_argument("--store", type=Path, help="an existing folder in which the figures of each run are stored")
    asked = parser.parse_args()
    met = True
    for test, model in _pairs(asked.test, asked.model):
        scale = asked.scale or (1 if model in UNSCALED else SCALE)
        found = compared(test, model, seeds=asked.seeds, scale=scale, processes=asked.processes, store=asked.store)
        keep(found)
        print(" | ".join(row_of(found)), flush=True)
        met = met and not found.missed
    return 0 if met else 1


def _pairs(test: str | None, model: str | None) -> Iterator[tuple[str, str]]:
    for each in (test,) if test else TESTS:
        yield from ((each, name) for name in ((model,) if model else (*SCALED, *DISKS, *UNSCALED)))


if __name__ == "__main__":
    sys.exit(main())
