"""Marks headline figures that are invalid or unreliable, or that missed the requested precision."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from iosonde.figures import Figure
from iosonde.findings.finding import Finding, invalid_by, unreliable_by
from iosonde.records import Aim
from iosonde.report.headline_figures import HeadlineFigure, HeadlineGroup, SweptKnee
from iosonde.vocabulary import Quantity


def with_marks(group: HeadlineGroup, findings: Sequence[Finding], aim_ended: Aim | None) -> HeadlineGroup:
    """The group with the findings on its cell, and a remark on each figure that missed the requested precision.

    Such a figure is not unreliable: its interval is valid. ``aim_ended`` is the requested precision of a finished run,
    or None.
    """
    figures = group.figures
    if aim_ended is not None:
        figures = tuple(replace(each, remark=_missed(each, aim_ended)) for each in figures)
    return replace(
        group,
        figures=figures,
        doubted_by=unreliable_by(findings, group.cell),
        invalid_by=invalid_by(findings, group.cell),
    )


def _missed(figure: HeadlineFigure, aim: Aim) -> str:
    if not misses(figure, aim):
        return ""
    assert figure.half_width_share is not None
    asked = aim.tail_percent if figure.is_tail else aim.precision_percent
    return f"95 % CI ±{figure.half_width_share * 100:.1f} %, requested ±{asked:g} %: the time budget was exhausted"


def misses(figure: Figure, aim: Aim) -> bool:
    """Whether a precision applies to the figure and its interval is wider than requested."""
    is_tail = figure.quantity is Quantity.LATENCY_NS_P99
    if figure.half_width_share is None or not figure.value or not (figure.is_mean or is_tail):
        return False
    return figure.half_width_share * 100 > (aim.tail_percent if is_tail else aim.precision_percent)


def invalid_below(knees: Iterable[SweptKnee], findings: Sequence[Finding]) -> str:
    """A sentence on the invalid cells that knees depend on; empty if there are none, or no knee was found."""
    swept = [cell for each in knees if each.knee.point is not None for cell in each.sweep.cells]
    touched = [(cell.cell, ids) for cell in swept if (ids := invalid_by(findings, cell.cell))]
    if not touched:
        return ""
    told = dict.fromkeys(each for _, found in touched for each in found)
    first, *others = dict.fromkeys(name for name, _ in touched)
    more = f" and {len(others)} more" if others else ""
    return f"INVALID, see {', '.join(told)}: these knees depend on {first}{more}."
