"""``make hangs``: plays every scenario, all at the same time, and prints how each ended. A name plays that one."""

import os
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from lab.hangs.scenarios import SCENARIOS, Scenario
from lab.hangs.stage import Stage, Told

RESULT: Final = Path(__file__).parents[1] / "results/hangs.txt"


def play(scenario: Scenario) -> Told | str:
    """How a scenario ended, or why it could not be played."""
    try:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hangs-", ignore_cleanup_errors=True)))
            told = scenario.act(Stage(stack, folder))
            print(f"{scenario.name}: {told}", file=sys.stderr, flush=True)
            return told
    except BaseException as error:  # noqa: BLE001 - what skips or breaks one scenario is told in its row
        return f"{type(error).__name__}: {error}"


def is_held(scenario: Scenario, told: Told | str) -> bool:
    """Whether it ended in time, with a code that says so, and with a word about what was waited for."""
    return (
        isinstance(told, Told) and told.took_s <= scenario.deadline_s and told.code > 0 and scenario.says in told.line
    )


def rows(played: list[tuple[Scenario, Told | str]]) -> Iterator[str]:
    """The table."""
    yield f"{'scenario':16} {'where it hangs':40} {'after':>7} {'deadline':>8} {'exit':>4}  message to the user"
    for scenario, told in played:
        head = f"{scenario.name:16} {scenario.where:40}"
        mark = "" if is_held(scenario, told) else "FAILED: "
        if isinstance(told, Told):
            yield f"{head} {told.took_s:5.1f} s {scenario.deadline_s:6.0f} s {told.code:4}  {mark}{told.line}"
        else:
            yield f"{head} {'':7} {scenario.deadline_s:6.0f} s {'':4}  {mark}{told}"


def without_places(line: str) -> str:
    """A line without the names of temporary folders, which differ from run to run."""
    return " ".join(
        f"{word[: word.index('/')]}.../{word.rstrip('/').rsplit('/', 1)[-1]}" if "/hangs-" in word else word
        for word in line.split(" ")
    )


def main(names: list[str]) -> int:
    """Plays scenarios, all of them where none is named; 1 when one does not hold."""
    if os.geteuid() != 0:
        print("scenarios mount file systems and set up loop devices: only root may", file=sys.stderr)
        return 1
    chosen = [scenario for scenario in SCENARIOS if not names or scenario.name in names]
    with ThreadPoolExecutor(len(chosen)) as pool:
        played = list(zip(chosen, pool.map(play, chosen), strict=True))
    lines = [without_places(line) for line in rows(played)]
    print("\n".join(lines))
    if not names:
        RESULT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0 if all(is_held(scenario, told) for scenario, told in played) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
