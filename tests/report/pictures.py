"""Figures in every shape that a Vega-Lite specification may have."""

import base64
import io
from typing import Any

import altair as alt
from PIL import Image

from iosonde.charts.figure import Figure

ROWS: tuple[dict[str, Any], ...] = tuple(
    {"depth": depth, "iops": depth * 1000, "side": depth % 2} for depth in range(9)
)
COLOUR = (200, 30, 60)


def figure_of(chart: Any, identity: str = "made-up") -> Figure:  # noqa: ANN401 - any kind of chart
    """A figure around a chart of any kind."""
    return Figure(identity, "A made-up chart", "It shows nothing.", chart, ROWS)


def points() -> alt.Chart:
    """A chart as wide as what holds it."""
    chart: alt.Chart = alt.Chart(alt.InlineData(values=list(ROWS)), width="container").mark_point()
    return chart.encode(x="depth:Q", y="iops:Q", tooltip="side:N")


def raster() -> alt.LayerChart:
    """A chart that is mostly a picture in a data: URL."""
    picture = io.BytesIO()
    Image.new("RGB", (4, 4), COLOUR).save(picture, "PNG")
    url = f"data:image/png;base64,{base64.b64encode(picture.getvalue()).decode()}"
    image = (
        alt.Chart(alt.InlineData(values=[{"picture": url}]))
        .mark_image(width=300, height=200, aspect=False)
        .encode(x=alt.value(200), y=alt.value(150), url="picture:N")
    )
    return alt.LayerChart(layer=[image], width="container", height=300)


SHAPES: dict[str, Any] = {
    "layered": lambda: alt.LayerChart(layer=[points()], width="container"),
    "single": points,
    "side by side": lambda: points() | points(),
    "one above the other": lambda: points() & points(),
    "faceted": lambda: (
        alt.Chart(alt.InlineData(values=list(ROWS))).mark_point().encode(x="depth:Q", y="iops:Q").facet("side:N")
    ),
    "raster": raster,
}
