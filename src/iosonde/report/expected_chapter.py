"""The chapter that compares a run with a file of expected values."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from iosonde.charts.quantities import NO_VALUE
from iosonde.expectations import Checked, CheckedResults, Verdict
from iosonde.report.blocks import Block, Chapter, Folded, Paragraph
from iosonde.report.dashes import Dash
from iosonde.report.expected_words import (
    INTERVAL_NAMES,
    bound_text,
    conditions_text,
    interval_text,
    margin_text,
    part_texts,
    reason_text,
    reasoned,
    unlike_texts,
    value_text,
)
from iosonde.report.purpose_words import purpose_texts
from iosonde.report.tables import Head, Line, ResultTable
from iosonde.report.titles import EXPECTED

SOURCES: Final = "Sources of the expected values ({})"
BOUND: Final = "Bound"
SOURCE_HEADS: Final = ("Expected", BOUND, "Conditions", "Basis, confidence", "Source")
NOTHING: Final = "there is no such value"
_VERBS: Final = {Verdict.PASS: "met", Verdict.FAIL: "missed", Verdict.UNDECIDED: "undecided"}


def expected_chapter(checked: CheckedResults) -> Chapter:
    """How many expected values are met, or the verdict for a purpose, and a table of all, missed ones first."""
    order = (Verdict.FAIL, Verdict.UNDECIDED, Verdict.PASS)
    checks = sorted(checked.checks, key=lambda each: order.index(each.verdict))
    said = [_sentence(checked, checks)] if checked.purpose is None else purpose_texts(checked, checked.purpose)
    blocks: list[Block] = [*map(Paragraph, said), _table(checked, checks)]
    sources = _sources(checks)
    return Chapter(
        *EXPECTED,
        (*blocks, *([Folded(SOURCES.format(len(sources.lines)), (sources,), on_paper=True)] if sources else [])),
    )


def _sentence(checked: CheckedResults, checks: Sequence[Checked]) -> str:
    counts = ", ".join(f"{number} {_VERBS[verdict]}" for verdict in Verdict if (number := checked.count(verdict)))
    worst = min(
        (each for each in checks if each.verdict is Verdict.FAIL and each.margin_share is not None),
        key=lambda each: each.margin_share or 0,
        default=None,
    )
    said = f"{len(checks)} checks against the expected values of {checked.name}: {counts or 'none'}."
    if worst is None or worst.margin_share is None:
        return said
    return (
        f"{said} The largest miss is {worst.name}{f' in {worst.cell}' if worst.cell else ''}: "
        f"{value_text(worst.metric, worst.value)} instead of {bound_text(worst)} ({margin_text(worst)})."
    )


def _table(checked: CheckedResults, checks: Sequence[Checked]) -> ResultTable:
    notes = [
        f"{each.name}{f' in {each.cell}' if each.cell else ''}: {reason}."
        for each in reasoned(replace(checked, checks=tuple(checks)))
        if (reason := reason_text(each))
    ]
    return ResultTable(
        caption="A value passes or fails if its whole 95 % confidence interval is on one side of the bound.",
        heads=(
            Head("Expected", number=False),
            Head("Verdict", number=False),
            Head("Cell", number=False),
            Head(BOUND),
            Head("Measured"),
            Head(INTERVAL_NAMES[checked.results.kind]),
            Head("Margin"),
        ),
        lines=tuple(
            Line(
                (
                    each.name,
                    str(each.verdict).upper(),
                    _or_dash(each.cell or NO_VALUE, each),
                    bound_text(each),
                    *(_or_dash(text, each) for text in _measured(each)),
                ),
                cell=each.cell or "",
            )
            for each in checks
        ),
        notes=tuple(dict.fromkeys([*notes, *(f"{each}." for each in [*part_texts(checks), *unlike_texts(checks)])])),
    )


def _sources(checks: Sequence[Checked]) -> ResultTable | None:
    """Where the expected values come from; None if no source is stated."""
    held = {(each.name, each.bound): each for each in checks if each.origin.source}
    if not held:
        return None
    return ResultTable(
        caption="What each expected value is, and where it comes from. Conditions that differ are below the verdicts.",
        heads=tuple(Head(name, number=name == BOUND) for name in SOURCE_HEADS),
        lines=tuple(
            Line(
                (
                    name,
                    bound_text(each),
                    conditions_text(each.origin.conditions) or Dash("the source states none"),
                    _basis(each),
                    each.origin.source,
                ),
                cell="",
            )
            for (name, _), each in held.items()
        ),
        notes=(),
    )


def _basis(each: Checked) -> str:
    """What an expected value is, and how well its source supports it: ``specified, high``."""
    return f"{each.origin.basis}, {each.origin.confidence or 'not stated'}"


def _measured(each: Checked) -> tuple[str, str, str]:
    return value_text(each.metric, each.value), interval_text(each), margin_text(each)


def _or_dash(text: str, each: Checked) -> str:
    return Dash(each.why or NOTHING) if text == NO_VALUE else text
