"""Runs the engine's tests under Valgrind's memcheck, and stores the results in ``lab/results/memcheck.txt``.

python -m tools.memcheck
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
RESULT: Final = ROOT / "lab/results/memcheck.txt"
TEST_S_MAX: Final = 600
# Skipped tests, with the reason. Those of simulated drives are 50 times slower under Valgrind, and their only unsafe
# code is a hint to the processor.
LEFT_OUT: Final = {
    "drives": "simulated drives",
    "real_time": "needs real-time behaviour",
    "allocation": "has its own allocator",
    "payload_cost": "measures this machine",
}
VALGRIND: Final = ("valgrind", "--quiet", "--error-exitcode=9", "--leak-check=no", "--fair-sched=yes")


def programs() -> Iterator[tuple[str, Path]]:
    """Builds the test programs of the engine, and yields their names and paths."""
    words = ["cargo", "test", "--locked", "--no-run", "--message-format=json", "--target-dir", "target/memcheck"]
    # Valgrind names lines of the code where there is debug information.
    lines = {"CARGO_PROFILE_TEST_DEBUG": "line-tables-only", "CARGO_PROFILE_DEV_DEBUG": "line-tables-only"}
    # It hides the vDSO, which rustix searches unless it uses libc.
    environment = {**os.environ, **lines, "RUSTFLAGS": "--cfg=rustix_use_libc"}
    built = subprocess.run(
        words, cwd=ROOT / "engine", check=True, stdout=subprocess.PIPE, text=True, env=environment
    ).stdout
    for line in built.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["profile"]["test"]:
            yield message["target"]["name"], Path(message["executable"])


def check(program: Path) -> tuple[str, bool]:
    """Runs one program. Returns its result in a few words, and whether it had no errors."""
    begun = time.monotonic()
    words = [*VALGRIND, str(program), "--test-threads=1"]
    try:
        ended = subprocess.run(
            words, cwd=ROOT / "engine", capture_output=True, text=True, timeout=TEST_S_MAX, check=False
        )
    except subprocess.TimeoutExpired:
        return f"did not end within {TEST_S_MAX} s", False
    told = [line for line in ended.stdout.splitlines() if line.startswith("test result: ")]
    errors = [line for line in ended.stderr.splitlines() if line.startswith("==")]
    for line in [*errors, *(ended.stdout.splitlines() if ended.returncode else [])]:
        print(line, file=sys.stderr)
    tests = told[0].removeprefix("test result: ").split(";")[0] if told else "no tests"
    return f"{tests}, {len(errors)} lines from memcheck, {time.monotonic() - begun:.0f} s", ended.returncode == 0


def main() -> int:
    """Checks every program. Returns 1 if a test fails or memcheck reports an error."""
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        print("memcheck needs: apt-get install --no-install-recommends valgrind", file=sys.stderr)
        return 1
    version = subprocess.run([valgrind, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    lines, is_well = [f"the engine's tests under {version}, memcheck"], True
    for name, program in sorted(programs()):
        if name in LEFT_OUT:
            lines.append(f"{name}: skipped ({LEFT_OUT[name]})")
            continue
        print(f"{name} ...", file=sys.stderr, flush=True)
        words, is_good = check(program)
        lines.append(f"{name}: {words}")
        is_well = is_well and is_good
    print("\n".join(lines))
    RESULT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
