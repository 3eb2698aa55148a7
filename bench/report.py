"""The output of a comparison: a Markdown page and its figures as JSON, both with the facts of the machine."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.machine import machine_facts, machine_lines


@dataclass
class Report:
    """Prints each line at once, and collects all lines for the page. ``figures`` are by the name of their row."""

    title: str
    folder: Path
    notes: Sequence[str] = ()
    lines: list[str] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.say(f"# {self.title}", "", *machine_lines(self.folder), *self.notes, "")

    def say(self, *lines: str) -> None:
        """Prints lines, and adds them to the page."""
        print("\n".join(lines), flush=True)
        self.lines += lines

    def keep(self, results: Path, name: str) -> None:
        """Writes the page and its figures."""
        (results / f"{name}.md").write_text("\n".join([*self.lines, ""]), encoding="utf-8")
        found = {"machine": machine_facts(self.folder), **self.figures}
        (results / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
