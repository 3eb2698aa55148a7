"""Run all comparisons, or those that are named.

python -m bench [overhead] [fio] [witness] [engines] [startup] [pages] [adaptive] [default_campaign] [default_models]
                [procedures] [--pairs N] [--folder DIR]
python -m bench builds --before ENGINE [--pairs N] [--folder DIR]
python -m bench fronts --before COMMIT [--pairs N] [--folder DIR]
"""

import argparse
import sys
from pathlib import Path

from bench import (
    adaptive,
    agreement,
    builds,
    default_campaign,
    engines,
    fronts,
    overhead,
    pages,
    procedures,
    startup,
    witness,
)

RESULTS = Path(__file__).parent / "results"
COMPARISONS = {
    "overhead": overhead.run,
    "fio": agreement.run,
    "witness": witness.run,
    "engines": engines.run,
    "startup": startup.run,
    "pages": pages.run,
    "adaptive": adaptive.run,
    "default_campaign": default_campaign.run,
    "default_models": default_campaign.run_models,
    "procedures": procedures.run,
}


def main() -> int:
    """Parses the command line and runs the comparisons. Returns 1 if one of them misses its target."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "names", nargs="*", choices=[[], *COMPARISONS, "builds", "fronts"], help="which comparisons; all by default"
    )
    parser.add_argument("--pairs", type=int, default=25, help="alternating rounds of each row (default 25)")
    parser.add_argument("--folder", type=Path, default=Path(), help="where the measured file lies")
    parser.add_argument(
        "--before", action="append", help="another build of the engine (with builds), or an older commit (with fronts)"
    )
    asked = parser.parse_args()
    if asked.names == ["builds"]:
        before = asked.before or parser.error("builds needs --before")
        return builds.run(RESULTS, asked.folder, asked.pairs, list(map(Path, before)))
    if asked.names == ["fronts"]:
        (commit,) = asked.before or parser.error("fronts needs --before")
        return fronts.run(RESULTS, asked.folder, asked.pairs, commit)
    RESULTS.mkdir(exist_ok=True)
    met = [COMPARISONS[name](RESULTS, asked.folder, asked.pairs) for name in asked.names or COMPARISONS]
    return 0 if all(met) else 1


if __name__ == "__main__":
    sys.exit(main())
