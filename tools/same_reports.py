"""Whether reports of kept runs are as an older commit makes them: ``python -m tools.same_reports COMMIT [RUN...]``.

Every form that holds figures as text is made by both, each in a process of its own, and compared to the letter; of a
page, space between its elements is not compared. What differs is printed, a few lines of each.
"""

import difflib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
RUNS: Final = ROOT / "tests/fixtures/runs"
GIT: Final = shutil.which("git") or "git"
LINES_SHOWN_MAX: Final = 20
# A page without line breaks is shown around what differs.
WIDTH_SHOWN: Final = 160


def made_by(source: Path, run: Path, out: Path) -> dict[str, str]:
    """All forms of a run as the checkout at ``source`` makes them, by name."""
    out.mkdir(parents=True)
    environment = os.environ | {"PYTHONPATH": str(source / "src"), "COLUMNS": "160"}

    def iosonde(*words: str | Path) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "iosonde", *map(str, words)],
            env=environment, cwd=out, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return f"{done.stdout}\nexit code {done.returncode}\n"

    forms = {"show": iosonde("show", run, "--findings")}
    flags = ("--html", "page.html", "--markdown", "page.md", "--csv", "tables", "--json", "run.json")
    forms["report"] = iosonde("report", run, *flags)
    texts = (path for path in sorted(out.rglob("*")) if path.suffix in {".html", ".md", ".csv", ".json"})
    return forms | {str(path.relative_to(out)): compared(path) for path in texts}


def compared(path: Path) -> str:
    """What is compared of a file: all of it, but for the space between the elements of a page."""
    text = path.read_text()
    return re.sub(r">\s*<", ">\n<", re.sub(r"\s+", " ", text)) if path.suffix == ".html" else text


def told(before: str, after: str) -> Iterator[str]:
    """The first lines that differ, each around the place where it does."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0))
    for line in lines[3 : 3 + LINES_SHOWN_MAX]:
        yield line[:WIDTH_SHOWN]
    if len(lines) > LINES_SHOWN_MAX:
        yield f"... {len(lines) - LINES_SHOWN_MAX} lines more"


def differing(commit: str, runs: Sequence[Path], folder: Path) -> int:
    """Prints which forms of the runs differ from those that ``commit`` makes, and gives their number."""
    source = folder / "source"
    subprocess.run([GIT, "worktree", "add", "--detach", "-q", str(source), commit], cwd=ROOT, check=True)
    count = 0
    try:
        for run in runs:
            before = made_by(source, run, folder / "before" / run.name)
            after = made_by(ROOT, run, folder / "after" / run.name)
            for name in sorted(before.keys() | after.keys()):
                same = before.get(name) == after.get(name)
                count += not same
                print(f"{'same' if same else 'DIFFERS':8} {run.name} {name}")
                if not same:
                    print("\n".join(told(before.get(name, ""), after.get(name, ""))))
    finally:
        subprocess.run([GIT, "worktree", "remove", "--force", str(source)], cwd=ROOT, check=True)
    return count


def main() -> None:
    """Compares, and ends with 1 where anything differs."""
    commit, *named = sys.argv[1:]
    runs = [Path(each).resolve() for each in named] or sorted(RUNS.iterdir())
    with tempfile.TemporaryDirectory() as folder:
        count = differing(commit, runs, Path(folder))
    print(f"{count} forms differ")
    sys.exit(min(count, 1))


if __name__ == "__main__":
    main()
