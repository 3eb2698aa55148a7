"""Compare with what is known, print it and keep it.

python -m verify [models] [same-bits] [closed-forms] [--long] [--engine NAME=PATH]

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
from verify.closed_forms import QUEUES, SEEDS, compare
from verify.models import CELLS, compare_models
from verify.same_bits import BUILDS, JOBS, KEPT, compare_builds

NAMES: Final = ("models", "same-bits", "closed-forms")
RESULTS: Final = Path(__file__).parent / "results"
LOADS: Final = ((0.5, 10**6), (0.8, 10**7))
LONG: Final = ((0.95, 10**8),)


def closed_forms(*, long: bool) -> bool:
    """Every queue at every load; True when every interval holds."""
    lines = [
        "# Simulated queues against closed forms",
        "",
        f"Response times in units of the mean service; 99 % intervals of the mean over {len(SEEDS)} seeds (1 to 30).",
        "",
        "| queue | load | arrivals a seed | figure | closed form | measured | half the interval | holds |",
        "|---|---|---|---|---|---|---|---|",
    ]
    held = []
    for load, arrivals in (*LOADS, *(LONG if long else ())):
        for queue in QUEUES:
            for each in compare(queue, load, arrivals):
                held.append(each.holds)
                line = (
                    f"| {each.queue} | {load:.0%} | {arrivals:,} | {each.figure} | {each.expected:.4f} "
                    f"| {each.mean:.4f} | {each.half_width:.4f} ({each.half_width / each.expected:.2%}) "
                    f"| {'yes' if each.holds else 'NO'} |"
                )
                lines.append(line)
                print(line, flush=True)
    (RESULTS / "closed-forms.md").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return all(held)


def models() -> bool:
    """Every cell of every shipped model beside its source; True when there are some. What differs says why."""
    lines = [
        "# Models against their sources",
        "",
        "Every cell that a source gives a figure for, on a simulated drive of its own, filled once in order unless it",
        "says fresh; steady means four more fills at random. Nothing is bent where a mechanism is missing.",
        "",
        "| model | cell | source | source says | model gives | ratio | why it differs |",
        "|---|---|---|---|---|---|---|",
    ]
    for each in compare_models():
        cell = each.cell
        line = (
            f"| sim:{each.model} | {cell.name} | {cell.source} | {cell.expected:,.6g} {cell.figure.unit} "
            f"| {each.seen:,.4g} | {each.seen / cell.expected:.2f} | {cell.why} |"
        )
        lines.append(line)
        print(line, flush=True)
    (RESULTS / "models.md").write_text("\n".join([*lines, ""]), encoding="utf-8")
    return len(lines) > len(CELLS)


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
    asked = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    before = time.monotonic()
    wanted = asked.names or NAMES
    met = [models()] if "models" in wanted else []
    met += [same_bits(dict(asked.engine))] if "same-bits" in wanted else []
    met += [closed_forms(long=asked.long)] if "closed-forms" in wanted else []
    print(f"{time.monotonic() - before:.0f} s", file=sys.stderr)
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
