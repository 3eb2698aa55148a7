"""A matrix as a plot of three-dimensional bars: block size, mix and value.

The bars are boxes in a parallel projection. All faces are polygons of one layer, drawn from the back to the front, so
that the plot needs no other library and looks the same in all formats. Both axes run in the direction in which high
bars are behind low ones.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import floor, log10
from typing import Any, Final, TypeVar

import altair as alt

from iosonde.analysis.procedures import ReportedCell, window_words
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.procedures.matrix import mixes_of, rows_of, sizes_of
from iosonde.charts.procedures.styles import STYLES, Unit, unit_of
from iosonde.charts.quantities import significant
from iosonde.charts.theme import INK, INK_SOFT, layered
from iosonde.units import exact_size
from iosonde.vocabulary import Quantity

HEIGHT_PX: Final = 420
TICKS: Final = 5
BAR: Final = 0.66
"""The width of a bar, as a share of its place."""

RIGHT: Final = (1.0, -0.24)
"""One place along the block sizes, on the page: to the right and towards the reader. The page is 10 units wide."""
AWAY: Final = (0.58, 0.36)
"""One place along the mixes: to the right and away from the reader."""
TALL: Final = 0.85
"""The highest bar, as a share of the width of the base."""

LEFT_MARGIN: Final = 0.15
RIGHT_MARGIN: Final = 0.13
"""The room for labels on both sides, as shares of the width of the page."""

_Point = tuple[float, float]
_Name = TypeVar("_Name")


@dataclass(frozen=True)
class _Scene:
    """The base of the plot: its places along both axes, and how high a bar of the value 1 is on the page."""

    columns: int
    rows: int
    top: float

    @property
    def height(self) -> float:
        """The height of the vertical axis on the page."""
        return TALL * (self.columns * RIGHT[0] + self.rows * AWAY[0]) / 2

    def at(self, along: float, away: float, value: float = 0.0) -> _Point:
        """The place of a point on the page."""
        up = value / self.top * self.height
        return along * RIGHT[0] + away * AWAY[0], along * RIGHT[1] + away * AWAY[1] + up


def solid_bars(identity: str, title: str, cells: Sequence[ReportedCell], quantity: Quantity) -> Figure:
    """A bar for the mean of each cell, over block sizes and mixes."""
    unit = unit_of(quantity, (each.of(quantity) for each in cells))
    caption = f"{unit.title} ({unit.name}) by block size and mix of reads/writes, {window_words(cells)}."
    return _solid(Figure(identity, title, caption, None, tuple(rows_of(cells, unit))), cells, unit, quantity)


def solid_maxima(identity: str, title: str, cells: Sequence[ReportedCell]) -> Figure:
    """A bar for the longest operation of each cell in the window, in the order of the chart of mean latencies."""
    unit = replace(unit_of(Quantity.LATENCY_NS_MEAN, (each.latency_ns_max for each in cells)), title="Maximum latency")
    rows = [
        {
            "cell": each.cell,
            "block_size_bytes": each.workload.block_size_bytes,
            "block_size": each.workload.size_text,
            "series": mixes_of([each])[0],
            unit.field: round(unit.shown(each.latency_ns_max), 6),
            "rounds": each.rounds,
            "drawn_value": significant(unit.shown(each.latency_ns_max)),
        }
        for each in cells
        if each.latency_ns_max is not None
    ]
    caption = (
        f"Maximum latency ({unit.name}) by block size and mix of reads/writes: the longest operation of the window."
    )
    return _solid(Figure(identity, title, caption, None, tuple(rows)), cells, unit, Quantity.LATENCY_NS_MEAN)


def _solid(figure: Figure, cells: Sequence[ReportedCell], unit: Unit, ordered_by: Quantity) -> Figure:
    """The figure with its chart, drawn from its rows; unchanged without any."""
    rows = figure.rows
    if not rows:
        return figure
    by_size = [(each.workload.block_size_bytes, each.of(ordered_by)) for each in cells]
    sizes = [exact_size(each) for each in _tall_first(sizes_of(cells), by_size)]
    mixes = _tall_first(mixes_of(cells), [(mixes_of([each])[0], each.of(ordered_by)) for each in cells])[::-1]
    ticks = _ticks(max(row[unit.field] for row in rows))
    scene = _Scene(len(sizes), len(mixes), ticks[-1])
    for row in rows:
        along, away = sizes.index(row["block_size"]), mixes.index(row["series"])
        row["drawn_x"], row["drawn_y"] = _rounded(scene.at(along + 0.5, away + 0.5, row[unit.field]))
    far_first = sorted(rows, key=lambda row: (-mixes.index(row["series"]), sizes.index(row["block_size"])))
    faces = [
        face
        for row in far_first
        for face in _faces(scene, sizes.index(row["block_size"]), mixes.index(row["series"]), row[unit.field])
    ]
    layers = _layers(scene, faces, [*_labels(scene, sizes, mixes, ticks, f"{unit.title} ({unit.name})")], ticks, unit)
    return replace(figure, chart=layered(layers, rows, figure.caption, height=HEIGHT_PX))


def _tall_first(names: Sequence[_Name], values: Sequence[tuple[_Name, float | None]]) -> list[_Name]:
    """The names in their order or the reverse one, so that the higher bars come first."""

    def mean(half: Sequence[_Name]) -> float:
        found = [value for name, value in values if name in half and value is not None]
        return sum(found) / len(found) if found else 0.0

    middle = (len(names) + 1) // 2
    return list(names) if mean(names[:middle]) >= mean(names[-middle:]) else list(names[::-1])


def _ticks(highest: float) -> list[float]:
    """Round values from 0 to at least the highest bar."""
    rough = (highest or 1.0) / TICKS
    decade = 10 ** floor(log10(rough))
    step = next(each * decade for each in (1, 2, 2.5, 5, 10) if each * decade >= rough * (1 - 1e-9))
    number = -int(-highest // step)
    return [float(f"{step * each:.6g}") for each in range(max(number, 1) + 1)]


def _faces(scene: _Scene, along: int, away: int, value: float) -> Iterator[Row]:
    """The three visible faces of a bar: the side, the front and the top."""
    margin = (1 - BAR) / 2
    left, right, near, far = along + margin, along + 1 - margin, away + margin, away + 1 - margin
    hue = STYLES[along % len(STYLES)].colour
    quads = (
        ("side", 0.72, ((right, near, 0), (right, far, 0), (right, far, value), (right, near, value))),
        ("front", 0.88, ((left, near, 0), (right, near, 0), (right, near, value), (left, near, value))),
        ("top", 1.12, ((left, near, value), (right, near, value), (right, far, value), (left, far, value))),
    )
    for name, light, corners in quads:
        colour = _shaded(hue, light)
        for number, corner in enumerate(corners):
            x, y = _rounded(scene.at(*corner))
            yield {"face": f"{along}-{away}-{name}", "corner": number, "x": x, "y": y, "fill": colour}


def _shaded(colour: str, light: float) -> str:
    """A colour darker (below 1) or lighter (above 1)."""
    parts = [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
    if light > 1:
        mixed = [round(part + (255 - part) * (light - 1) * 3) for part in parts]
    else:
        mixed = [round(part * light) for part in parts]
    return "#" + "".join(f"{min(part, 255):02x}" for part in mixed)


def _labels(
    scene: _Scene, sizes: Sequence[str], mixes: Sequence[str], ticks: Sequence[float], title: str
) -> Iterator[Row]:
    """The names along the three axes, each at its place outside the base."""
    for place, size in enumerate(sizes):
        x, y = _rounded(scene.at(place + 0.5, 0))
        yield {"x": x, "y": y, "text": size, "align": "right", "baseline": "top", "dx": -3, "dy": 7}
    for place, mix in enumerate(mixes):
        x, y = _rounded(scene.at(scene.columns, place + 0.5))
        yield {"x": x, "y": y, "text": mix, "align": "left", "baseline": "middle", "dx": 9, "dy": 4}
    for tick in ticks:
        x, y = _rounded(scene.at(0, 0, tick))
        yield {"x": x, "y": y, "text": f"{tick:,.9g}", "align": "right", "baseline": "middle", "dx": -7, "dy": 0}
    # The left wall ends far from the upper left corner of the page, however narrow the page is.
    left, right, _, high = _page(scene)
    yield {"x": left, "y": high, "text": title, "align": "left", "baseline": "top", "dx": 10, "dy": 4, "bold": True}
    # The titles of both axes of the base are below their labels, on the side away from the base.
    x, y = _rounded(scene.at(scene.columns / 2, 0))
    yield {"x": x, "y": y, "text": "Block size", "align": "right", "baseline": "top", "dx": -36, "dy": 36, "bold": True}
    _, y = _rounded(scene.at(scene.columns, 0))
    below: Row = {"x": right, "y": y, "align": "right", "baseline": "top", "dx": -4, "dy": 12}
    yield {**below, "text": "Reads/writes (%)", "bold": True}


def _grid(scene: _Scene, ticks: Sequence[float]) -> Iterator[Row]:
    """The edges of the base and the lines of the ticks on the two walls behind the bars."""
    lines: list[tuple[str, list[_Point]]] = [
        (
            "base",
            [
                scene.at(0, 0),
                scene.at(scene.columns, 0),
                scene.at(scene.columns, scene.rows),
                scene.at(0, scene.rows),
                scene.at(0, 0),
            ],
        )
    ]
    lines += [
        (
            f"tick {tick}",
            [scene.at(0, 0, tick), scene.at(0, scene.rows, tick), scene.at(scene.columns, scene.rows, tick)],
        )
        for tick in ticks
    ]
    corners = ((0, 0), (0, scene.rows), (scene.columns, scene.rows))
    lines += [(f"edge {corner}", [scene.at(*corner), scene.at(*corner, ticks[-1])]) for corner in corners]
    for name, points in lines:
        for number, point in enumerate(points):
            x, y = _rounded(point)
            yield {"line": name, "corner": number, "x": x, "y": y}


def _layers(
    scene: _Scene, faces: Sequence[Row], labels: Sequence[Row], ticks: Sequence[float], unit: Unit
) -> list[alt.Chart]:
    left, right, low, high = _page(scene)
    across = alt.Scale(domain=[left, right], nice=False, zero=False)
    up = alt.Scale(domain=[low, high], nice=False, zero=False)
    x, y = alt.X("x:Q", scale=across, axis=None), alt.Y("y:Q", scale=up, axis=None)
    grid = alt.Chart(alt.InlineData(values=list(_grid(scene, ticks)))).mark_line(color="#c3cad1", strokeWidth=0.8)
    solid = alt.Chart(alt.InlineData(values=list(faces))).mark_line(
        interpolate="linear-closed", filled=True, stroke="white", strokeWidth=0.5, strokeJoin="round"
    )
    order = alt.Order("corner:Q")
    told = tooltip(cell="cell", block_size="block size", series="reads/writes", drawn_value=unit.title.lower())
    return [
        grid.encode(x=x, y=y, detail=alt.Detail("line:N"), order=order),
        solid.encode(x=x, y=y, detail=alt.Detail("face:N"), order=order, fill=alt.Fill("fill:N", scale=None)),
        *_texts(labels, x, y),
        named_rows(
            alt.Chart()
            .mark_point(size=160, filled=True, opacity=0)
            .encode(x=alt.X("drawn_x:Q", scale=across), y=alt.Y("drawn_y:Q", scale=up), tooltip=told)
        ),
    ]


def _texts(labels: Sequence[Row], x: alt.X, y: alt.Y) -> Iterator[alt.Chart]:
    """A layer of text for each way in which labels are aligned and moved, in pixels."""
    kinds: dict[tuple[Any, ...], list[Row]] = {}
    for each in labels:
        kinds.setdefault((each["align"], each["baseline"], each["dx"], each["dy"], each.get("bold")), []).append(each)
    for (align, baseline, dx, dy, bold), mine in kinds.items():
        style: dict[str, Any] = {"fontWeight": 600, "color": INK} if bold else {"color": INK_SOFT}
        text = alt.Chart(alt.InlineData(values=mine)).mark_text(
            align=align, baseline=baseline, dx=dx, dy=dy, fontSize=12, **style
        )
        yield text.encode(x=x, y=y, text=alt.Text("text:N"))


def _page(scene: _Scene) -> tuple[float, float, float, float]:
    """The ends of the page: left, right, bottom and top. The margins have room for the labels of the axes."""
    width = scene.at(scene.columns, scene.rows)[0] / (1 - LEFT_MARGIN - RIGHT_MARGIN)
    lowest = scene.at(scene.columns, 0)[1]
    # The title of the vertical axis is above its end, which may be lower than the walls.
    highest = max(scene.at(0, scene.rows, scene.top)[1], scene.at(0, 0, scene.top)[1] + 0.25 * scene.height)
    height = highest - lowest
    ends = (-LEFT_MARGIN * width, (1 - LEFT_MARGIN) * width, lowest - 0.12 * height, highest + 0.03 * height)
    left, right, low, high = (round(each, 4) for each in ends)
    return left, right, low, high


def _rounded(point: _Point) -> _Point:
    return round(point[0], 4), round(point[1], 4)
