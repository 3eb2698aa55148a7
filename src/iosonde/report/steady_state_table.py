"""The steady-state table: the verdict of each criterion on each cell, with the values that it compares."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from iosonde.analysis.series import Steadiness, SteadyRule
from iosonde.analysis.series.steady import WindowFigures
from iosonde.analysis.target_state import RULES, Rounds, last_window, rounds_of, steadiness_of, tracked
from iosonde.charts.quantities import significant
from iosonde.printing import capital
from iosonde.records import CellRecord
from iosonde.report.blocks import Paragraph
from iosonde.report.tables import Head, Line, ResultTable

WINDOW: Final = max(rule.window for rule in RULES)
ROUNDS: Final = {
    Rounds.CONSECUTIVE: "consecutive",
    Rounds.INTERLEAVED: "interleaved",
    Rounds.UNEQUAL: "different lengths",
    Rounds.INTERLEAVED_UNEQUAL: "interleaved, different lengths",
}
CAPTION: Final = (
    f"Steady state by the SNIA PTS, TKperf and fio criteria, over the last {WINDOW} repeats of each cell. Values are "
    "percentages of the mean."
)
WINDOW_CAPTION: Final = (
    f"The measurement window: the values of the last {WINDOW} repeats, their average, and the change of the best-fit "
    "line over the window as a share of the average."
)
NO_EXPERIMENTS: Final[Mapping[str, Collection[str]]] = {}
_VARIABLES: Final = {"throughput": (1.0, "IOPS"), "mean latency": (1e-3, "mean latency (µs)")}
VARIABLE: Final = "Both IOPS and mean latency must meet each criterion. The table shows the worse of the two values."
ARITHMETIC: Final = (
    "The criteria are defined for consecutive rounds of equal length. If the repeats do not form such rounds, meeting "
    "the criteria does not prove that performance has settled."
)


def steady_state_blocks(
    records: Mapping[str, Sequence[CellRecord]], experiments: Mapping[str, Collection[str]] = NO_EXPERIMENTS
) -> tuple[Paragraph | ResultTable, ...]:
    """The number of steady cells, in all and by experiment, the verdicts, and the values that they are computed from.

    ``experiments`` are the cells of each experiment by its title. If no cell has enough repeats, a sentence says so.
    """
    judged = {cell: found for cell, found in records.items() if last_window(found)}
    most = max((found.rounds for each in records.values() if (found := steadiness_of(each)) is not None), default=0)
    if not most:
        return ()
    if not judged:
        repeats = "1 repeat" if most == 1 else f"{most} repeats"
        return (
            Paragraph(
                f"Steady state was not evaluated: this requires {WINDOW} repeats of a cell, and no cell has more than "
                f"{repeats}."
            ),
        )
    words = " ".join(filter(None, [_summary(judged), _by_experiment(judged, experiments)]))
    return (Paragraph(words), _table(judged, len(records) - len(judged)), _window_table(judged))


def _summary(judged: Mapping[str, Sequence[CellRecord]]) -> str:
    cells = f"{len(judged)} {'cell' if len(judged) == 1 else 'cells'} with {WINDOW} or more repeats"
    counts = "; ".join(
        f"{sum(_holds(found, rule) for found in judged.values())} by {_source(rule)} ({_limits(rule)})"
        for rule in RULES
    )
    return f"Cells in steady state (of {cells}): {counts}."


def _by_experiment(judged: Mapping[str, Sequence[CellRecord]], experiments: Mapping[str, Collection[str]]) -> str:
    """How many cells of each experiment are steady by the first rule; empty for a single experiment."""
    parts = []
    for title, cells in experiments.items():
        found = [records for cell, records in judged.items() if cell in cells]
        if found:
            steady = sum(_holds(each, RULES[0]) for each in found)
            parts.append(f"{title} {'all' if steady == len(found) else steady} of {len(found)}")
    return f"By experiment ({_source(RULES[0])}): {', '.join(parts)}." if len(parts) > 1 else ""


def _window_table(judged: Mapping[str, Sequence[CellRecord]]) -> ResultTable:
    """The values of the last window of each tracking variable, their mean, and the change of the best-fit line."""
    lines = []
    for cell, records in judged.items():
        last = _rounds(records)
        for variable, values in tracked(records).items():
            factor, name = _VARIABLES[variable]
            held = [value * factor for value in values[-WINDOW:]]
            figures = last_window(records)[variable]
            texts = (*(significant(each) for each in held), significant(sum(held) / WINDOW))
            repeats = f"{last - WINDOW + 1} to {last}"
            lines.append(Line((cell, name, repeats, *texts, f"{100 * figures.line_share:+.1f} %")))
    return ResultTable(
        WINDOW_CAPTION,
        (
            Head("Cell", number=False),
            Head("Tracking variable", number=False),
            Head("Window", "repeats", number=False),
            *(Head(f"Value {number}") for number in range(1, WINDOW + 1)),
            Head("Average"),
            Head("Best-fit line", "change"),
        ),
        tuple(lines),
        (),
    )


def _holds(records: Sequence[CellRecord], rule: SteadyRule) -> bool:
    found = steadiness_of(records, rule)
    return found is not None and found.holds


def _table(judged: Mapping[str, Sequence[CellRecord]], others: int) -> ResultTable:
    kinds = {cell: rounds_of(found) for cell, found in judged.items()}
    lines = tuple(
        Line(
            (
                cell,
                str(_rounds(found)),
                ROUNDS[kinds[cell]],
                *(text for rule in RULES for text in _verdict(found, rule)),
            )
        )
        for cell, found in judged.items()
    )
    notes = [VARIABLE]
    if any(kind is not Rounds.CONSECUTIVE for kind in kinds.values()):
        notes.append(ARITHMETIC)
    if others:
        number, verb = ("1 cell has", "is") if others == 1 else (f"{others} cells have", "are")
        notes.append(f"{number} fewer than {WINDOW} repeats and {verb} not evaluated.")
    heads = (
        Head("Cell", number=False),
        Head("Repeats", "finished"),
        Head("Repeat order", number=False),
        *(head for rule in RULES for head in _heads(rule)),
    )
    return ResultTable(CAPTION, heads, lines, tuple(notes))


def _heads(rule: SteadyRule) -> tuple[Head, ...]:
    """A column for each value that a rule compares, with its limit, and a column for the verdict."""
    values = (Head(capital(name), f"≤ {_percent(most)}") for name, _, most in _values(_NO_WINDOW, rule))
    names = [name for name, *_ in _values(_NO_WINDOW, rule)]
    head = _source(rule) if len(names) > 1 else f"{_source(rule)}, {names[0]}"
    return (*values, Head(head, "steady", number=False))


def _rounds(records: Sequence[CellRecord]) -> int:
    found = steadiness_of(records)
    return 0 if found is None else found.rounds


def _verdict(records: Sequence[CellRecord], rule: SteadyRule) -> tuple[str, ...]:
    """The values of the last window and the verdict. Each value is that of the variable with the greatest share."""
    found, windows = steadiness_of(records, rule), last_window(records, rule)
    assert found is not None
    each = [[share / most for _, share, most in _values(window, rule)] for window in windows.values()]
    worst = [max(shares) for shares in zip(*each, strict=True)]
    limits = [most for _, _, most in _values(_NO_WINDOW, rule)]
    return (*(f"{100 * share * most:.1f} %" for share, most in zip(worst, limits, strict=True)), _word(found))


def _word(found: Steadiness) -> str:
    if found.reached is None:
        return "no"
    if found.left is not None:
        return f"no, left steady state at repeat {found.left}"
    return f"yes, first in repeats {found.reached - found.rule.window + 1} to {found.reached}"


def _values(figures: WindowFigures, rule: SteadyRule) -> list[tuple[str, float, float]]:
    """The values that a rule compares: name, share of the mean, and limit."""
    asked = (
        ("range", figures.range_share, rule.range_max),
        ("deviation", figures.deviation_share, rule.deviation_max),
        ("slope", figures.excursion_share, rule.excursion_max),
        ("slope per repeat", abs(figures.slope_share), rule.slope_max),
    )
    return [(name, share, most) for name, share, most in asked if most is not None]


def _source(rule: SteadyRule) -> str:
    """The source of a criterion, from its name."""
    return rule.name.partition(",")[0]


def _limits(rule: SteadyRule) -> str:
    return ", ".join(f"{name} ≤ {_percent(most)}" for name, _, most in _values(_NO_WINDOW, rule))


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


_NO_WINDOW: Final = WindowFigures(0.0, 0.0, 0.0, 0.0, 0)
