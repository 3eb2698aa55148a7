"""Compare with what is known, print it and keep it.

python -m verify [models] [same-bits] [closed-forms] [rates] [real-time]
                 [tables] [--long] [--model NAME] [--engine NAME=PATH]

An engine for another kind of CPU may be a script that runs it in an emulator.
"""

import argparse
import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from iosonde.plans.models import model_names
from iosonde.units import format_latency
from verify.closed_forms import QUEUES, compare
from verify.kept import RESULTS, ClosedForm, keep_closed_forms, keep_models
from verify.models import measure_model
from verify.rates import RATES_PER_S, SECONDS, delivered
from verify.real_time import LOAD, SERVICE_NS, answered
from verify.real_time import SECONDS as SERVED_S
from verify.same_bits import BUILDS, JOBS, KEPT, compare_builds
from verify.tables import TABLES, closed_form_row, model_rows

NAMES: Final = ("models", "same-bits", "closed-forms", "rates", "real-time", "tables")
LOADS: Final = ((0.5, 10**6), (0.8, 10**7))
LONG: Final = ((0.95, 10**8),)


def closed_forms(*, long: bool) -> bool:
    """Every queue at every load; True when every interval holds."""
    found: list[ClosedForm] = []
    for load, arrivals in (*LOADS, *(LONG if long else ())):
        for queue in QUEUES:
            for each in compare(queue, load, arrivals):
                found.append(each)
                print(" | ".join(closed_form_row(each)), flush=True)
    keep_closed_forms(found)
    return all(each.holds for each in found)


def models(names: list[str]) -> None:
    """Every cell of these models beside its source. What differs says why, and is no failure."""
    for name in names:
        measured = measure_model(name)
        for row in model_rows(measured):
            print(" | ".join(row), flush=True)
        keep_models([measured])


def same_bits(others: Mapping[str, Path]) -> bool:
    """Every shipped model on engines from several builds; True when all of them give the same bits."""
    names = ("installed", *BUILDS, *others)
    lines = [
        "# The same bits from every build",
        "",
        f"What a new drive gives under {len(JOBS)} jobs, intervals and histograms and all, hashed. The installed",
        "engine is optimised whole; debug is not optimised at all, native is for this machine's CPU, small for size.",
        "",
        f"| model | {' | '.join(names)} | same |",
        f"|---|{'---|' * len(names)}---|",
    ]
    kept = {}
    for model, digits in compare_builds(others):
        if len(set(digits.values())) == 1:
            kept[model] = digits["installed"]
        line = f"| sim:{model} | {' | '.join(digits.values())} | {'yes' if model in kept else 'NO'} |"
        lines.append(line)
        print(line, flush=True)
    (RESULTS / "same-bits.md").write_text("\n".join([*lines, ""]), encoding="utf-8")
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    return len(kept) == len(model_names())


def rates() -> bool:
    """Every rate in real time; True when each is within half a percent. Needs a CPU that nobody else wants."""
    lines = [
        "# Rates in real time",
        "",
        f"Open loops on the null ring, {SECONDS} s each after one of warm-up: what was asked for, and what came. Own",
        "lag is how late the engine submitted what was wanted; a host that others use shows there.",
        "",
        "| arrivals | asked, operations/s | given, operations/s | off by | own lag, mean | own lag, max | holds |",
        "|---|---|---|---|---|---|---|",
    ]
    found = list(delivered())
    for each in found:
        line = (
            f"| {each.arrivals} | {each.asked_per_s:,} | {each.given_per_s:,.0f} | {each.off:+.3%} "
            f"| {format_latency(each.own_lag_ns_mean)} | {format_latency(each.own_lag_ns_max)} "
            f"| {'yes' if each.holds else 'NO'} |"
        )
        lines.append(line)
        print(line, flush=True)
    (RESULTS / "rates.md").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return len(found) == 2 * len(RATES_PER_S) and all(each.holds for each in found)


def real_time() -> bool:
    """One server in real time; True when mean and p99 are what theory says. Needs a CPU that nobody else wants."""
    lines = [
        "# A queue in real time",
        "",
        f"One exponential server with a mean of {format_latency(SERVICE_NS)} behind a ring of the real worker, Poisson",
        f"arrivals at a load of {LOAD:.0%} for {SERVED_S} s. Responses are counted from when operations were wanted,",
        "in units of the mean service. Own lag is how late the engine submitted; theory knows of none.",
        "",
        "| figure | arrivals | M/M/1 says | measured | off by | own lag, mean | holds |",
        "|---|---|---|---|---|---|---|",
    ]
    found = answered()
    for each in found:
        line = (
            f"| {each.figure} | {each.arrivals:,} | {each.expected:.4f} | {each.measured:.4f} | {each.off:+.2%} "
            f"| {format_latency(each.own_lag_ns_mean)} | {'yes' if each.holds else 'NO'} |"
        )
        lines.append(line)
        print(line, flush=True)
    (RESULTS / "real-time.md").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return all(each.holds for each in found)


def tables() -> None:
    """Makes the Markdown of models and closed forms from what is kept."""
    for name, text in TABLES.items():
        (RESULTS / name).write_text(text(), encoding="utf-8")


def _engine(text: str) -> tuple[str, Path]:
    name, found, path = text.partition("=")
    if not found or not Path(path).is_file():
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=PATH of an engine")
    return name, Path(path)


def main() -> int:
    """Parses what was asked for and runs it; 1 when something does not hold."""
    parser = argparse.ArgumentParser(prog="python -m verify", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *NAMES], help="which comparisons; all by default")
    parser.add_argument("--engine", action="append", default=[], type=_engine, help="NAME=PATH: one more for same-bits")
    parser.add_argument("--long", action="store_true", help="the load of 95 % as well, which takes an hour")
    parser.add_argument("--model", choices=model_names(), help="of the models only this one")
    asked = parser.parse_args()
    before = time.monotonic()
    wanted = asked.names or NAMES
    if "models" in wanted:
        models([asked.model] if asked.model else list(model_names()))
    met = [same_bits(dict(asked.engine))] if "same-bits" in wanted else []
    met += [closed_forms(long=asked.long)] if "closed-forms" in wanted else []
    met += [rates()] if "rates" in wanted else []
    met += [real_time()] if "real-time" in wanted else []
    tables()
    print(f"{time.monotonic() - before:.0f} s", file=sys.stderr)
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
