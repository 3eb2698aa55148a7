"""How the parts of a chapter draw their charts."""

from collections.abc import Callable

from iosonde.charts.figure import Figure

DrawChart = Callable[..., Figure]
"""Draws a chart that is told its id and title: the part of the id, the title, the function, and what it is given."""


def for_phase(draw: DrawChart, number: int) -> DrawChart:
    """Draws charts whose ids name a phase, for a chapter with the same charts of several phases."""

    def drawn(identity: str, *given: object) -> Figure:
        return draw(f"{identity}-phase-{number}", *given)

    return drawn
