"""The temperature of the drives after each trial, in run order, beside the throughput over the run."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import altair as alt

from iosonde.analysis.drive_counters import DriveChange, drive_changes
from iosonde.analysis.trials import trials_of
from iosonde.charts.consistency import trial_axis
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.theme import INK, INK_SOFT, PALETTE, colour, layered, shape
from iosonde.records import CellRecord, DriveHealth

TEMPERATURE_TITLE: Final = "Temperature of the drives"
DRIVES_MAX: Final = len(PALETTE)
"""The most drives that are drawn: the hottest ones."""

ROOM_CELSIUS: Final = 5
NOTHING: Final = "No data: no drive reports its temperature."


def drive_temperature(records: Sequence[CellRecord]) -> Figure:
    """A mark for each drive after each trial, and a line at the lowest warning temperature near them."""
    changes = {id(record): change for record, change in drive_changes(records)}
    rows = [row for trial in trials_of(records) for row in _rows(trial.record, trial.place, trial.wall_ns, changes)]
    hottest = _hottest(rows)
    shown = [row for row in rows if row["series"] in hottest]
    if not shown:
        return Figure("drive-temperature", TEMPERATURE_TITLE, "", None, (), nothing=NOTHING)
    warning = min((row["warning_celsius"] for row in shown if row["warning_celsius"] is not None), default=None)
    caption = _caption(shown, len({row["series"] for row in rows}), warning)
    chart = layered(_layers(shown, hottest, warning), shown, caption)
    return Figure("drive-temperature", TEMPERATURE_TITLE, caption, chart, tuple(shown))


def has_temperature(records: Sequence[CellRecord]) -> bool:
    """Whether any real drive reports its temperature, or that of a simulated drive varies."""
    healths = [(state.disk, state.health.temperature_celsius) for record in records for state in record.drives]
    known = [(disk, celsius) for disk, celsius in healths if celsius is not None]
    return any(disk for disk, _ in known) or len({celsius for _, celsius in known}) > 1


def _rows(record: CellRecord, place: int, wall_ns: int | None, changes: dict[int, DriveChange | None]) -> list[Row]:
    change = changes.get(id(record))
    began = bool(change is not None and (change.of("throttled_ns") or change.of("throttle_count")))
    return [
        {
            "cell": record.cell,
            "series": state.disk or f"simulated drive {number}",
            "repeat": record.repeat,
            "trial": place,
            "wall_ns": wall_ns,
            "temperature_celsius": state.health.temperature_celsius,
            "warning_celsius": state.health.warning_celsius,
            "status": _status(state.health, began=began),
        }
        for number, state in enumerate(record.drives, 1)
        if state.health.temperature_celsius is not None
    ]


def _status(health: DriveHealth, *, began: bool) -> str:
    now, warning = health.temperature_celsius, health.warning_celsius
    if began:
        return "throttled"
    return "too hot" if now is not None and warning is not None and now >= warning else "as usual"


def _hottest(rows: Sequence[Row]) -> list[str]:
    """The drives that are drawn, in the order of the record."""
    most: dict[str, int] = {}
    for row in rows:
        most[row["series"]] = max(most.get(row["series"], row["temperature_celsius"]), row["temperature_celsius"])
    kept = sorted(most, key=lambda name: -most[name])[:DRIVES_MAX]
    return [name for name in most if name in kept]


def _caption(rows: Sequence[Row], drives: int, warning: int | None) -> str:
    said = ["Each mark shows the temperature that a drive reported after a trial. Trials are in run order"]
    if any(row["status"] == "throttled" for row in rows):
        said.append("Rings mark trials in which a drive throttled")
    if warning is not None:
        said.append(f"The dashed line is the warning temperature of the drive, {warning} °C")
    if drives > DRIVES_MAX:
        said.append(f"Only the hottest {DRIVES_MAX} of {drives} drives are drawn")
    return ". ".join(said) + "."


def _layers(rows: Sequence[Row], names: Sequence[str], warning: int | None) -> list[alt.Chart]:
    series = [replace(look, name=name) for look, name in zip(PALETTE, names, strict=False)]
    x, coloured = trial_axis(rows), colour(series)
    celsius = [row["temperature_celsius"] for row in rows]
    low, high = min(celsius) - ROOM_CELSIUS, max(*celsius, warning or max(celsius)) + ROOM_CELSIUS
    y = alt.Y(
        "temperature_celsius:Q",
        title="Temperature (°C)",
        scale=alt.Scale(domain=[low, high], nice=False, zero=False),
        axis=alt.Axis(tickCount=5, format="d"),
    )
    told = [*tooltip(series="drive", cell="cell", repeat="repeat", status="status"), _told()]
    chart = alt.Chart()
    layers = [
        chart.mark_line(strokeWidth=1.5, opacity=0.6).encode(x=x, y=y, color=coloured),
        named_rows(
            chart.mark_point(size=45, filled=True).encode(x=x, y=y, color=coloured, shape=shape(series), tooltip=told)
        ),
    ]
    if any(row["status"] == "throttled" for row in rows):
        layers.append(
            chart.transform_filter("datum.status == 'throttled'")
            .mark_point(size=180, filled=False, stroke=INK, strokeWidth=1.5, shape="circle")
            .encode(x=x, y=y)
        )
    if warning is not None:
        at = alt.YDatum(warning, scale=y["scale"], title=y["title"])
        layers.append(alt.Chart().mark_rule(color=INK_SOFT, strokeDash=[4, 3]).encode(y=at))
    return layers


def _told() -> alt.Tooltip:
    return alt.Tooltip("temperature_celsius:Q", title="temperature (°C)", format="d")
