"""The report of a run as every form tells it: what stands above all, and a tree of chapters below."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from iosonde.analysis.run import RunAnalysis
from iosonde.charts.figure import Figure
from iosonde.failures import STRICT, FailureLog, PartFailure
from iosonde.findings.finding import Finding
from iosonde.report.blocks import Chapter, Leaf
from iosonde.report.brand import Brand, brands_of
from iosonde.report.chapters import NOT_KNOWN, chapters_of
from iosonde.report.evaluated_run import evaluated
from iosonde.report.target_words import identity_text, span_text, targets_text
from iosonde.report.titles import CONDITIONS

_Kind = TypeVar("_Kind", bound=Leaf)


@dataclass(frozen=True)
class Page:
    """Everything that a report says, in the order in which it says it. What failed stands in its place."""

    run: str
    target: str
    targets: tuple[str, ...]
    identity: str
    span: str
    created_at: str
    version: str
    brands: tuple[Brand, ...]
    chapters: tuple[Chapter, ...]

    @property
    def subject(self) -> str:
        """What a picture that goes its own way has to say of where it comes from."""
        return f"{self.target}, test region {self.span}, run {self.run}, iosonde {self.version}"

    @property
    def identity_pairs(self) -> tuple[tuple[str, str], ...]:
        """What was measured, when and by what: the lines below the title."""
        return (
            ("Identity", self.identity),
            ("Test region", self.span),
            ("Measured", self.created_at),
            ("Run", self.run),
            ("Created by", f"iosonde {self.version}"),
        )

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Every chart, from top to bottom."""
        return self.all_of(Figure)

    def all_of(self, kind: type[_Kind]) -> tuple[_Kind, ...]:
        """All blocks of one kind, from top to bottom."""
        return tuple(block for chapter in self.chapters for block in chapter.all_of(kind))

    def without_charts(self, failures: Mapping[str, PartFailure]) -> "Page":
        """The page with what stands in the place of charts that could not be drawn, by their ids."""

        def told(figure: Figure) -> Figure:
            failure = failures.get(figure.id)
            return figure if failure is None else replace(figure, chart=None, failure=failure.sentence)

        return replace(self, chapters=tuple(chapter.redrawn(told) for chapter in self.chapters)) if failures else self


def page_of(analysis: RunAnalysis, findings: Sequence[Finding], failures: FailureLog = STRICT) -> Page:
    """The page of a run. What fails stands in its place, and in ``failures``, where these take it."""
    run, header = analysis.run, analysis.run.header
    found = evaluated(analysis, findings, failures)

    def named(part: str, make: Callable[[], str]) -> str:
        return failures.attempt(part, make, lambda _: NOT_KNOWN, CONDITIONS.id)

    return Page(
        run=header.run,
        target=named("the target names", lambda: targets_text(header)),
        targets=tuple(target.path or target.kind for target in header.targets),
        identity=named("the target identity", lambda: "; ".join(identity_text(target) for target in header.targets)),
        span=named("the test region", lambda: span_text(header)),
        created_at=header.created_at,
        version=header.iosonde_version,
        brands=failures.attempt(
            "the notice above the results", lambda: brands_of(run), lambda each: (Brand("bug", each.sentence),)
        ),
        chapters=chapters_of(found, failures),
    )
