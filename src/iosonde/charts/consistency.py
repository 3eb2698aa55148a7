"""Throughput over the trials of a run, in run order: shows drift, regime changes and effects of the order."""

from collections.abc import Sequence
from typing import Final

import altair as alt

from iosonde.analysis.trials import Break, BreakKind, Trial, running_median, trials_of
from iosonde.charts.figure import Figure, Row
from iosonde.charts.lines import named_rows, tooltip
from iosonde.charts.quantities import significant
from iosonde.charts.theme import ALL, INK, INK_SOFT, READ, TRIM, WRITE, Series, colour, layered, shape
from iosonde.records import CellRecord
from iosonde.units import MINUTE_NS, SECOND_NS, format_duration
from iosonde.vocabulary import DiscardReason

TRIALS_MAX: Final = 2000
"""The most marks. More would overlap and make the page slow, so only some trials of each section are drawn."""

RANGES_MAX: Final = 160
"""The most trials for which the range within each trial is drawn. More ranges would overlap."""

BREAKS_NAMED_MAX: Final = 5
SPREAD_MIN: Final = 0.05
SPREAD_MAX: Final = 1.0
"""The axis extends by at least 5 % and at most 100 % to either side of the median."""

WITHIN: Final = 0.98
"""The share of the trials that the axis must include. The others may be drawn at its ends."""

TICKS: Final = 5
HOUR_MINUTES: Final = 60
CONSISTENCY_TITLE: Final = "Throughput over the run"
MIX: Final = Series("mix", ALL.colour, ALL.shape, ALL.dash)


def run_consistency(records: Sequence[CellRecord], breaks: Sequence[Break] = ()) -> Figure:
    """A mark for each trial in run order: its throughput divided by the median of its cell."""
    trials = trials_of(records)
    if not trials:
        return Figure("run-consistency", CONSISTENCY_TITLE, "No trials were completed.", None, ())
    spread = _spread([trial.share for trial in trials])
    usual = running_median(trials, breaks)
    rows = [_row(trial, middle, breaks, spread) for trial, middle in zip(trials, usual, strict=True)]
    shown = rows if len(rows) <= TRIALS_MAX else _thinned(rows)
    caption = _caption(trials, shown, breaks, spread)
    chart = layered(_layers(shown, breaks, spread), shown, caption)
    return Figure("run-consistency", CONSISTENCY_TITLE, caption, chart, tuple(shown))


def _spread(shares: Sequence[float]) -> float:
    """How far the axis extends to either side of 1, in steps of 5 %."""
    far = sorted(abs(share - 1) for share in shares)
    wanted = far[min(round(len(far) * WITHIN), len(far) - 1)] * 1.15
    steps = max(round(wanted / SPREAD_MIN + 0.5), 1)
    return min(steps * SPREAD_MIN, SPREAD_MAX)


def _row(trial: Trial, usual: float, breaks: Sequence[Break], spread: float) -> Row:
    record = trial.record
    return {
        "cell": record.cell,
        "series": _series(record),
        "repeat": record.repeat,
        "trial": trial.place,
        "wall_ns": trial.wall_ns,
        "share": round(trial.share, 4),
        "running_median": round(usual, 4),
        "lowest": None if trial.lowest is None else round(trial.lowest, 4),
        "highest": None if trial.highest is None else round(trial.highest, 4),
        "fate": str(trial.fate).replace("_", " "),
        "iops": f"{significant(trial.iops)}",
        "drawn_share": _inside(trial.share, spread),
        "drawn_median": _inside(usual, spread),
        "drawn_low": _inside(trial.share if trial.lowest is None else trial.lowest, spread),
        "drawn_high": _inside(trial.share if trial.highest is None else trial.highest, spread),
        "drawn_part": sum(each.place <= trial.place for each in breaks),
    }


def _inside(share: float, spread: float) -> float:
    return round(min(max(share, 1 - spread), 1 + spread), 4)


def _series(record: CellRecord) -> str:
    only = record.workload.only_operation
    return MIX.name if only is None else only.value


