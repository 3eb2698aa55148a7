"""Charts as the report shows them: invalid results crossed out, and a notice instead of a chart that fails."""

from collections.abc import Callable
from functools import partial

from iosonde.charts.figure import Figure
from iosonde.failures import FailureLog
from iosonde.report.invalid_charts import crossed
from iosonde.report.validity import Invalid


def made_figures(
    identity: str, title: str, draw: Callable[[], tuple[Figure, ...]], invalid: Invalid, failures: FailureLog
) -> tuple[Figure, ...]:
    """Charts as the page shows them. If ``draw`` fails, one notice replaces them all."""
    found = failures.attempt(
        f'the chart "{title}"', draw, lambda failure: (Figure.failed(identity, title, failure.sentence),)
    )
    return tuple(made_figure(each.id, each.title, partial(_same, each), invalid, failures) for each in found)


def _same(figure: Figure) -> Figure:
    return figure


def made_figure(
    identity: str, title: str, draw: Callable[[], Figure], invalid: Invalid, failures: FailureLog
) -> Figure:
    """A chart with invalid results crossed out, checked to be valid JSON. If it fails, a notice replaces it."""

    def drawn() -> Figure:
        figure = crossed(draw(), invalid)
        if figure.chart is not None:
            # Serialised here, where an error affects only this chart. The figure caches it.
            _ = figure.specification_json
        return figure

    return failures.attempt(
        f'the chart "{title}"', drawn, lambda failure: Figure.failed(identity, title, failure.sentence)
    )
