"""How the parts of a chapter draw their charts."""

from collections.abc import Callable
from dataclasses import dataclass

from iosonde.charts.figure import Figure

DrawChart = Callable[..., Figure]
"""Draws a chart that is told its id and title: the part of the id, the title, the function, and what it is given."""


def for_phase(draw: DrawChart, number: int) -> DrawChart:
    """Draws charts whose ids name a phase, for a chapter with the same charts of several phases."""

    def drawn(identity: str, *given: object) -> Figure:
        return draw(f"{identity}-phase-{number}", *given)

    return drawn


@dataclass(frozen=True)
class Drawing:
    """Makes charts: ``chart`` those with a given title, ``figure`` those that make their own."""

    chart: DrawChart
    figure: DrawChart