def _thinned(rows: Sequence[Row]) -> list[Row]:
    """The rows with the lowest, median and highest share, for each section of the run and each series."""
    stretches = max(TRIALS_MAX // (3 * len({row["series"] for row in rows})), 1)
    groups: dict[tuple[int, str], list[Row]] = {}
    for index, row in enumerate(rows):
        groups.setdefault((index * stretches // len(rows), row["series"]), []).append(row)
    kept: set[int] = set()
    for group in groups.values():
        ordered = sorted(group, key=lambda row: row["share"])
        kept |= {id(ordered[index]) for index in (0, len(ordered) // 2, -1)}
    return [row for row in rows if id(row) in kept]


def _caption(trials: Sequence[Trial], shown: Sequence[Row], breaks: Sequence[Break], spread: float) -> str:
    said = [
        "Each mark shows the IOPS of one trial, divided by the median IOPS of its cell. Trials are in run order",
        "The line shows the running median",
        "A flat line at 1 means stable throughput, a slope means drift, and a step means a regime change",
    ]
    if len(shown) <= RANGES_MAX and any(trial.lowest is not None for trial in trials):
        said.append("Thin bars show the range of throughput within each trial")
    lost = [trial for trial in trials if trial.fate is not DiscardReason.USED]
    if lost:
        whys = dict.fromkeys(str(trial.fate).replace("_", " ") for trial in lost)
        said.append(f"Hollow marks show discarded repeats ({len(lost)}: {', '.join(whys)})")
    outside = sum(abs(trial.share - 1) > spread for trial in trials)
    if outside:
        said.append(f"{outside} of {len(trials):,} trials are outside the axis range and are drawn at its edges")
    if len(shown) < len(trials):
        said.append(
            f"To limit the number of marks, only {len(shown):,} of {len(trials):,} trials are drawn: the lowest, "
            "median and highest of each section of the run and each kind of operation"
        )
    if breaks:
        more = (
            "" if len(breaks) <= BREAKS_NAMED_MAX else f"; the first {BREAKS_NAMED_MAX} of {len(breaks)} are labelled"
        )
        said.append(f"Dashed lines mark breaks between trials{more}")
    return ". ".join(said) + "."


def _layers(rows: Sequence[Row], breaks: Sequence[Break], spread: float) -> list[alt.Chart]:
    present = {row["series"] for row in rows}
    series = [each for each in (READ, WRITE, TRIM, MIX) if each.name in present]
    x, y = trial_axis(rows), _up(spread)
    told = [
        *tooltip(cell="cell", repeat="repeat", iops="IOPS", fate="status"),
        alt.Tooltip("share:Q", title="IOPS / cell median", format=".3f"),
        alt.Tooltip("trial:Q", title="trial"),
    ]
    chart, coloured = alt.Chart(), colour(series)
    size = 45 if len(rows) <= RANGES_MAX else 16
    ranges = chart.mark_rule(strokeWidth=1.5, opacity=0.35).encode(
        x=x, y=_other(y, "drawn_low"), y2=alt.Y2("drawn_high:Q"), color=coloured
    )
    is_used = alt.ConditionalPredicateValueDefnumberExprRef(test="datum.fate == 'used'", value=0.8)
    marks = named_rows(
        chart.mark_point(size=size, filled=True).encode(
            x=x, y=y, color=coloured, shape=shape(series), opacity=alt.OpacityValue(0, condition=is_used), tooltip=told
        )
    )
    hollow = (
        chart.transform_filter("datum.fate != 'used'")
        .mark_point(size=size, filled=False, strokeWidth=1.2)
        .encode(x=x, y=y, color=coloured, shape=shape(series), tooltip=told)
    )
    line = chart.mark_line(strokeWidth=2, color=INK, interpolate="monotone").encode(
        x=x, y=_other(y, "drawn_median"), detail=alt.Detail("drawn_part:N")
    )
    return [
        alt.Chart()
        .mark_rule(color=INK_SOFT, strokeWidth=1)
        .encode(y=alt.YDatum(1, scale=y["scale"], title=y["title"])),
        *([ranges] if len(rows) <= RANGES_MAX else []),
        marks,
        *([hollow] if any(row["fate"] != "used" for row in rows) else []),
        line,
        *_breaks(breaks, spread, y),
    ]


def _breaks(breaks: Sequence[Break], spread: float, y: alt.Y) -> list[alt.Chart]:
    """A dashed line at each break, with a label at the bottom."""
    if not breaks:
        return []
    values = [
        {
            "trial": each.place - 0.5,
            "bottom": round(1 - spread, 4),
            "drawn_break": _name(each) if number < BREAKS_NAMED_MAX else "",
        }
        for number, each in enumerate(breaks)
    ]
    data = alt.InlineData(values=values)
    x = alt.X("trial:Q")
    return [
        alt.Chart(data).mark_rule(color=INK_SOFT, strokeDash=[4, 3]).encode(x=x),
        alt.Chart(data)
        .mark_text(align="left", baseline="bottom", dx=4, dy=-4, fontSize=11, color=INK_SOFT)
        .encode(x=x, y=_other(y, "bottom"), text=alt.Text("drawn_break:N")),
    ]


def _other(y: alt.Y, field: str) -> alt.Y:
    """The same axis for another field."""
    return alt.Y(f"{field}:Q", title=y["title"], scale=y["scale"], axis=y["axis"])


def _name(each: Break) -> str:
    if each.kind is BreakKind.PRECONDITIONING:
        idle = f", {format_duration(each.length_ns)} idle" if each.length_ns else ""
        return f"after preconditioning{idle}"
    if each.kind is BreakKind.PAUSE:
        return f"{format_duration(each.length_ns)} idle"
    return f"resumed after {format_duration(each.length_ns)}" if each.length_ns else "resumed"


def trial_axis(rows: Sequence[Row]) -> alt.X:
    """The axis of trials. Each tick has the number of the trial and the time since the first trial.

    The rows are in run order, with the number of the ``trial`` and its start (``wall_ns``, None if it is unknown).
    """
    last = rows[-1]["trial"]
    ticks = sorted({max(round(1 + (last - 1) * step / TICKS), 1) for step in range(TICKS + 1)})
    by_place = {row["trial"]: row["wall_ns"] for row in rows}
    first_ns = next((row["wall_ns"] for row in rows if row["wall_ns"] is not None), None)
    label = "datum.label"
    for tick in ticks:
        near = min(by_place, key=lambda place: abs(place - tick))
        wall_ns = by_place[near]
        if wall_ns is not None and first_ns is not None:
            label = f"datum.value == {tick} ? ['{tick:,}', '{_since(wall_ns - first_ns)}'] : {label}"
    return alt.X(
        "trial:Q",
        title="Trial (number and elapsed time)",
        scale=alt.Scale(domain=[0.5, last + 0.5], nice=False),
        axis=alt.Axis(values=ticks, labelExpr=label, grid=False, format="d", labelFlush=True),
    )


def _since(length_ns: int) -> str:
    if length_ns <= 0:
        return "0 s"
    if length_ns < MINUTE_NS:
        return f"{length_ns / SECOND_NS:.2g} s"
    minutes = length_ns / MINUTE_NS
    if minutes < HOUR_MINUTES:
        return f"{minutes:.2g} min"
    return f"{minutes / HOUR_MINUTES:.3g} h"


def _up(spread: float) -> alt.Y:
    low, high = round(1 - spread, 4), round(1 + spread, 4)
    ticks = [low, round(1 - spread / 2, 4), 1, round(1 + spread / 2, 4), high]
    ends = f"datum.value >= {high - 1e-6} ? '≥ ' + datum.label"
    ends += f" : datum.value <= {low + 1e-6} && datum.value > 0 ? '≤ ' + datum.label : datum.label"
    return alt.Y(
        "drawn_share:Q",
        title="IOPS / cell median",
        scale=alt.Scale(domain=[low, high], nice=False, zero=False),
        axis=alt.Axis(values=ticks, format=".4~g", labelExpr=ends),
    )
