"""The measured values, stored as JSON in ``verify/results/``. Tables and pages are generated from them."""

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
    """The value of a model for a cell of its source, in the unit of its figure."""

    cell: str
    figure: str
    seen: float


@dataclass(frozen=True)
class MeasuredModel:
    """The measured cells of a model, and its parameters at that time."""

    model: str
    parameters: dict[str, Any]
    cells: tuple[SeenCell, ...]


@dataclass(frozen=True)
class ClosedForm:
    """A quantity of a queue: the value from theory, and the mean over seeds with the half-width of its 99 % interval.

    Times are in units of the service time.
    """

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
        """Whether the interval contains the value from theory, and its half-width is at most 1 % of it."""
        return abs(self.mean - self.expected) <= self.half_width <= WIDTH_MAX * self.expected


def keep_models(measured: list[MeasuredModel]) -> None:
    """Stores the values of these models, and keeps those of other models."""
    kept = {each.model: each for each in [*kept_models().values(), *measured]}
    MODELS.write_text(_json([asdict(kept[name]) for name in sorted(kept)]), encoding="utf-8")


def kept_models() -> dict[str, MeasuredModel]:
    """The stored models, by name."""
    found = json.loads(MODELS.read_text(encoding="utf-8")) if MODELS.exists() else []
    return {
        each["model"]: MeasuredModel(
            each["model"], each["parameters"], tuple(SeenCell(**cell) for cell in each["cells"])
        )
        for each in found
    }


def keep_closed_forms(compared: list[ClosedForm]) -> None:
    """Stores the values of these queues at these loads, and keeps all others: some loads take an hour."""
    kept = {(each.load, each.queue, each.figure): each for each in [*kept_closed_forms(), *compared]}
    ordered = sorted(kept.values(), key=lambda each: each.load)
    CLOSED_FORMS.write_text(_json([asdict(each) for each in ordered]), encoding="utf-8")


def kept_closed_forms() -> list[ClosedForm]:
    """The stored values, by load. Those of one load are in the order of measurement."""
    found = json.loads(CLOSED_FORMS.read_text(encoding="utf-8")) if CLOSED_FORMS.exists() else []
    return [ClosedForm(**each) for each in found]


def _json(value: object) -> str:
    return json.dumps(value, indent=1) + "\n"
