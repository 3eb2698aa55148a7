"""The content of a report, which all formats share: a head, and a tree of chapters."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from iosonde.analysis.run import RunAnalysis
from iosonde.charts.figure import Figure
from iosonde.failures import STRICT, FailureLog, PartFailure
from iosonde.findings.finding import Finding
from iosonde.printing import capital
from iosonde.records import RunHeader
from iosonde.report.blocks import Chapter, Leaf
from iosonde.report.brand import Brand, brands_of
from iosonde.report.chapters import NOT_KNOWN, chapters_of
from iosonde.report.evaluated_run import EvaluatedRun, evaluated
from iosonde.report.procedures import PageHeader, page_headers, procedure_headings
from iosonde.report.target_words import identity_text, span_text, targets_text
from iosonde.report.titles import CONDITIONS

if TYPE_CHECKING:
    from iosonde.expectations import CheckedResults

_Kind = TypeVar("_Kind", bound=Leaf)


@dataclass(frozen=True)
class Page:
    """The content of a report, in its order. A notice replaces each part that failed.

    ``subject`` is the source of a chart, written on images that are used outside the report. ``identity_pairs`` are the
    lines below the title: what was measured, when, and with which version.
    """

    run: str
    target: str
    targets: tuple[str, ...]
    subject: str
    identity_pairs: tuple[tuple[str, str], ...]
    version: str
    brands: tuple[Brand, ...]
    chapters: tuple[Chapter, ...]
    headers: tuple[PageHeader, ...] = ()

    @property
    def foot(self) -> str:
        """What the foot of each page on paper names."""
        return self.run if " " in self.run else f"run {self.run}"

    @property
    def has_error_bars(self) -> bool:
        """Whether a chart has error bars that can be switched."""
        return any(each.rows and "deviation_low" in each.rows[0] for each in self.figures)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Every chart, from top to bottom."""
        return self.all_of(Figure)

    def all_of(self, kind: type[_Kind]) -> tuple[_Kind, ...]:
        """All blocks of one kind, from top to bottom."""
        return tuple(block for chapter in self.chapters for block in chapter.all_of(kind))

    def without_charts(self, failures: Mapping[str, PartFailure]) -> "Page":
        """The page with a notice instead of each chart that could not be drawn. ``failures`` is by chart id."""

        def told(figure: Figure) -> Figure:
            failure = failures.get(figure.id)
            return figure if failure is None else replace(figure, chart=None, failure=failure.sentence)

        return replace(self, chapters=tuple(chapter.redrawn(told) for chapter in self.chapters)) if failures else self


def _described(header: RunHeader) -> tuple[tuple[str, str], ...]:
    """What the user says of the run: its label and note, and what the campaign file says about it."""
    own = (("Label", header.label), ("Note", header.note))
    about = tuple((capital(name), value) for name, value in header.plan.about)
    return (*((name, value) for name, value in own if value), *about)


def page_of(
    analysis: RunAnalysis,
    findings: Sequence[Finding],
    failures: FailureLog = STRICT,
    *,
    deviations: bool = False,
    checked: "CheckedResults | None" = None,
) -> Page:
    """The page of a run. A notice replaces each part that fails; ``failures`` records it, or raises if it is strict.

    ``deviations`` adds standard deviations over repeats to the tables. ``checked`` are expected values of the run with
    their verdicts.
    """
    return page_of_evaluated(evaluated(analysis, findings, failures, deviations=deviations, checked=checked), failures)


def page_of_evaluated(found: EvaluatedRun, failures: FailureLog) -> Page:
    """As ``page_of``."""
    run, header = found.run, found.run.header

    def named(part: str, make: Callable[[], str]) -> str:
        return failures.attempt(part, make, lambda _: NOT_KNOWN, CONDITIONS.id)

    target = named("the target names", lambda: targets_text(header))
    identity = named("the target identity", lambda: "; ".join(identity_text(target) for target in header.targets))
    span = named("the test region", lambda: span_text(header))
    return Page(
        run=header.run,
        target=target,
        targets=tuple(target.path or target.kind for target in header.targets),
        subject=f"{target}, test region {span}, run {header.run}, iosonde {header.iosonde_version}",
        identity_pairs=(
            ("Identity", identity),
            ("Test region", span),
            ("Measured", header.created_at),
            ("Run", header.run),
            ("Created by", f"iosonde {header.iosonde_version}"),
            *_described(header),
        ),
        version=header.iosonde_version,
        brands=failures.attempt(
            "the notice above the results", lambda: brands_of(run), lambda each: (Brand("bug", each.sentence),)
        ),
        chapters=chapters_of(found, failures),
        headers=failures.attempt("the header of the pages", lambda: _headers(found), lambda _: (), CONDITIONS.id),
    )


def _headers(found: EvaluatedRun) -> tuple[PageHeader, ...]:
    """The header blocks of a run of standard procedures; none for any other run."""
    headings = procedure_headings(found.procedures)
    named = {heading.id: rounds for heading, rounds in zip(headings, found.procedures, strict=True)}
    return page_headers(found.analysis.recorded, named, found.invalid)
