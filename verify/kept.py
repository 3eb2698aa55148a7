"""What was measured, kept as JSON in ``verify/results/``: tables and pages are made from it."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

RESULTS: Final = Path(__file__).parent / "results"
MODELS: Final = RESULTS / "models.json"
CLOSED_FORMS: Final = RESULTS / "closed-forms.json"
WIDTH_MAX: Final = 0.01


@dataclass(frozen=True)
class SeenCell:
    """What a model gave for a cell of its source, in the unit of its figure."""

    cell: str
    figure: str
    seen: float


@dataclass(frozen=True)
class MeasuredModel:
    """The cells of a model, and the parameters that it had when they were measured."""

    model: str
    parameters: dict[str, Any]
    cells: tuple[SeenCell, ...]


@dataclass(frozen=True)
class ClosedForm:
    """A figure of a queue: what theory says, and the 99 % interval of the seeds' mean; in units of the service."""

    queue: str
    model: str
    load: float
    arrivals: int
    figure: str
    expected: float
    mean: float
    half_width: float

    @property
    def holds(self) -> bool:
        """Whether the interval contains what theory says, and is narrow enough to mean something."""
        return abs(self.mean - self.expected) <= self.half_width <= WIDTH_MAX * self.expected


def keep_models(measured: list[MeasuredModel]) -> None:
    """Replaces what was kept of these models; that of others stays."""
    kept = {each.model: each for each in [*kept_models().values(), *measured]}
    MODELS.write_text(_json([asdict(kept[name]) for name in sorted(kept)]), encoding="utf-8")


def kept_models() -> dict[str, MeasuredModel]:
    """By the models' names."""
    found = json.loads(MODELS.read_text(encoding="utf-8")) if MODELS.exists() else []
    return {
        each["model"]: MeasuredModel(
            each["model"], each["parameters"], tuple(SeenCell(**cell) for cell in each["cells"])
        )
        for each in found
    }


def keep_closed_forms(compared: list[ClosedForm]) -> None:
    """Replaces what was kept of the same queues at the same loads; that of other loads stays: some take an hour."""
    kept = {(each.load, each.queue, each.figure): each for each in [*kept_closed_forms(), *compared]}
    ordered = sorted(kept.values(), key=lambda each: each.load)
    CLOSED_FORMS.write_text(_json([asdict(each) for each in ordered]), encoding="utf-8")


def kept_closed_forms() -> list[ClosedForm]:
    """By load, and in the order in which they were measured."""
    found = json.loads(CLOSED_FORMS.read_text(encoding="utf-8")) if CLOSED_FORMS.exists() else []
    return [ClosedForm(**each) for each in found]


def _json(value: object) -> str:
    return json.dumps(value, indent=1) + "\n"
