"""Compare with what is known, print it and keep it.

python -m verify [models] [same-bits] [closed-forms] [knee] [rates] [real-time]
                 [coverage] [repeats] [differing] [regimes] [mechanisms] [lab]
                 [fast-preconditioning] [steady-rounds] [tables]
                 [--long] [--model NAME] [--engine NAME=PATH]

An engine for another kind of CPU may be a script that runs it in an emulator.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar

from iosonde.plans.models import model_names
from verify.closed_forms import QUEUES, compare
from verify.coverage import coverage as cover
from verify.differing import differing as change
from verify.fast_preconditioning import prepared
from verify.fast_preconditioning_page import prepared_page, prepared_row
from verify.kept import RESULTS, keep_closed_forms, keep_models
from verify.kept_rounds import keep as keep_rounds
from verify.knee import find_knees
from verify.lab import lab as campaigns
from verify.mechanisms import holds as enough_are_right
from verify.mechanisms import named_mechanisms
from verify.models import measure_model
from verify.rates import RATES_PER_S, delivered
from verify.real_time import answered
from verify.regimes import regimes as look
from verify.repeats import kept as differ
from verify.same_bits import BUILDS, KEPT, compare_builds
from verify.steady_rounds import DRIVES, steady_rounds_row
from verify.steady_rounds import steady_rounds as judge
from verify.tables import (
    TABLES,
    answered_row,
    closed_form_row,
    coverage_page,
    covered_row,
    delivered_row,
    differing_page,
    differing_row,
    kept_row,
    knee_page,
    knee_row,
    lab_page,
    looked_row,
    mechanisms_page,
    model_rows,
    named_row,
    rates_page,
    real_time_page,
    regimes_page,
    repeats_page,
    same_bits_page,
    same_bits_row,
    spared_row,
)

NAMES: Final = (
    *("models", "same-bits", "closed-forms", "knee", "rates", "real-time", "coverage"),
    *("repeats", "differing", "regimes", "mechanisms", "lab"),
    *("fast-preconditioning", "steady-rounds"),
    "tables",
)
LOADS: Final = ((0.5, 10**6), (0.8, 10**7))
LONG: Final = ((0.95, 10**8),)
Found = TypeVar("Found")


def closed_forms(*, long: bool) -> bool:
    """Every queue at every load. True if every interval contains the value from theory."""
    loads = (*LOADS, *(LONG if long else ()))
    found = [
        _shown(each, closed_form_row)
        for load, arrivals in loads
        for queue in QUEUES
        for each in compare(queue, load, arrivals)
    ]
    keep_closed_forms(found)
    return all(each.holds for each in found)


def models(names: list[str]) -> None:
    """Every cell of these models, compared with its source. A difference has a reason and is not a failure."""
    for name in names:
        measured = measure_model(name)
        for row in model_rows(measured):
            print(" | ".join(row), flush=True)
        keep_models([measured])


def same_bits(others: Mapping[str, Path]) -> bool:
    """Every shipped model on engines from several builds. True if all produce the same bits."""
    found = {}
    for model, digits in compare_builds(others):
        found[model] = digits
        print(" | ".join(same_bits_row(model, digits)), flush=True)
    _keep("same-bits.md", same_bits_page(found, ("installed", *BUILDS, *others)))
    kept = {model: digits["installed"] for model, digits in found.items() if len(set(digits.values())) == 1}
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return len(kept) == len(model_names())


def knee() -> bool:
    """Sweeps over queues with a known knee. True if each finds it within one step, or says why there is none."""
    found = [_shown(each, knee_row) for each in find_knees()]
    _keep("knee.md", knee_page(found))
    return all(each.holds for each in found)


def rates() -> bool:
    """Every arrival rate in real time. True if each is achieved within half a percent. Needs an idle CPU."""
    found = [_shown(each, delivered_row) for each in delivered()]
    _keep("rates.md", rates_page(found))
    return len(found) == 2 * len(RATES_PER_S) and all(each.holds for each in found)


def real_time() -> bool:
    """One server in real time. True if mean and p99 are within 2 % of theory. Needs an idle CPU."""
    found = [_shown(each, answered_row) for each in answered()]
    _keep("real-time.md", real_time_page(found))
    return all(each.holds for each in found)


def coverage() -> bool:
    """Campaigns with a requested precision. True if the intervals contain the true value as often as they should."""
    found = [_shown(each, covered_row) for each in cover()]
    _keep("coverage.md", coverage_page(found))
    return all(each.holds for each in found)


def repeats() -> bool:
    """Synthetic campaigns whose repeats differ. True if the coverage of the intervals is 94 to 97 %."""
    found = [_shown(each, kept_row) for each in differ()]
    _keep("repeats.md", repeats_page(found))
    return all(each.holds for each in found)


def differing() -> bool:
    """The same through the engine. True if the results are compatible with a coverage of 95 %."""
    found = [_shown(each, differing_row) for each in change()]
    _keep("differing.md", differing_page(found))
    return all(each.holds for each in found)


def regimes() -> bool:
    """Regime changes. True if every change is found, and hardly any where nothing changes."""
    found = [_shown(each, looked_row) for each in look()]
    _keep("regimes.md", regimes_page(found))
    return all(each.holds for each in found)


def mechanisms() -> bool:
    """Explanations of drives with known mechanisms. True if the right one is named often enough."""
    found = [_shown(each, named_row) for each in named_mechanisms()]
    _keep("mechanisms.md", mechanisms_page(found))
    return enough_are_right(found)


def lab() -> bool:
    """The lab campaign with a requested precision. True if it is as good as fixed times, in a fifth of the time."""
    found = [_shown(each, spared_row) for each in campaigns()]
    _keep("lab.md", lab_page(found))
    return all(each.holds for each in found)


def fast_preconditioning() -> bool:
    """Fast preconditioning and long. True if the drives are in the same state, whatever was assumed."""
    found = [_shown(each, prepared_row) for each in prepared()]
    _keep("fast-preconditioning.md", prepared_page(found))
    return all(each.holds for each in found)


def steady_rounds(model: str | None) -> bool:
    """Rounds until steady state. True if each seed is found steady within one round of the mean of all."""
    drives = [each for each in DRIVES if model in (None, each.model)]
    found = [_shown(each, steady_rounds_row) for each in judge(drives=drives)]
    keep_rounds(found)
    return all(each.holds for each in found)


def tables() -> None:
    """Writes the Markdown tables of models and closed forms from the stored values."""
    for name, text in TABLES.items():
        _keep(name, text())


def _shown(each: Found, row_of: Callable[[Found], Sequence[str]]) -> Found:
    """Prints a result as soon as it is available, and returns it."""
    print(" | ".join(row_of(each)), flush=True)
    return each


def _keep(name: str, text: str) -> None:
    (RESULTS / name).write_text(text, encoding="utf-8")


def _engine(text: str) -> tuple[str, Path]:
    name, found, path = text.partition("=")
    if not found or not Path(path).is_file():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=PATH of an engine")
    return name, Path(path)


def main() -> int:
    """Parses the command line and runs the comparisons. Returns 1 if one of them fails."""
    parser = argparse.ArgumentParser(prog="python -m verify", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *NAMES], metavar="NAME", help="of the comparisons only these")
    parser.add_argument("--engine", action="append", default=[], type=_engine, help="NAME=PATH: one more for same-bits")
    parser.add_argument("--long", action="store_true", help="the load of 95 %% as well, which takes an hour")
    parser.add_argument("--model", choices=model_names(), help="of the models only this one")
    asked = parser.parse_args()
    before = time.monotonic()
    wanted = asked.names or NAMES
    if "models" in wanted:
        models([asked.model] if asked.model else list(model_names()))
    met = [same_bits(dict(asked.engine))] if "same-bits" in wanted else []
    met += [closed_forms(long=asked.long)] if "closed-forms" in wanted else []
    met += [knee()] if "knee" in wanted else []
    met += [rates()] if "rates" in wanted else []
    met += [real_time()] if "real-time" in wanted else []
    met += [coverage()] if "coverage" in wanted else []
    met += [repeats()] if "repeats" in wanted else []
    met += [differing()] if "differing" in wanted else []
    met += [regimes()] if "regimes" in wanted else []
    met += [mechanisms()] if "mechanisms" in wanted else []
    met += [lab()] if "lab" in wanted else []
    met += [fast_preconditioning()] if "fast-preconditioning" in wanted else []
    met += [steady_rounds(asked.model)] if "steady-rounds" in wanted else []
    tables()
    print(f"{time.monotonic() - before:.0f} s", file=sys.stderr)
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
